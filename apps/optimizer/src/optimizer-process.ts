import { setPriority } from 'node:os';
import {
  fromOptimizer,
  isServiceError,
  messageWithPlace,
  ServiceError,
  zodSchema,
  type FromOptimizer,
  type JsonObject,
  type ToOptimizer,
} from '@lab/contracts';
import { ForkedProcess, type ForkedExit, type HostProgram } from '@lab/hosting';
import type { Timers } from '@lab/ports';
import { exitText, type Log } from '@lab/runtime';
import type { Lend } from './lent.js';

const heard = zodSchema(fromOptimizer);

/** Priority below that of processes that move instruments. It costs nothing on a computer without instruments. */
const niceness = 10;

/** A request to the process, without its id. */
export type Question =
  Exclude<ToOptimizer, { type: 'call_result' | 'call_failure' }> extends infer Each
    ? Each extends { call_id: string }
      ? Omit<Each, 'call_id'>
      : never
    : never;

export interface AskLimits {
  /** Milliseconds from the time at which the process gets the request. After them the process is killed. */
  workMs: number;
  /** Longest wait for earlier requests, in milliseconds; default: unlimited. */
  turnMs?: number;
}

export interface ProcessOptions {
  host: HostProgram;
  /** Address at which a debugger may attach; absent: none may. */
  debugger?: string | undefined;
  /** Called when the process has ended. */
  onGone?: () => void;
  timers: Timers;
  log: Log;
  lend: Lend;
}

interface Open {
  id: string;
  resolve(value: JsonObject): void;
  reject(error: ServiceError): void;
}

/** The child process of one optimizer. It gets one request at a time. Its failures cannot end this process. */
export class OptimizerProcess {
  readonly #child: ForkedProcess<ToOptimizer, FromOptimizer>;
  readonly #timers: ProcessOptions['timers'];
  readonly #lend: Lend;
  /** Aborted at the end of the process. */
  readonly #ending = new AbortController();
  readonly #debugger: string | undefined;
  #log: Log;
  #open: Open | undefined;
  #waiting: (() => void)[] = [];
  #busy = false;
  #asked = 0;
  #over: string | undefined;
  #version: string | undefined;
  #killedFor: string | undefined;
  #ended: (reason: string) => void = () => undefined;

  constructor({ host, timers, log, lend, debugger: address, onGone }: ProcessOptions) {
    this.#timers = timers;
    this.#lend = lend;
    this.#debugger = address;
    this.#log = log;
    this.#child = new ForkedProcess<ToOptimizer, FromOptimizer>({
      host,
      messages: heard,
      log,
      ...(onGone === undefined ? {} : { onGone }),
    });
    this.#child.onMessage((message) => this.#hear(message));
    this.#child.onExit((exit) => this.#end(exit));
    this.#giveWay();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Version of Node or Python, as the process has said; undefined: it has not. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Where a person may hold the process at a breakpoint at this moment; undefined: nobody does. */
  get heldAt(): string | undefined {
    return this.#busy && this.#over === undefined ? this.#debugger : undefined;
  }

  /** Resolves when no request is in progress. */
  async idle(): Promise<void> {
    await this.#turn(Infinity);
    this.#next();
  }

  /** Why the process ended; undefined: it runs. */
  get over(): string | undefined {
    return this.#over;
  }

  /** Sets the receiver of its output and of its end. The end is reported once, also after {@link kill}. */
  adopt(log: Log, ended: (reason: string) => void): void {
    this.#log = log;
    this.#ended = ended;
  }

  /**
   * Sends a request when all earlier requests are answered.
   *
   * @throws ServiceError `invalid` and `optimizer_error` as the process answers; `optimizer_unavailable` when the
   *   process ends without an answer, is killed because its time is over, or was not free in time. A process that a person may
   *   hold at a breakpoint has all the time.
   */
  async ask(question: Question, { workMs, turnMs = Infinity }: AskLimits): Promise<JsonObject> {
    await this.#turn(turnMs);
    const late = (): void => this.kill(`it gave no answer to "${question.type}" within ${workMs / 1_000} s`);
    const cancel = this.#debugger === undefined ? this.#timers.after(workMs, late) : (): void => undefined;
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        if (this.#over !== undefined) throw this.#gone();
        const id = String((this.#asked += 1));
        this.#open = { id, resolve, reject };
        this.#child.send({ ...question, call_id: id } as ToOptimizer);
      });
    } finally {
      cancel();
      this.#open = undefined;
      this.#next();
    }
  }

  kill(reason: string): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }

  #turn(turnMs: number): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      let cancel = (): void => undefined;
      const begin = (): void => {
        cancel();
        resolve();
      };
      this.#waiting.push(begin);
      if (turnMs === Infinity) return;
      cancel = this.#timers.after(turnMs, () => {
        this.#waiting = this.#waiting.filter((each) => each !== begin);
        const busy = 'The optimizer computes at present; try again in a while';
        reject(new ServiceError('optimizer_unavailable', busy, { retryAfterS: 10 }));
      });
    });
  }

  #hear(message: FromOptimizer): void {
    if (message.type === 'log') {
      this.#log[message.level](message.text);
      return;
    }
    if (message.type === 'call') {
      void this.#serve(message);
      return;
    }
    const open = this.#open;
    if (open?.id !== message.call_id) return;
    if (message.type === 'result') {
      this.#version = message.version ?? this.#version;
      open.resolve(message.value);
      return;
    }
    const { code, error, faults } = message;
    open.reject(
      new ServiceError(code, messageWithPlace(error), {
        faults: faults.map(({ hint, ...fault }) => (hint === undefined ? fault : { ...fault, hint })),
        ...(error.stack === undefined ? {} : { authorStack: error.stack }),
      }),
    );
  }

  /** Answers a call of the process. It never throws. */
  async #serve({
    call_id,
    function: name,
    arguments: args,
  }: FromOptimizer & { type: 'call' }): Promise<void> {
    try {
      const value = await this.#lend(name, args, this.#ending.signal);
      this.#child.send({ type: 'call_result', call_id, value });
    } catch (error) {
      const isInvalid = isServiceError(error) && error.code === 'invalid';
      this.#child.send({
        type: 'call_failure',
        call_id,
        code: isInvalid ? 'invalid' : 'internal',
        error: { message: error instanceof Error ? error.message : String(error) },
        faults: isInvalid
          ? error.faults.map(({ hint, ...fault }) => ({ ...fault, ...(hint === undefined ? {} : { hint }) }))
          : [],
      });
    }
  }

  #end(exit: ForkedExit): void {
    this.#ending.abort();
    const words = exit.lastStderr === null ? '' : `: ${exit.lastStderr}`;
    this.#over = this.#killedFor ?? `it ended with ${exitText(exit)}${words}`;
    this.#open?.reject(this.#gone());
    this.#ended(this.#over);
  }

  #gone(): ServiceError {
    return new ServiceError('optimizer_unavailable', `The process of the optimizer is gone: ${this.#over}`);
  }

  #giveWay(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      setPriority(pid, niceness);
    } catch (error) {
      // The process has ended, or the system refuses. The optimizer works without the priority.
      this.#log.debug('the priority of an optimizer stays as it is', { reason: String(error) });
    }
  }
}
