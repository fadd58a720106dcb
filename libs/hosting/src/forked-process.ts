import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Schema } from '@lab/contracts';
import { processEnvironment, type ExitInfo } from '@lab/runtime';
import type { HostLog } from './host-log.js';

/** After the exit, how long to wait for what a process wrote last: a grandchild may hold the pipes open for ever. */
const lastWordsMs = 1_000;

/** Longest line that a process may send, in bytes: more than any message of a host, and little enough to hold. */
const longestLine = 8 * 1024 * 1024;

const newline = 0x0a;

/** The descriptor of the channel in the process, told by `NODE_CHANNEL_FD` as Node does itself. */
const channelDescriptor = 3;

/** How a process ended. Both null: it could not be started, and `lastStderr` says why. */
export interface ForkedExit extends ExitInfo {
  /** The last line it wrote to standard error. */
  lastStderr: string | null;
}

export interface ForkOptions<From> {
  /** Absolute path of the host's JavaScript. */
  host: string;
  /** Options of Node for it. */
  nodeOptions?: readonly string[];
  /** What the host may say. */
  messages: Schema<From>;
  log: HostLog;
  /**
   * The message that a line stands for which the process wrote beside its channel: `info` to standard output, `warn` to
   * standard error. Default: such lines go to the log.
   */
  written?: (level: 'info' | 'warn', line: string) => From;
  /** Hears of the end of the process, before the listener of {@link ForkedProcess.onExit}. */
  onGone?: () => void;
}

/**
 * A Node process that speaks JSON messages, one a line, over the channel that `process.send` writes to. Its environment is
 * that of this process without the settings of the service, among which are secrets. Messages arrive in order, one at a time,
 * never inside `send` or the constructor; the exit is told exactly once and after the last message, also when the process
 * could not be started.
 *
 * This side reads the channel itself: Node's own reader throws out of the event loop when the code of an author writes
 * something else to the descriptor, and would take this process with it. Here that ends the process which did it.
 */
export class ForkedProcess<To extends object, From> {
  readonly #child: ChildProcess;
  readonly #channel: Duplex | null;
  /** Pieces of a line whose end has not come. */
  #pieces: Buffer[] = [];
  #pending = 0;
  readonly #messages: Schema<From>;
  readonly #log: HostLog;
  #message: (message: From) => void = () => undefined;
  #exit: (exit: ForkedExit) => void = () => undefined;
  #lastStderr: string | null = null;
  readonly #onGone: () => void;
  #told = false;
  /** It broke the protocol. */
  #broken = false;

  constructor({ host, nodeOptions = [], messages, log, onGone, written }: ForkOptions<From>) {
    this.#log = log;
    this.#onGone = onGone ?? (() => undefined);
    this.#messages = messages;
    const child = spawn(process.execPath, [...nodeOptions, host], {
      env: {
        ...authorEnvironment(),
        NODE_CHANNEL_FD: String(channelDescriptor),
        NODE_CHANNEL_SERIALIZATION_MODE: 'json',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#channel = (child.stdio[channelDescriptor] ?? null) as Duplex | null;
    this.#channel?.on('data', (bytes: Buffer) => this.#take(bytes));
    // The end of the channel is told by the exit, with its cause.
    this.#channel?.on('error', (error) =>
      log.debug('the channel of a process failed', { reason: error.message }),
    );
    child.on('error', (error) => {
      if (child.pid === undefined) this.#tell({ code: null, signal: null, lastStderr: error.message });
      else log.error('a child process reported an error', { reason: error.message });
    });
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => {
        this.#tell({ code, signal, lastStderr: this.#lastStderr });
        // What holds them now is no process of ours; without this each would cost two descriptors for ever.
        child.stdout?.destroy();
        child.stderr?.destroy();
        this.#channel?.destroy();
      }, lastWordsMs);
      child.once('close', () => {
        clearTimeout(timer);
        this.#tell({ code, signal, lastStderr: this.#lastStderr });
      });
    });
    const heard = (level: 'info' | 'warn', line: string): void => {
      if (written === undefined || this.#told) log[level](line);
      else this.#message(written(level, line));
    };
    this.#follow(child.stdout, (line) => heard('info', line));
    this.#follow(child.stderr, (line) => {
      this.#lastStderr = line;
      heard('warn', line);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Never throws; a message to a process that is gone is dropped, for its exit is told. */
  send(message: To): void {
    if (this.#channel?.writable === true) this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  /** One listener; must be set in the same turn of the event loop in which the process was started. */
  onMessage(listener: (message: From) => void): void {
    this.#message = listener;
  }

  /** One listener; must be set in the same turn of the event loop in which the process was started. */
  onExit(listener: (exit: ForkedExit) => void): void {
    this.#exit = listener;
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(newline); end >= 0 && !this.#broken; end = rest.indexOf(newline)) {
      this.#hear(Buffer.concat([...this.#pieces.splice(0), rest.subarray(0, end)]).toString());
      this.#pending = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0 || this.#broken) return;
    this.#pieces.push(rest);
    this.#pending += rest.length;
    if (this.#pending > longestLine) this.#breach(`a line of more than ${longestLine} bytes`);
  }

  #hear(line: string): void {
    let raw: unknown;
    try {
      raw = JSON.parse(line);
    } catch (error) {
      this.#breach(error instanceof Error ? error.message : String(error));
      return;
    }
    const checked = this.#messages.check(raw);
    if (checked.ok) this.#message(checked.value);
    else this.#breach(`${checked.faults[0]?.path}: ${checked.faults[0]?.message}`);
  }

  /** Nothing that it says can be relied on any more. */
  #breach(reason: string): void {
    this.#broken = true;
    this.#pieces = [];
    this.#log.error('a process said what it must not say and is ended', { reason });
    this.#lastStderr = 'it broke the protocol with the process that started it';
    this.#child.kill('SIGKILL');
  }

  #follow(stream: Readable | null, heard: (line: string) => void): void {
    if (stream === null) return;
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      if (line.trim() !== '') heard(line);
    });
  }

  #tell(exit: ForkedExit): void {
    if (this.#told) return;
    this.#told = true;
    this.#onGone();
    this.#exit(exit);
  }
}

/** The environment of this process for the code of authors: without the settings of the service. */
export function authorEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(processEnvironment()).filter(([name]) => !name.startsWith('SVC_')),
  );
}
