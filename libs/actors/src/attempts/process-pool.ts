import { isolation, ServiceError, type FromTask, type Isolation } from '@lab/contracts';
import { backoffMs, type Clock, type Timers } from '@lab/ports';
import {
  describeExit,
  type AgentLimits,
  type AgentLog,
  type ProcessExit,
  type TaskProcess,
  type TaskProcesses,
} from '../ports/index.js';

/** A process lent to one task. */
export interface Lease {
  readonly process: TaskProcess;
  /** Sends messages and the exit to this listener from now on. An exit that already happened is reported at once. */
  listen(listener: { message(message: FromTask): void; exit(exit: ProcessExit): void }): void;
  /** Gives the process back. With `reuse` it is kept when it sends `waiting` again; otherwise it is ended. */
  release(options: { reuse: boolean }): void;
}

type Phase = 'starting' | 'warm' | 'leased' | 'returning' | 'dying';

interface Worker {
  readonly process: TaskProcess;
  phase: Phase;
  uses: number;
  /** Of the tasks that it has run; undefined: none yet. */
  isolation: Isolation | undefined;
  /** It sent `waiting` again before it was given back. */
  again: boolean;
  listener: { message(message: FromTask): void; exit(exit: ProcessExit): void } | undefined;
  exit: ProcessExit | undefined;
  cancelTimer: () => void;
}

interface Waiter {
  readonly isolation: Isolation;
  grant(worker: Worker): void;
  refuse(error: ServiceError): void;
}

/**
 * Task processes, some of them started ahead, so that a task does not wait for a start.
 *
 * Guarantees: there are never more than `poolMax` processes, including dying ones. A task gets a process that has run nothing,
 * or only tasks of its isolation; a single-use task always gets one that has run nothing. Tasks of one isolation get processes
 * in the order of their requests, and no task waits for a process that idles.
 */
