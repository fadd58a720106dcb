import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { isServiceError, ServiceError, type ModuleReference } from '@lab/contracts';
import {
  nodeHost,
  pythonHost,
  type DebuggedStart,
  type Debuggers,
  type FilePiece,
  type HostProgram,
  type Python,
  type PythonEnvironments,
} from '@lab/hosting';

/** The built program. The path is the same from the sources and from the build. */
const nodeProgram = fileURLToPath(new URL('../dist/child.js', import.meta.url));

/** What the process of an optimizer depends on, so that a process can be started before its optimizer is known. */
export type HostKind = Pick<ModuleReference, 'runtime' | 'environment'>;

interface HostsOptions {
  python: Python;
  /** The libraries of packages for Python. */
  environments: PythonEnvironments;
  /** JavaScript heap of one process, in mebibytes. It does not limit Python. */
  memoryMb: number;
  debuggers: Debuggers;
}

/** How the process of an optimizer is started, by its language and its libraries. */
export class OptimizerHosts {
  constructor(private readonly options: HostsOptions) {}

  /**
   * Finds out whether this computer can run an optimizer, and installs its libraries if it has any. Call it before
   * {@link programFor}.
   *
   * @param piece fetches the lock of the libraries, and what it names
   * @throws ServiceError `optimizer_unavailable`, with the remedy in one sentence; `service_unavailable` while the worker stops
   */
  async demand(module: ModuleReference, piece: FilePiece): Promise<void> {
    const { package: owner, source, runtime } = module;
    if (runtime !== 'python') return;
    const { python, environments } = this.options;
    const found = await python.find();
    if (!('program' in found))
      throw new ServiceError(
        'optimizer_unavailable',
        `the optimizer worker on ${hostname()} has no Python 3.9 or later, which ${owner}/${source} needs (${found.why}): install one, or name its program with SVC_PYTHON`,
      );
    try {
      await environments.provide(module, piece);
    } catch (error) {
      if (!isServiceError(error) || error.code === 'service_unavailable') throw error;
      throw new ServiceError(
        'optimizer_unavailable',
        `the optimizer worker on ${hostname()}: ${error.message}`,
        {
          cause: error,
        },
      );
    }
  }

  /** Whether a debugger may attach to the optimizer, which is named as the folder of its protocol. */
  isDebugged(module: ModuleReference): boolean {
    return this.options.debuggers.wants(protocolOf(module));
  }

  /** Finds a place for a debugger, if one may attach. Call it before {@link debuggedProgramFor}. */
  prepareDebugger(module: ModuleReference): Promise<void> {
    return this.options.debuggers.prepare(protocolOf(module), module);
  }

  /** The program of an optimizer with what a debugger needs. @throws as {@link programFor} */
  debuggedProgramFor(module: ModuleReference): DebuggedStart {
    return this.options.debuggers.start(protocolOf(module), module, this.programFor(module));
  }

  /** @throws Error when the environment was not demanded */
  programFor({ runtime, environment }: HostKind): HostProgram {
    const { environments, memoryMb } = this.options;
    if (runtime === 'python') return pythonHost(environments.program(environment), pythonProgram());
    return nodeHost(nodeProgram, { options: [`--max-old-space-size=${memoryMb}`] });
  }
}

/** Name of the folder of the file of an optimizer. */
const protocolOf = ({ source }: ModuleReference): string => source.split('/').at(-2) ?? '';

/** From the bundle, when this process runs the bundle of the worker. */
function pythonProgram(): string {
  const bundled = join(dirname(argv[1] ?? ''), 'hosts', 'python', 'optimizer-host.py');
  return existsSync(bundled)
    ? bundled
    : createRequire(import.meta.url).resolve('@lab/python-host/src/optimizer-host.py');
}
