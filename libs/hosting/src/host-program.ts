import { dirname, join } from 'node:path';
import type { Runtime } from '@lab/contracts';

/** Options of every host in Python. */
const pythonOptions = ['-I', '-X', 'utf8'];

/** How a program that speaks the protocol of hosts is started. */
export interface HostProgram {
  program: string;
  args: readonly string[];
  /** What its environment has beside that of author code. */
  env?: Readonly<Record<string, string>>;
}

/**
 * A host in JavaScript, executed by the Node of this process.
 *
 * @param path absolute
 * @param options of Node
 * @param given what the host gets in `process.argv`
 */
export function nodeHost(
  path: string,
  { options = [], given = [] }: { options?: readonly string[]; given?: readonly string[] } = {},
): HostProgram {
  return { program: process.execPath, args: [...options, path, ...given] };
}

/**
 * A host in Python. It neither reads the variables `PYTHON...` nor the modules of the home of its user (`-I`), and its text is
 * UTF-8 on every system.
 *
 * @param interpreter absolute path
 * @param path absolute
 * @param given what the host gets in `sys.argv`
 */
export function pythonHost(interpreter: string, path: string, given: readonly string[] = []): HostProgram {
  return { program: interpreter, args: [...pythonOptions, path, ...given] };
}

/**
 * The same host, with a port on which a debugger is let in from this computer.
 *
 * @param host made by {@link nodeHost} or {@link pythonHost}
 * @param debugpy folder of the package debugpy, for Python
 * @param sources absolute path of the folder with the packages of the author
 * @param waits the host begins when a debugger has attached
 */
export function debuggedHost(
  runtime: Runtime,
  host: HostProgram,
  {
    port,
    debugpy = '',
    sources,
    waits,
  }: { port: number; debugpy?: string | undefined; sources: string; waits: boolean },
): HostProgram {
  if (runtime === 'node') {
    const option = `--inspect${waits ? '-wait' : ''}=127.0.0.1:${port}`;
    return { ...host, args: [option, ...host.args] };
  }
  const [path = '', ...given] = host.args.slice(pythonOptions.length);
  // Frozen modules of Python have no lines to stop at. Versions without them ignore the option.
  const options = [...pythonOptions, '-X', 'frozen_modules=off'];
  return {
    ...host,
    args: [
      ...[...options, join(dirname(path), 'debugged-host.py')],
      ...[`${port}`, debugpy, sources, waits ? 'wait' : 'begin', path, ...given],
    ],
  };
}
