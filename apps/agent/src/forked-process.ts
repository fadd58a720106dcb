import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Log, ProcessExit, ProcessHandle } from '@lab/actors';
import type { Schema } from '@lab/contracts';
import { processEnvironment } from '@lab/runtime';

/** After the exit, how long to wait for what a process wrote last: a grandchild may hold the pipes open for ever. */
const lastWordsMs = 1_000;

export interface ForkOptions<From> {
  /** Absolute path of the host's JavaScript. */
  host: string;
  /** What the host may say. */
  messages: Schema<From>;
  /** Where lines go that the process writes beside its channel. */
  log: Log;
  /** Hears of the end of the process, before the listener of {@link ForkedProcess.onExit}. */
  onGone?: () => void;
}

/**
 * A forked Node process that speaks JSON messages. Its environment is the agent's without the settings of the service,
 * among which are secrets.
 */
export class ForkedProcess<To extends object, From> implements ProcessHandle<To, From> {
  readonly #child: ChildProcess;
  readonly #log: Log;
  #message: (message: From) => void = () => undefined;
  #exit: (exit: ProcessExit) => void = () => undefined;
  #lastStderr: string | null = null;
  readonly #onGone: () => void;
  #told = false;

  constructor({ host, messages, log, onGone }: ForkOptions<From>) {
    this.#log = log;
    this.#onGone = onGone ?? (() => undefined);
    const child = fork(host, [], {
      serialization: 'json',
      execArgv: [],
      env: authorEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    child.on('message', (raw) => this.#hear(messages, raw));
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
      }, lastWordsMs);
      child.once('close', () => {
        clearTimeout(timer);
        this.#tell({ code, signal, lastStderr: this.#lastStderr });
      });
    });
    this.#follow(child.stdout, (line) => log.info(line));
    this.#follow(child.stderr, (line) => {
      this.#lastStderr = line;
      log.warn(line);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: To): void {
    if (!this.#child.connected) return;
    this.#child.send(message, (error) => {
      if (error !== null) this.#log.debug('a message did not reach its process', { reason: error.message });
    });
  }

  onMessage(listener: (message: From) => void): void {
    this.#message = listener;
  }

  onExit(listener: (exit: ProcessExit) => void): void {
    this.#exit = listener;
  }

  kill(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  #hear(messages: Schema<From>, raw: unknown): void {
    const checked = messages.check(raw);
    if (checked.ok) {
      this.#message(checked.value);
      return;
    }
    const fault = checked.faults[0];
    this.#log.error('a process said what it must not say and is ended', {
      path: fault?.path,
      reason: fault?.message,
    });
    this.#lastStderr = 'it broke the protocol with the agent';
    this.#child.kill('SIGKILL');
  }

  #follow(stream: Readable | null, heard: (line: string) => void): void {
    if (stream === null) return;
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      if (line.trim() !== '') heard(line);
    });
  }

  #tell(exit: ProcessExit): void {
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
