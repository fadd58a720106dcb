import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ModuleReference, Runtime } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { isLoopback, processEnvironment } from '@lab/runtime';
import { authorEnvironment } from './forked-process.js';
import { debuggedHost, type HostProgram } from './host-program.js';
import type { Interpreters } from './python.js';

/** The only address at which a debugger is let in. */
const loopback = '127.0.0.1';
/** Where debuggers look first: the usual ports of the inspector of Node and of debugpy. Processes beside the first get the next ones. */
const firstPorts: Record<Runtime, number> = { node: 9229, python: 5678 };
const triedPorts = 100;
/** How long the next process of a host waits for the port of the one before, whose debugger may still hold it, in milliseconds. */
const samePortMs = 3_000;
const lookMs = 50;
/** Longest time of the question for debugpy, in milliseconds. A cold disk is slow. */
const askMs = 30_000;
const question = `
import importlib.util, os
found = importlib.util.find_spec("debugpy")
print(os.path.dirname(found.origin) if found and found.origin else "")
`;

type HostKind = Pick<ModuleReference, 'runtime' | 'environment'>;

/** A place for the debugger of the next process. */
interface Place {
  port: number;
  /** Folder of debugpy, for Python; undefined: not needed. */
  debugpy: string | undefined;
}

/** How a host is started. */
export interface DebuggedStart {
  host: HostProgram;
  /** Where a debugger may attach; undefined: none may. */
  address: string | undefined;
  /** The process has ended. */
  ended(): void;
}

/**
 * Lets a debugger attach to hosts that somebody has named when the program was started. Whoever reaches the port of a debugger can
 * execute any code as the user of this process. So the port is open on the loopback address alone, and {@link demandDevelopment}
 * refuses every other place.
 */
export class Debuggers {
  readonly #names: ReadonlySet<string>;
  readonly #places = new Map<string, Place[]>();
  readonly #taken = new Set<number>();
  /** Host to the port that it had last, which an editor knows. */
  readonly #last = new Map<string, number>();

  /**
   * @param names of hosts: `<lab>.<device>`, a task type, or the folder of the protocol of an optimizer
   * @param sources absolute path of the folder with the packages of the author, in whose files a debugger of Python stops
   * @param interpreters have that of a host in Python before {@link Debuggers.prepare} is called
   */
  constructor(
    names: readonly string[],
    private readonly sources: string,
    private readonly interpreters: Interpreters,
    private readonly log: Log,
  ) {
    this.#names = new Set(names);
  }

