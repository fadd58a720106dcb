import { isolation, ServiceError, type FromTask, type Isolation } from '@lab/contracts';
import { backoffMs, type Clock, type Timers } from '@lab/ports';
import {
  describeExit,
  type AgentLimits,
  type AgentLog,
  type HostKind,
  type ProcessExit,
  type TaskProcess,
  type TaskProcesses,
} from '../ports/index.js';

/** What a task demands of its process. */
export interface Demand {
  isolation: Isolation;
  kind: HostKind;
}

/** A process lent to one task. */
export interface Lease {
  readonly process: TaskProcess;
  /** Version of Node or Python, as the process has said; undefined: it has not. */
  readonly version: string | undefined;
  /** Sends messages and the exit to this listener from now on. An exit that already happened is reported at once. */
  listen(listener: { message(message: FromTask): void; exit(exit: ProcessExit): void }): void;
  /** Gives the process back. With `reuse` it is kept when it sends `waiting` again; otherwise it is ended. */
  release(options: { reuse: boolean }): void;
}

type Phase = 'starting' | 'warm' | 'leased' | 'returning' | 'dying';

interface Worker {
  readonly process: TaskProcess;
  readonly kind: HostKind;
  phase: Phase;
  uses: number;
  /** Of the tasks that it has run; undefined: none yet. */
  isolation: Isolation | undefined;
  /** It sent `waiting` again before it was given back. */
  again: boolean;
  /** Version of Node or Python. */
  version: string | undefined;
  listener: { message(message: FromTask): void; exit(exit: ProcessExit): void } | undefined;
  exit: ProcessExit | undefined;
  cancelTimer: () => void;
}

interface Waiter extends Readonly<Demand> {
  grant(worker: Worker): void;
  refuse(error: ServiceError): void;
}

/** Most kinds with libraries of which processes are started ahead. */
const mostWithLibraries = 3;

/** Processes of kinds with the same key can execute the same tasks. */
const keyOf = ({ runtime, environment = '', debugged = '' }: HostKind): string =>
  `${runtime} ${environment} ${debugged}`;

/**
 * Task processes, some of them started ahead, so that a task does not wait for a start.
 *
 * Guarantees: there are never more than `poolMax` processes of all kinds, including dying ones. A task gets a process of its
 * kind that has run nothing, or only tasks of its isolation; a single-use task always gets one that has run nothing. Tasks of
 * one kind and isolation get processes in the order of their requests, and no task waits for a process that idles. Processes
 * of Node are started ahead from the begin on, those of another kind when a task has needed one. Of the kinds with libraries, only
 * those that were needed last are started ahead, because each change of a lock is another kind.
 */
