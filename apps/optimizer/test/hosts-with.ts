import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Debuggers, Python, PythonEnvironments } from '@lab/hosting';
import { createLog } from '@lab/runtime';
import { OptimizerHosts } from '../src/hosts.js';

/**
 * Hosts that install no libraries.
 *
 * @param program that runs Python; undefined: that of the `PATH`
 * @param debugged names of optimizers to which a debugger may attach
 */
export function hostsWith(program: string | undefined, debugged: readonly string[] = []): OptimizerHosts {
  const python = new Python(program);
  const log = createLog({ service: 'optimizer', destination: { write: () => undefined } });
  const environments = new PythonEnvironments(join(tmpdir(), 'nothing-is-built-here'), python, log);
  const debuggers = new Debuggers(debugged, tmpdir(), environments, log);
  return new OptimizerHosts({ python, environments, memoryMb: 64, debuggers });
}
