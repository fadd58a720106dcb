import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { processEnvironment } from '@lab/runtime';
import type { ExactAnswer, ExactRequest, Problem } from '@lab/scheduling';
import type { SolveOrder, SolverNews } from './cp-sat-messages.js';

/** The outcome of a solve: an answer, or that the process died, why, and whether the caller killed it. */
export type SolveEnd =
  | { type: 'answer'; answer: ExactAnswer; fault: string | null; memory: number }
  | { type: 'died'; reason: string; killed: boolean };

/** The outcome of a start. */
export type StartEnd =
  | { ready: true }
  | {
      ready: false;
      reason: string;
      killed: boolean;
      /** True when another process could not solve either. */ hopeless: boolean;
    };

/** One solver process. It starts at once, solves one problem at a time, and ends with {@link kill}. */
export class CpSatChild {
  /** Settles when the process can solve, or never will. */
  readonly started: Promise<StartEnd>;
  /** Settles when the process has ended. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  #answered: ((end: SolveEnd) => void) | null = null;
  #lastId = 0;
  #lastLine: string | null = null;
  #killed = false;
  #ended = false;

  /** @param startLimitMs milliseconds after which a process that is not ready is killed */
  constructor(program: URL, startLimitMs: number) {
    const child = fork(program, [], {
      // The process does not get the settings of the service, because they hold secrets.
      env: Object.fromEntries(
        Object.entries(processEnvironment()).filter(([name]) => !name.startsWith('SVC_')),
      ),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    if (child.stderr !== null)
      createInterface({ input: child.stderr, crlfDelay: Infinity }).on('line', (line) => {
        if (line.trim() !== '') this.#lastLine = line;
      });
    // The channel or the pipe of a process that has just died. The `exit` event reports the end.
    child.stdin?.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => {
        if (child.pid === undefined) resolve();
      });
    });
    this.started = new Promise((resolve) => {
      const limit = setTimeout(() => {
        this.#lastLine = `it was not ready within ${startLimitMs / 1_000} s`;
        child.kill('SIGKILL');
      }, startLimitMs);
      child.on('message', (news: SolverNews) => {
        if (news.type === 'answer') return this.#hear(news);
        clearTimeout(limit);
        resolve(
          news.type === 'ready'
            ? { ready: true }
            : { ready: false, reason: news.reason, killed: false, hopeless: true },
        );
      });
      child.on('error', (error) => (this.#lastLine ??= error.message));
      void this.exited.then(() => {
        clearTimeout(limit);
        this.#ended = true;
        resolve({ ready: false, reason: this.#reason(), killed: this.#killed, hopeless: false });
        this.#answer({ type: 'died', reason: this.#reason(), killed: this.#killed });
      });
    });
    // The service does not wait for the process when it ends. The process notices by its standard input.
    child.unref();
    child.channel?.unref();
    for (const stream of [child.stdin, child.stderr])
      (stream as unknown as { unref(): void } | null)?.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @param limitMs milliseconds after which the process is killed, even if the solver has not reached its own limit */
  solve(problem: Problem, request: ExactRequest, limitMs: number): Promise<SolveEnd> {
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      const limit = setTimeout(() => this.kill(), limitMs);
      this.#answered = (end) => {
        clearTimeout(limit);
        resolve(end);
      };
      if (this.#ended) return this.#answer({ type: 'died', reason: this.#reason(), killed: this.#killed });
      const order: SolveOrder = { id, problem, request };
      this.#child.send(order, (error) => {
        if (error !== null) this.#child.kill('SIGKILL');
      });
    });
  }

  /** Kills the process within milliseconds, also in the middle of a solve. */
  kill(): void {
    this.#killed = true;
    this.#child.kill('SIGKILL');
  }

  #hear({ id, answer, fault, memory }: Extract<SolverNews, { type: 'answer' }>): void {
    if (id === this.#lastId) this.#answer({ type: 'answer', answer, fault, memory });
  }

  #answer(end: SolveEnd): void {
    this.#answered?.(end);
    this.#answered = null;
  }

  #reason(): string {
    const { exitCode, signalCode } = this.#child;
    return this.#lastLine ?? `it ended with ${signalCode ?? exitCode}`;
  }
}
