import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { getHeapStatistics } from 'node:v8';
import type { Schema } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { processEnvironment, type ExitInfo } from '@lab/runtime';

/** How long to wait after the exit for the last output, in milliseconds. A grandchild may keep the pipes open for ever. */
const lastWordsMs = 1_000;

/** Longest line that a process may send, in bytes: longer than any message of a host, and small enough to buffer. */
const longestLine = 8 * 1024 * 1024;

const newline = 0x0a;

/** The file descriptor of the channel in the process. `NODE_CHANNEL_FD` names it, as in a fork by Node itself. */
const channelDescriptor = 3;

/** How a process ended. If `code` and `signal` are null, it could not be started, and `lastStderr` says why. */
export interface ForkedExit extends ExitInfo {
  /** The last line that the process wrote to standard error, or the known cause of its end. */
  lastStderr: string | null;
}

export interface ForkOptions<From> {
  /** Absolute path of the host's JavaScript. */
  host: string;
  /** Options of Node for it. */
  nodeOptions?: readonly string[];
  /** What the host gets in `process.argv`. */
  hostArguments?: readonly string[];
  /** The messages that the host may send. */
  messages: Schema<From>;
  log: Log;
  /**
   * Converts a line of standard output (`info`) or standard error (`warn`) into a message. Default: such lines go to the
   * log.
   */
  written?: (level: 'info' | 'warn', line: string) => From;
  /** Called when the process has ended, before the listener of {@link ForkedProcess.onExit}. */
  onGone?: () => void;
}

/**
 * A Node process that exchanges JSON messages, one per line, over the channel of `process.send`. It gets the environment of this
 * process without the settings of the service, because those contain secrets. Messages arrive in order, one at a time, never
 * inside `send` or the constructor. The exit is reported exactly once, after the last message, also when the process could
 * not be started.
 *
 * This class reads the channel itself. If author code writes other data to the descriptor, Node's own reader throws outside of
 * any call and would end this process. This class ends only the process that wrote the data.
 */
export class ForkedProcess<To extends object, From> {
  readonly #child: ChildProcess;
  readonly #channel: Duplex | null;
  /** Pieces of an unfinished line. */
  #pieces: Buffer[] = [];
  #pending = 0;
  readonly #messages: Schema<From>;
  readonly #log: Log;
  #message: (message: From) => void = () => undefined;
  #exit: (exit: ForkedExit) => void = () => undefined;
  #lastStderr: string | null = null;
  readonly #onGone: () => void;
  #exitReported = false;
  /** The process violated the protocol. */
  #broken = false;
  /** The cause of the end is known, so that later lines say less. */
  #isExplained = false;
  readonly #memoryMb: number;

  constructor({
    host,
    nodeOptions = [],
    hostArguments = [],
    messages,
    log,
    onGone,
    written,
  }: ForkOptions<From>) {
    this.#log = log;
    this.#onGone = onGone ?? (() => undefined);
    this.#messages = messages;
    this.#memoryMb = memoryLimitMb(nodeOptions);
    const child = spawn(process.execPath, [...nodeOptions, host, ...hostArguments], {
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
    // The exit reports the end of the channel, with its cause.
    this.#channel?.on('error', (error) =>
      log.debug('the channel of a process failed', { reason: error.message }),
    );
    child.on('error', (error) => {
      if (child.pid === undefined) this.#reportExit({ code: null, signal: null, lastStderr: error.message });
      else log.error('a child process reported an error', { reason: error.message });
    });
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => {
        this.#reportExit({ code, signal, lastStderr: this.#lastStderr });
        // A grandchild may hold the pipes. Without this, each such process would cost two descriptors for ever.
        child.stdout?.destroy();
        child.stderr?.destroy();
        this.#channel?.destroy();
      }, lastWordsMs);
      child.once('close', () => {
        clearTimeout(timer);
        this.#reportExit({ code, signal, lastStderr: this.#lastStderr });
      });
    });
    const heard = (level: 'info' | 'warn', line: string): void => {
      if (written === undefined || this.#exitReported) log[level](line);
      else this.#message(written(level, line));
    };
    this.#follow(child.stdout, (line) => heard('info', line));
    this.#follow(child.stderr, (line) => {
      // After a breach more lines may arrive that were written before it.
      if (!this.#isExplained) this.#lastStderr = line;
      // Addresses of native code follow this line.
      if (/^FATAL ERROR: .*out of memory/.test(line)) {
        this.#explain(`it ran out of memory, of which JavaScript may use ${this.#memoryMb} MB`);
      }
      heard('warn', line);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Never throws. A message to a process that has ended is dropped; the caller learns of the end by {@link onExit}. */
  send(message: To): void {
    if (this.#channel?.writable === true) this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  /** Sets the only listener. Call it in the turn of the event loop in which the process was started. */
  onMessage(listener: (message: From) => void): void {
    this.#message = listener;
  }

  /** Sets the only listener. Call it in the turn of the event loop in which the process was started. */
  onExit(listener: (exit: ForkedExit) => void): void {
    this.#exit = listener;
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(newline); end >= 0 && !this.#broken; end = rest.indexOf(newline)) {
      this.#receive(Buffer.concat([...this.#pieces.splice(0), rest.subarray(0, end)]).toString());
      this.#pending = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0 || this.#broken) return;
    this.#pieces.push(rest);
    this.#pending += rest.length;
    if (this.#pending > longestLine) this.#breach(`a line of more than ${longestLine} bytes`);
  }

  #receive(line: string): void {
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

  /** Ends the process, because its messages can no longer be trusted. */
  #breach(reason: string): void {
    this.#broken = true;
    this.#pieces = [];
    this.#log.error('a process violated the protocol and is ended', { reason });
    this.#explain('it violated the protocol with the process that started it');
    this.#child.kill('SIGKILL');
  }

  #explain(cause: string): void {
    this.#lastStderr = cause;
    this.#isExplained = true;
  }

  #follow(stream: Readable | null, heard: (line: string) => void): void {
    if (stream === null) return;
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      if (line.trim() !== '') heard(line);
    });
  }

  #reportExit(exit: ForkedExit): void {
    if (this.#exitReported) return;
    this.#exitReported = true;
    this.#onGone();
    this.#exit(exit);
  }
}

/** Returns the environment for author code: that of this process without the settings of the service. */
export function authorEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(processEnvironment()).filter(([name]) => !name.startsWith('SVC_')),
  );
}

/** The memory that JavaScript may use in a process with these options; without such an option, as much as in this one. */
function memoryLimitMb(nodeOptions: readonly string[]): number {
  const option = nodeOptions
    .map((each) => /^--max-old-space-size=(\d+)$/.exec(each)?.[1])
    .findLast((each) => each !== undefined);
  return option === undefined ? Math.round(getHeapStatistics().heap_size_limit / 2 ** 20) : Number(option);
}
