import type { ExactAnswer, ExactRequest, ExactSolver, Ongoing, PlanLog, Problem } from '@lab/scheduling';
import { CpSatChild } from './cp-sat-child.js';

export interface CpSatSolverOptions {
  /** Solver processes at a time. */
  workers: number;
  log: PlanLog;
  /** The program of a process; the one beside this file. */
  program?: URL;
  /** Milliseconds without a problem after which a process is ended; 2 minutes. */
  idleMs?: number;
  /** Milliseconds that a process may take until it is ready; 60 s. */
  startLimitMs?: number;
  /** Bytes that a process may keep between problems; 600 MB. */
  memoryLimit?: number;
}

/** A process is killed so many milliseconds after the limit of a solve. */
const graceMs = 500;
/** So many deaths in a row, without an answer between, mean that there is no solver here. */
const deathsInARow = 3;

interface Solve {
  problem: Problem;
  request: ExactRequest;
  settle: (answer: ExactAnswer) => void;
  /** The process that works on it; null as long as none does. */
  child: CpSatChild | null;
  cancelled: boolean;
}

/** A place for a process, with the process when there is one. */
interface Seat {
  child: CpSatChild | null;
  taken: boolean;
  idle: NodeJS.Timeout | undefined;
}

/**
 * CP-SAT in processes of its own, for it blocks where it runs and ends what it runs in when it fails. They are started by
 * the first problems, kept warm between problems, and ended when they have none for a while or have grown too large.
 * More problems than there are processes wait in order. Without the package, or when it does not work here, it says so
 * once and answers `unavailable` from then on.
 */
export class CpSatSolver implements ExactSolver {
  readonly workers: number;
  readonly #log: PlanLog;
  readonly #program: URL;
  readonly #idleMs: number;
  readonly #startLimitMs: number;
  readonly #memoryLimit: number;
  readonly #seats: Seat[];
  readonly #waiting: Solve[] = [];
  readonly #living = new Set<CpSatChild>();
  #available = true;
  #stopped = false;
  #deaths = 0;

  constructor({ workers, log, program, idleMs, startLimitMs, memoryLimit }: CpSatSolverOptions) {
    this.workers = workers;
    this.#log = log;
    this.#program = program ?? new URL('./cp-sat-process.js', import.meta.url);
    this.#idleMs = idleMs ?? 120_000;
    this.#startLimitMs = startLimitMs ?? 60_000;
    this.#memoryLimit = memoryLimit ?? 600_000_000;
    this.#seats = Array.from({ length: workers }, () => ({ child: null, taken: false, idle: undefined }));
  }

  get available(): boolean {
    return this.#available;
  }

  /** The processes that live. */
  pids(): number[] {
    return [...this.#living].flatMap(({ pid }) => pid ?? []);
  }

  solve(problem: Problem, request: ExactRequest): Ongoing<ExactAnswer> {
    const solve: Solve = { problem, request, settle: () => undefined, child: null, cancelled: false };
    const done = new Promise<ExactAnswer>((resolve) => (solve.settle = resolve));
    if (!this.#available || this.#stopped) solve.settle(answers.unavailable);
    else this.#waiting.push(solve);
    this.#seatNext();
    return { done, cancel: () => this.#cancel(solve) };
  }

  /** Ends the processes; what they solve or would have solved is answered `unknown`. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const solve of this.#waiting.splice(0)) solve.settle(answers.unknown);
    for (const seat of this.#seats) clearTimeout(seat.idle);
    const living = [...this.#living];
    for (const child of living) child.kill();
    await Promise.all(living.map(({ exited }) => exited));
  }

  #seatNext(): void {
    const free = this.#seats.filter(({ taken }) => !taken);
    // One that is warm before one that would have to be started.
    const seat = free.find(({ child }) => child !== null) ?? free[0];
    if (seat === undefined || this.#waiting.length === 0) return;
    const solve = this.#waiting.shift() as Solve;
    seat.taken = true;
    clearTimeout(seat.idle);
    void this.#solveOn(seat, solve).then((answer) => {
      solve.settle(answer);
      seat.taken = false;
      if (!this.#stopped) seat.idle = setTimeout(() => this.#retire(seat), this.#idleMs).unref();
      this.#seatNext();
    });
    this.#seatNext();
  }

  async #solveOn(seat: Seat, solve: Solve): Promise<ExactAnswer> {
    if (this.#stopped) return answers.unknown;
    const child = (seat.child ??= this.#startChild(seat));
    const start = await child.started;
    if (!start.ready) return this.#lost(seat, start);
    if (solve.cancelled) return answers.unknown;
    solve.child = child;
    const { problem, request } = solve;
    const end = await child.solve(problem, request, request.timeLimitMs + graceMs);
    solve.child = null;
    if (end.type === 'died') {
      if (end.killed && !solve.cancelled && !this.#stopped)
        this.#log.warn('CP-SAT did not keep its limit of time, and its process is replaced');
      const answer = this.#lost(seat, end);
      // The next one shall find it warm.
      if (solve.cancelled && !this.#stopped) seat.child = this.#startChild(seat);
      return answer;
    }
    this.#deaths = 0;
    if (end.memory > this.#memoryLimit) this.#retire(seat);
    if (end.fault !== null) this.#log.error('an answer of CP-SAT is of no use', { reason: end.fault });
    return end.answer;
  }

  /** A process ended, or cannot solve. */
  #lost(seat: Seat, { reason, killed, hopeless = false }: Loss): ExactAnswer {
    this.#retire(seat);
    if (killed) return answers.unknown;
    this.#deaths += 1;
    if (hopeless || this.#deaths >= deathsInARow) return this.#giveUp(reason);
    this.#log.warn('a process of CP-SAT died', { reason });
    return answers.unknown;
  }

  #giveUp(reason: string): ExactAnswer {
    if (this.#available)
      this.#log.warn('CP-SAT cannot be used here: plans are made without proofs', { reason });
    this.#available = false;
    for (const solve of this.#waiting.splice(0)) solve.settle(answers.unavailable);
    return answers.unavailable;
  }

  #startChild(seat: Seat): CpSatChild {
    const child = new CpSatChild(this.#program, this.#startLimitMs);
    this.#living.add(child);
    void child.exited.then(() => {
      this.#living.delete(child);
      // It died with nothing to do.
      if (seat.child === child && !seat.taken) seat.child = null;
    });
    return child;
  }

  #retire(seat: Seat): void {
    seat.child?.kill();
    seat.child = null;
  }

  #cancel(solve: Solve): void {
    const place = this.#waiting.indexOf(solve);
    if (place !== -1) this.#waiting.splice(place, 1);
    solve.cancelled = true;
    solve.settle(answers.unknown);
    // Nothing else ends a solve. A process that is only starting is of use to the next one.
    solve.child?.kill();
  }
}

interface Loss {
  reason: string;
  /** By us. */
  killed: boolean;
  /** Another process would do no better. */
  hopeless?: boolean;
}

const answers = {
  unknown: { status: 'unknown', schedule: null, lowerBound: null },
  unavailable: { status: 'unavailable', schedule: null, lowerBound: null },
} satisfies Record<string, ExactAnswer>;
