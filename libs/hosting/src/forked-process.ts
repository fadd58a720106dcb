import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { getHeapStatistics } from 'node:v8';
import type { Schema } from '@lab/contracts';
import { channelDescriptors, LineJoiner } from '@lab/contracts/channel';
import type { Log } from '@lab/ports';
import { processEnvironment, type ExitInfo } from '@lab/runtime';
import type { CodeUser } from './code-user.js';
import type { HostProgram } from './host-program.js';

/** How long to wait after the exit for the last output, in milliseconds. A grandchild may keep the pipes open for ever. */
const lastWordsMs = 1_000;

/**
 * While more than this waits for a process that does not read, in bytes, nothing is read from the process. So the answers to
 * its messages cannot fill the memory of this process.
 */
const mostWaiting = 4 * 1024 * 1024;

/** How a process ended. If `code` and `signal` are null, it could not be started, and `lastStderr` says why. */
export interface ForkedExit extends ExitInfo {
  /** The last line that the process wrote to standard error, or the known cause of its end. */
  lastStderr: string | null;
}

export interface ForkOptions<From> {
  host: HostProgram;
  /** Under whom it runs; undefined: the user of this process. */
  user?: CodeUser | undefined;
  /** The messages that the host may send. */
  messages: Schema<From>;
  log: Log;
  /**
   * Converts a line of standard output (`info`) or standard error (`warn`) into a message. Default: such lines go to the
   * log.
   */
  written?: (level: 'info' | 'warn', line: string) => From;
  /** Address at which a debugger may attach to the process; undefined: none may. */
  debugger?: string | undefined;
  /** Called when the process has ended, before the listener of {@link ForkedProcess.onExit}. */
  onGone?: () => void;
}

/**
 * A process that exchanges JSON messages, one per line, over two pipes of its own; see `@lab/contracts/channel`. It gets the
 * environment of this process without the settings of the service, because those contain secrets. Messages arrive in order,
 * one at a time, never inside `send` or the constructor. The exit is reported exactly once, after the last message, also when
 * the process could not be started.
 *
 * The channel is not that of `process.send`: on Windows that one has frames which only Node reads, and its kind of pipe. If
 * author code writes other data to the channel, this class ends only the process that wrote the data.
 */
export class ForkedProcess<To extends object, From> {
  readonly #child: ChildProcess;
  readonly #toHost: Writable | null;
  readonly #fromHost: Readable | null;
  readonly #lines = new LineJoiner();
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
  readonly debugger: string | undefined;

  constructor({ host, user, messages, log, onGone, written, debugger: address }: ForkOptions<From>) {
    this.#log = log;
    this.debugger = address;
    this.#onGone = onGone ?? (() => undefined);
    this.#messages = messages;
    this.#memoryMb = memoryLimitMb(host.args);
    const own = { ...host, env: { ...authorEnvironment(), ...host.env } };
    const launch = user?.launch(own) ?? own;
    const child = spawn(launch.program, launch.args, {
      env: launch.env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // In a session of its own, code of another user cannot type into the terminal of this process (TIOCSTI).
      detached: user !== undefined,
    });
    this.#child = child;
    this.#toHost = child.stdio[channelDescriptors.toHost] as Writable | null;
    this.#fromHost = child.stdio[channelDescriptors.fromHost] as Readable | null;
    this.#fromHost?.setEncoding('utf8').on('data', (piece: string) => this.#take(piece));
    for (const event of ['drain', 'close']) this.#toHost?.on(event, () => this.#fromHost?.resume());
    for (const pipe of [this.#toHost, this.#fromHost]) {
      // The exit reports the end of the channel, with its cause.
      pipe?.on('error', (error) => log.debug('the channel of a process failed', { reason: error.message }));
    }
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
        this.#toHost?.destroy();
        this.#fromHost?.destroy();
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

  /** Bytes that wait for the process to read them. */
  get waitingBytes(): number {
    return this.#toHost?.writableLength ?? 0;
  }

  /** Never throws. A message to a process that has ended is dropped; the caller learns of the end by {@link onExit}. */
  send(message: To): void {
    const pipe = this.#toHost;
    if (pipe?.writable !== true) return;
    pipe.write(`${JSON.stringify(message)}\n`);
    if (this.waitingBytes > mostWaiting) this.#fromHost?.pause();
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

  #take(piece: string): void {
    if (this.#broken) return;
    let lines: string[];
    try {
      lines = this.#lines.take(piece);
    } catch (error) {
      this.#breach(error);
      return;
    }
    for (const line of lines) {
      if (this.#broken) return;
      this.#receive(line);
    }
  }

  #receive(line: string): void {
    let raw: unknown;
    try {
      raw = JSON.parse(line);
    } catch (error) {
      this.#breach(error);
      return;
    }
    const checked = this.#messages.check(raw);
    if (checked.ok) this.#message(checked.value);
    else this.#breach(`${checked.faults[0]?.path}: ${checked.faults[0]?.message}`);
  }

  /** Ends the process, because its messages can no longer be trusted. */
  #breach(fault: unknown): void {
    this.#broken = true;
    const reason = fault instanceof Error ? fault.message : String(fault);
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

/** The memory that JavaScript may use in a process with these arguments; without such an option, as much as in this one. */
function memoryLimitMb(args: readonly string[]): number {
  const option = args
    .map((each) => /^--max-old-space-size=(\d+)$/.exec(each)?.[1])
    .findLast((each) => each !== undefined);
  return option === undefined ? Math.round(getHeapStatistics().heap_size_limit / 2 ** 20) : Number(option);
}
