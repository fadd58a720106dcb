import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  fromOptimizer,
  ServiceError,
  zodSchema,
  type FromOptimizer,
  type JsonObject,
  type ToOptimizer,
} from '@lab/contracts';
import { ForkedProcess, type ForkedExit } from '@lab/hosting';
import { exitText, type Log } from '@lab/runtime';

/** The program, built; the same path from the sources and from the build. */
const program = fileURLToPath(new URL('../dist/child.js', import.meta.url));
const heard = zodSchema(fromOptimizer);

/** Below whatever moves instruments on the same computer; a computer that only optimizes loses nothing by it. */
const niceness = 10;

/** A question without the id under which it is asked. */
export type Question = ToOptimizer extends infer Each
  ? Each extends { call_id: string }
    ? Omit<Each, 'call_id'>
    : never
  : never;

export interface AskLimits {
  /** Milliseconds from the time it is asked the process; then the process is killed. */
  workMs: number;
  /** Milliseconds that it may wait for other questions to be answered; default: any time. */
  turnMs?: number;
}

export interface ProcessOptions {
  /** Memory for JavaScript objects, in mebibytes. */
  memoryMb: number;
  timers: { after(ms: number, callback: () => void): () => void };
  log: Log;
}

interface Open {
  id: string;
  resolve(value: JsonObject): void;
  reject(error: ServiceError): void;
}

/** The child process of one optimizer, asked one question at a time. Whatever it does ends itself at most. */
export class OptimizerProcess {
  readonly #child: ForkedProcess<ToOptimizer, FromOptimizer>;
  readonly #timers: ProcessOptions['timers'];
  #log: Log;
  #open: Open | undefined;
  #waiting: (() => void)[] = [];
  #busy = false;
  #asked = 0;
  #over: string | undefined;
  #killedFor: string | undefined;
  #ended: (reason: string) => void = () => undefined;

  constructor({ memoryMb, timers, log }: ProcessOptions) {
    this.#timers = timers;
    this.#log = log;
    this.#child = new ForkedProcess<ToOptimizer, FromOptimizer>({
      host: program,
      nodeOptions: [`--max-old-space-size=${memoryMb}`],
      messages: heard,
      log,
    });
    this.#child.onMessage((message) => this.#hear(message));
    this.#child.onExit((exit) => this.#end(exit));
    this.#giveWay();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Why it ended; undefined while it runs. */
  get over(): string | undefined {
    return this.#over;
  }

  /** What it prints goes there from now on, and its end is told once, also one that {@link kill} brings. */
  adopt(log: Log, ended: (reason: string) => void): void {
    this.#log = log;
    this.#ended = ended;
  }

  /**
   * Asks, once all earlier questions are answered.
   *
   * @throws ServiceError `invalid` and `optimizer_error` as the process answers; `optimizer_unavailable` when it ends before it
   *   does, has to be killed because the time is over, or had no turn in time
   */
  async ask(question: Question, { workMs, turnMs = Infinity }: AskLimits): Promise<JsonObject> {
    await this.#turn(turnMs);
    const cancel = this.#timers.after(workMs, () =>
      this.kill(`it gave no answer to "${question.type}" within ${workMs / 1_000} s`),
    );
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
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy = false;
      else next();
    }
  }

  kill(reason: string): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
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
    const open = this.#open;
    if (open?.id !== message.call_id) return;
    if (message.type === 'result') {
      open.resolve(message.value);
      return;
    }
    const { code, error, faults } = message;
    open.reject(
      new ServiceError(code, error.message, {
        faults: faults.map(({ hint, ...fault }) => (hint === undefined ? fault : { ...fault, hint })),
        ...(error.stack === undefined ? {} : { authorStack: error.stack }),
      }),
    );
  }

  #end(exit: ForkedExit): void {
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
      // It is gone already, or the system does not allow it; it works all the same.
      this.#log.debug('the priority of an optimizer stays as it is', { reason: String(error) });
    }
  }
}
