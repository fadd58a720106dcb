import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ServiceError, type ModuleReference } from '@lab/contracts';
import { nodeHost, pythonHost, type HostProgram, type Python } from '@lab/hosting';

/** The built program. The path is the same from the sources and from the build. */
const nodeProgram = fileURLToPath(new URL('../dist/child.js', import.meta.url));

export type Runtime = NonNullable<ModuleReference['runtime']>;

/** How the process of an optimizer is started, by the language of the optimizer. */
export class OptimizerHosts {
  readonly #python: Python;

  /** @param options.memoryMb JavaScript heap of one process, in mebibytes. It does not limit Python. */
  constructor(private readonly options: { python: Python; memoryMb: number }) {
    this.#python = options.python;
  }

  /**
   * Finds out whether this computer can run an optimizer. Call it before {@link programFor}.
   *
   * @throws ServiceError `optimizer_unavailable`, with the remedy in one sentence
   */
  async demand({ package: owner, source, runtime }: ModuleReference): Promise<void> {
    if (runtime !== 'python') return;
    const found = await this.#python.find();
    if ('program' in found) return;
    throw new ServiceError(
      'optimizer_unavailable',
      `the optimizer worker on ${hostname()} has no Python 3.9 or later, which ${owner}/${source} needs (${found.why}): install one, or name its program with SVC_PYTHON`,
    );
  }

  programFor(runtime: Runtime): HostProgram {
    if (runtime === 'python') return pythonHost(this.#python.program, pythonProgram());
    return nodeHost(nodeProgram, { options: [`--max-old-space-size=${this.options.memoryMb}`] });
  }
}

/** From the bundle, when this process runs the bundle of the worker. */
function pythonProgram(): string {
  const bundled = join(dirname(argv[1] ?? ''), 'hosts', 'python', 'optimizer-host.py');
  return existsSync(bundled)
    ? bundled
    : createRequire(import.meta.url).resolve('@lab/python-host/src/optimizer-host.py');
}