export class ProcessPool {
  readonly #workers = new Set<Worker>();
  readonly #waiters: Waiter[] = [];
  #failedStarts = 0;
  #cancelPause: (() => void) | undefined;
  #cancelRefill: (() => void) | undefined;
  #closing: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly ports: { clock: Clock; timers: Timers; processes: TaskProcesses; log: AgentLog },
    private readonly limits: AgentLimits,
  ) {}

  /** Starts the first processes. */
  open(): void {
    this.#fill(true);
  }

  /** Number of processes, in all or in one phase. */
  count(phase?: Phase): number {
    if (phase === undefined) return this.#workers.size;
    return [...this.#workers].filter((worker) => worker.phase === phase).length;
  }

  /**
   * Takes a warm process, as soon as there is one.
   *
   * @throws ServiceError `aborted` when the signal fires first, `service_unavailable` when the pool is closed
   */
  take(isolation: Isolation, signal?: AbortSignal): Promise<Lease> {
    if (this.#closed !== undefined) return Promise.reject(closedError());
    if (signal?.aborted === true) return Promise.reject(withdrawnError());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(withdrawnError());
      };
      const waiter: Waiter = {
        isolation,
        grant: (worker) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(this.#lease(worker));
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort);
      this.#waiters.push(waiter);
      this.#serve();
    });
  }

  /** Ends all processes, including leased ones. Resolves when they have ended. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#closing = resolve;
    });
    this.#cancelPause?.();
    this.#cancelRefill?.();
    for (const waiter of this.#waiters.splice(0)) waiter.refuse(closedError());
    for (const worker of this.#workers) this.#end(worker);
    if (this.#workers.size === 0) this.#closing?.();
    return this.#closed;
  }

  #lease(worker: Worker): Lease {
    let released = false;
    return {
      process: worker.process,
      listen: (listener) => {
        worker.listener = listener;
        if (worker.exit !== undefined) listener.exit(worker.exit);
      },
      release: ({ reuse }) => {
        if (released) return;
        released = true;
        worker.listener = undefined;
        if (worker.exit !== undefined || worker.phase !== 'leased') return;
        if (!reuse || worker.uses >= this.limits.poolUses || this.#closed !== undefined) {
          this.#end(worker);
          return;
        }
        worker.phase = 'returning';
        if (worker.again) {
          this.#warm(worker);
          return;
        }
        worker.cancelTimer = this.ports.timers.after(this.limits.poolReturnMs, () => this.#end(worker));
      },
    };
  }

  #start(): void {
    const worker: Worker = {
      process: this.ports.processes.start(),
      phase: 'starting',
      uses: 0,
      isolation: undefined,
      again: false,
      listener: undefined,
      exit: undefined,
      cancelTimer: () => undefined,
    };
    this.#workers.add(worker);
    worker.process.onMessage((message) => this.#receive(worker, message));
    worker.process.onExit((exit) => this.#exited(worker, exit));
    worker.cancelTimer = this.ports.timers.after(this.limits.poolStartMs, () => {
      this.ports.log.error('a task process did not get warm in time');
      this.#failedStarts += 1;
      this.#end(worker);
    });
  }

  #receive(worker: Worker, message: FromTask): void {
    if (message.type === 'waiting') {
      if (worker.phase === 'starting') this.#failedStarts = 0;
      if (worker.phase === 'leased') worker.again = true;
      if (worker.phase === 'starting' || worker.phase === 'returning') this.#warm(worker);
      return;
    }
    if (worker.listener !== undefined) {
      worker.listener.message(message);
      return;
    }
    if (message.type === 'log') this.ports.log[message.level](message.text);
  }

  #warm(worker: Worker): void {
    worker.cancelTimer();
    worker.again = false;
    worker.phase = 'warm';
    // Set before `#serve`, which cancels it if it lends the process at once.
    worker.cancelTimer =
      worker.uses === 0
        ? () => undefined
        : this.ports.timers.after(this.limits.poolIdleMs, () => this.#end(worker));
    this.#serve();
  }

  #exited(worker: Worker, exit: ProcessExit): void {
    worker.cancelTimer();
    worker.exit = exit;
    this.#workers.delete(worker);
    if (worker.phase === 'starting') {
      this.#failedStarts += 1;
      this.ports.log.error('a task process ended before it was warm', { how: describeExit(exit) });
    }
    worker.listener?.exit(exit);
    if (this.#closed !== undefined) {
      if (this.#workers.size === 0) this.#closing?.();
      return;
    }
    if (this.#failedStarts === 0) this.#serve();
    else this.#pause();
  }

  /** Waits before the next start, so that processes that cannot start are not tried in a tight loop. */
  #pause(): void {
    if (this.#cancelPause !== undefined) return;
    const { retryMs: first, retryMaxMs: longest } = this.limits;
    const ms = backoffMs(this.#failedStarts, { first, longest });
    this.#cancelPause = this.ports.timers.after(ms, () => {
      this.#cancelPause = undefined;
      this.#serve();
    });
  }

  #serve(): void {
    for (let index = 0; index < this.#waiters.length;) {
      const waiter = this.#waiters[index];
      const worker = waiter === undefined ? undefined : this.#find(waiter.isolation);
      if (waiter === undefined || worker === undefined) {
        index += 1;
        continue;
      }
      this.#waiters.splice(index, 1);
      worker.cancelTimer();
      worker.phase = 'leased';
      worker.uses += 1;
      worker.isolation = waiter.isolation;
      waiter.grant(worker);
    }
    this.#fill();
  }

  #find(isolation: Isolation): Worker | undefined {
    let fresh: Worker | undefined;
    for (const worker of this.#workers) {
      if (worker.phase !== 'warm') continue;
      // A process that ran a single-use task never gets warm again.
      if (worker.isolation === isolation) return worker;
      if (worker.uses === 0) fresh ??= worker;
    }
    return fresh;
  }

  /** Starts the processes that waiting tasks need at once, and those that should be warm a little later. */
  #fill(warm = false): void {
    if (this.#closed !== undefined || this.#cancelPause !== undefined) return;
    const ready = [...this.#workers].filter(({ uses, phase }) => uses === 0 && isComing(phase)).length;
    const free = this.limits.poolMax - this.#workers.size;
    const wanted = isolation.options.reduce((sum, each) => sum + this.#unserved(each), 0) - ready;
    if (wanted > 0 && free <= 0) this.#evictUsed();
    const missing = wanted + this.limits.poolSize;
    for (let n = Math.min(warm ? missing : wanted, free); n > 0; n -= 1) this.#start();
    if (warm || missing <= Math.max(wanted, 0) || free <= 0) return;
    this.#cancelRefill ??= this.ports.timers.after(this.limits.poolRefillMs, () => {
      this.#cancelRefill = undefined;
      this.#fill(true);
    });
  }

  /** Number of tasks that wait, and get none of the processes that return from other tasks. */
  #unserved(isolation: Isolation): number {
    const waiting = this.#waiters.filter((waiter) => waiter.isolation === isolation).length;
    const returning = [...this.#workers].filter(
      (worker) => worker.phase === 'returning' && worker.isolation === isolation,
    ).length;
    return Math.max(0, waiting - returning);
  }

  /** Ends an idle used process to make room for a task of another isolation. */
  #evictUsed(): void {
    for (const worker of this.#workers) {
      if (worker.phase === 'warm' && worker.uses > 0) {
        this.#end(worker);
        return;
      }
    }
  }

  #end(worker: Worker): void {
    if (worker.phase === 'dying') return;
    worker.cancelTimer();
    worker.phase = 'dying';
    worker.process.kill('SIGKILL');
  }
}

function isComing(phase: Phase): boolean {
  return phase === 'starting' || phase === 'warm';
}

function closedError(): ServiceError {
  return new ServiceError('service_unavailable', 'the agent is stopping');
}

function withdrawnError(): ServiceError {
  return new ServiceError('aborted', 'cancelled before a process was free');
}