  wants(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * Finds a port, and debugpy for Python, for the next process of a host. Nothing happens for a host that was not named. Without debugpy
   * the log says so in one sentence, and the host runs without a debugger.
   */
  async prepare(name: string, kind: HostKind): Promise<void> {
    if (!this.wants(name)) return;
    const { runtime = 'node' } = kind;
    const debugpy = runtime === 'python' ? await this.#debugpy(name, kind) : undefined;
    if (runtime === 'python' && debugpy === undefined) return;
    const key = keyOf(name, kind);
    const port = (await this.#samePort(key)) ?? (await this.#freePort(firstPorts[runtime]));
    if (port === undefined) {
      this.log.error(
        `no debugger can attach to ${name}: ${triedPorts} ports from ${firstPorts[runtime]} on are taken`,
      );
      return;
    }
    this.#last.set(key, port);
    this.#places.set(key, [...(this.#places.get(key) ?? []), { port, debugpy }]);
  }

  /**
   * How a host is started that may have been prepared. The log gets one line with the address.
   *
   * @param waits it begins when a debugger has attached, because its work would be over before a person can do that
   */
  start(name: string | undefined, kind: HostKind, host: HostProgram, waits = false): DebuggedStart {
    const place = name === undefined ? undefined : this.#places.get(keyOf(name, kind))?.shift();
    if (name === undefined || place === undefined)
      return { host, address: undefined, ended: () => undefined };
    const { runtime = 'node' } = kind;
    const address = `${loopback}:${place.port}`;
    this.log.warn(
      `attach a debugger to ${name} (${runtime}) at ${address}: ${waits ? 'it waits for the debugger, ' : ''}its time limits are suspended, and every user of this computer can execute code there`,
    );
    return {
      host: debuggedHost(runtime, host, { ...place, sources: this.sources, waits }),
      address,
      ended: () => this.#taken.delete(place.port),
    };
  }

  /** The folder of debugpy in the environment of the host, or else in the Python of the computer. */
  async #debugpy(name: string, { environment }: HostKind): Promise<string | undefined> {
    const own = this.interpreters.program(environment);
    const common = this.interpreters.program(undefined);
    // An environment has the libraries of its lock alone. That of the computer may have debugpy for its user only.
    const found = (await ask(own, ['-I'])) || (await ask(common, ['-E']));
    if (found !== '') return found;
    this.log.error(
      `no debugger can attach to ${name}: ${common} has no debugpy; type "${common} -m pip install debugpy", or name a Python that has it with SVC_PYTHON, and restart ${name}`,
    );
    return undefined;
  }

  async #samePort(key: string): Promise<number | undefined> {
    const port = this.#last.get(key);
    if (port === undefined || this.#taken.has(port)) return undefined;
    this.#taken.add(port);
    for (const end = Date.now() + samePortMs; Date.now() < end;) {
      if (await isFree(port)) return port;
      await delay(lookMs);
    }
    this.#taken.delete(port);
    return undefined;
  }

  async #freePort(first: number): Promise<number | undefined> {
    for (let port = first; port < first + triedPorts; port += 1) {
      if (this.#taken.has(port)) continue;
      this.#taken.add(port);
      if (await isFree(port)) return port;
      this.#taken.delete(port);
    }
    return undefined;
  }
}

/** What says whether a process serves one developer on one computer. */
export interface Surroundings {
  /** Address of the broker. */
  broker: string;
  /** Address of the gateway; undefined: not known. */
  gateway?: string | undefined;
  /** User under whom author code runs; undefined: that of this process. */
  codeUser?: string | undefined;
  /** Key that must have signed all code; undefined: none. */
  codeKey?: string | undefined;
}

/**
 * Refuses debuggers where more than the work of one developer on one computer is at stake.
 *
 * @param names of hosts that a debugger may attach to
 * @throws Error in one sentence, unless there are no names
 */
export function demandDevelopment(
  names: readonly string[],
  { broker, gateway, codeUser, codeKey }: Surroundings,
): void {
  if (names.length === 0) return;
  const whys = [
    ...(isHere(broker) ? [] : [`its broker is on another computer (${hostOf(broker)})`]),
    ...(gateway === undefined || isHere(gateway)
      ? []
      : [`its gateway can be reached from other computers (${hostOf(gateway)})`]),
    ...(codeUser === undefined ? [] : [`its code runs as another user (SVC_CODE_USER is ${codeUser})`]),
    ...(codeKey === undefined ? [] : ['it runs signed code alone (SVC_CODE_KEY)']),
    ...(processEnvironment()['NODE_ENV'] === 'production' ? ['NODE_ENV is production'] : []),
  ];
  if (whys.length === 0) return;
  throw new Error(
    `--debug-host lets every user of this computer execute code, so it is for development on one computer, and ${whys.join(', and ')}; start without it`,
  );
}

function isHere(address: string): boolean {
  return isLoopback(hostOf(address));
}

const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, '');

const keyOf = (name: string, { runtime = 'node', environment = '' }: HostKind): string =>
  `${name} ${runtime} ${environment}`;

/** @returns the folder of debugpy; empty: the interpreter has none, or does not answer */
async function ask(interpreter: string, options: readonly string[]): Promise<string> {
  const args = [...options, '-X', 'utf8', '-c', question];
  const limits = { env: authorEnvironment(), timeout: askMs, windowsHide: true, cwd: '/' };
  return promisify(execFile)(interpreter, args, limits).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