export class ProcessPool {
  readonly #workers = new Set<Worker>();
  readonly #waiters: Waiter[] = [];
  /** The kinds whose processes are started ahead, those that were needed last at the end. */
  readonly #kinds = new Map<string, HostKind>([[keyOf({ runtime: 'node' }), { runtime: 'node' }]]);
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
  take({ isolation, kind }: Demand, signal?: AbortSignal): Promise<Lease> {
    if (this.#closed !== undefined) return Promise.reject(closedError());
    if (signal?.aborted === true) return Promise.reject(withdrawnError());
    this.#note(kind);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(withdrawnError());
      };
      const waiter: Waiter = {
        ...{ isolation, kind },
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
      version: worker.version,
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

  /** Starts processes of a kind ahead from now on. If there are too many kinds with libraries, forgets the one that was needed first. */
  #note(kind: HostKind): void {
    const key = keyOf(kind);
    this.#kinds.delete(key);
    this.#kinds.set(key, kind);
    const withLibraries = [...this.#kinds].filter(([, { environment }]) => environment !== undefined);
    const [old] = withLibraries.length > mostWithLibraries ? withLibraries : [];
    if (old === undefined || this.#waiters.some((waiter) => keyOf(waiter.kind) === old[0])) return;
    this.#kinds.delete(old[0]);
    for (const worker of this.#workers)
      if (keyOf(worker.kind) === old[0] && isComing(worker.phase)) this.#end(worker);
  }

  #start(kind: HostKind): void {
    const worker: Worker = {
      process: this.ports.processes.start(kind),
      kind,
      phase: 'starting',
      uses: 0,
      isolation: undefined,
      again: false,
      version: undefined,
      listener: undefined,
      exit: undefined,
      cancelTimer: () => undefined,
    };
    this.#workers.add(worker);
    worker.process.onMessage((message) => this.#receive(worker, message));
    worker.process.onExit((exit) => this.#exited(worker, exit));
    // Such a process waits until a person has attached the debugger.
    if (worker.process.debugger !== undefined) return;
    worker.cancelTimer = this.ports.timers.after(this.limits.poolStartMs, () => {
      this.ports.log.error('a task process did not get warm in time');
      this.#failedStarts += 1;
      this.#end(worker);
    });
  }

  #receive(worker: Worker, message: FromTask): void {
    if (message.type === 'waiting') {
      worker.version = message.version ?? worker.version;
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
      const worker = waiter === undefined ? undefined : this.#find(waiter);
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

  #find({ isolation, kind }: Demand): Worker | undefined {
    let fresh: Worker | undefined;
    for (const worker of this.#workers) {
      if (worker.phase !== 'warm' || keyOf(worker.kind) !== keyOf(kind)) continue;
      // A process that ran a single-use task never gets warm again.
      if (worker.isolation === isolation) return worker;
      if (worker.uses === 0) fresh ??= worker;
    }
    return fresh;
  }

  /** Starts the processes that waiting tasks need at once, and those that should be warm a little later. */
  #fill(warm = false): void {
    if (this.#closed !== undefined || this.#cancelPause !== undefined) return;
    let free = this.limits.poolMax - this.#workers.size;
    const start = (kind: HostKind, count: number): void => {
      for (let n = Math.min(count, free); n > 0; n -= 1, free -= 1) this.#start(kind);
    };
    const kinds = [...this.#kinds.values()].map((kind) => ({ kind, wanted: this.#wanted(kind) }));
    if (free <= 0 && kinds.some(({ wanted }) => wanted > 0)) this.#evict(kinds);
    for (const { kind, wanted } of kinds) start(kind, wanted);
    const ahead = kinds
      .map(({ kind, wanted }) => ({ kind, count: this.limits.poolSize + Math.min(wanted, 0) }))
      // Each process with a debugger takes a port.
      .filter(({ kind, count }) => count > 0 && kind.debugged === undefined);
    if (warm) for (const { kind, count } of ahead) start(kind, count);
    if (warm || ahead.length === 0 || free <= 0) return;
    this.#cancelRefill ??= this.ports.timers.after(this.limits.poolRefillMs, () => {
      this.#cancelRefill = undefined;
      this.#fill(true);
    });
  }

  /** Number of processes of a kind that waiting tasks need; below 0: so many are left over. */
  #wanted(kind: HostKind): number {
    const fresh = [...this.#workers].filter(
      (worker) => keyOf(worker.kind) === keyOf(kind) && worker.uses === 0 && isComing(worker.phase),
    );
    const unserved = isolation.options.map((each) => this.#unserved({ isolation: each, kind }));
    return unserved.reduce((sum, each) => sum + each, 0) - fresh.length;
  }

  /** Number of tasks that wait, and get none of the processes that return from other tasks. */
  #unserved(demand: Demand): number {
    const isSame = (each: { isolation: Isolation | undefined; kind: HostKind }): boolean =>
      each.isolation === demand.isolation && keyOf(each.kind) === keyOf(demand.kind);
    const waiting = this.#waiters.filter(isSame).length;
    const returning = [...this.#workers].filter((each) => each.phase === 'returning' && isSame(each)).length;
    return Math.max(0, waiting - returning);
  }

  /** Ends an idle process to make room for a task that cannot use it: one that ran tasks, or else one that is left over. */
  #evict(kinds: readonly { kind: HostKind; wanted: number }[]): void {
    const idle = [...this.#workers].filter(({ phase }) => phase === 'warm');
    const isLeftOver = ({ kind }: Worker): boolean =>
      kinds.some((each) => keyOf(each.kind) === keyOf(kind) && each.wanted < 0);
    const worker = idle.find(({ uses }) => uses > 0) ?? idle.find(isLeftOver);
    if (worker !== undefined) this.#end(worker);
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
