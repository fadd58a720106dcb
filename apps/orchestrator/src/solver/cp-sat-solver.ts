import type { ExactAnswer, ExactRequest, ExactSolver, Ongoing, PlanLog, Problem } from '@lab/scheduling';
import { CpSatChild } from './cp-sat-child.js';

export interface CpSatSolverOptions {
  /** Number of solver processes at a time. */
  workers: number;
  log: PlanLog;
  /** Program of a process; by default the one beside this file. */
  program?: URL;
  /** Milliseconds without a problem after which a process is ended. Default 2 minutes. */
  idleMs?: number;
  /** Milliseconds within which a process must be ready. Default 60 s. */
  startLimitMs?: number;
  /** Memory that a process may keep between problems, in bytes. Default 600 MB. */
  memoryLimit?: number;
}

const usual = { idleMs: 120_000, startLimitMs: 60_000, memoryLimit: 600_000_000 };

/** Milliseconds after the limit of a solve at which the process is killed. */
const graceMs = 500;
/** Number of deaths in a row, without an answer between, after which the solver counts as unavailable. */
const deathsInARow = 3;

interface Solve {
  problem: Problem;
  request: ExactRequest;
  settle: (answer: ExactAnswer) => void;
  /** The process that works on the problem; null: none yet. */
  child: CpSatChild | null;
  cancelled: boolean;
}

/** A place for a process, with the process if there is one. */
interface Seat {
  child: CpSatChild | null;
  taken: boolean;
  idle: NodeJS.Timeout | undefined;
}

/**
 * CP-SAT in separate processes, because a solve blocks its process and a failure ends it. The first problems start
 * the processes. A process stays warm between problems, and is ended when it has had none for a while or has grown
 * too large. If there are more problems than processes, the problems wait in order. Without the package, or when it
 * does not work on this machine, the solver logs that once and answers `unavailable` from then on.
 */
export class CpSatSolver implements ExactSolver {
  readonly workers: number;
  readonly #options: Required<CpSatSolverOptions>;
  readonly #seats: Seat[];
  readonly #waiting: Solve[] = [];
  readonly #living = new Set<CpSatChild>();
  #available = true;
  #stopped = false;
  #deaths = 0;

  constructor(options: CpSatSolverOptions) {
    const { workers } = options;
    this.workers = workers;
    this.#options = { ...usual, program: new URL('./cp-sat-process.js', import.meta.url), ...options };
    this.#seats = Array.from({ length: workers }, () => ({ child: null, taken: false, idle: undefined }));
  }

  get available(): boolean {
    return this.#available;
  }

  /** The running processes. */
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

  /** Ends the processes. Problems under way or waiting are answered `unknown`. */
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
    // A warm process before one that would have to be started.
    const seat = free.find(({ child }) => child !== null) ?? free[0];
    if (seat === undefined || this.#waiting.length === 0) return;
    const solve = this.#waiting.shift() as Solve;
    seat.taken = true;
    clearTimeout(seat.idle);
    void this.#solveOn(seat, solve).then((answer) => {
      solve.settle(answer);
      seat.taken = false;
      if (!this.#stopped) seat.idle = setTimeout(() => this.#retire(seat), this.#options.idleMs).unref();
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
        this.#options.log.warn('CP-SAT did not keep its limit of time, and its process is replaced');
      const answer = this.#lost(seat, end);
      // Keeps a warm process for the next problem.
      if (solve.cancelled && !this.#stopped) seat.child = this.#startChild(seat);
      return answer;
    }
    this.#deaths = 0;
    if (end.memory > this.#options.memoryLimit) this.#retire(seat);
    if (end.fault !== null)
      this.#options.log.error('an answer of CP-SAT is of no use', { reason: end.fault });
    return end.answer;
  }

  /** Handles the end of a process, or that it cannot solve. */
  #lost(seat: Seat, { reason, killed, hopeless = false }: Loss): ExactAnswer {
    this.#retire(seat);
    if (killed) return answers.unknown;
    this.#deaths += 1;
    if (hopeless || this.#deaths >= deathsInARow) return this.#giveUp(reason);
    this.#options.log.warn('a process of CP-SAT died', { reason });
    return answers.unknown;
  }

  #giveUp(reason: string): ExactAnswer {
    if (this.#available)
      this.#options.log.warn('CP-SAT cannot be used here: plans are made without proofs', { reason });
    this.#available = false;
    for (const solve of this.#waiting.splice(0)) solve.settle(answers.unavailable);
    return answers.unavailable;
  }

  #startChild(seat: Seat): CpSatChild {
    const child = new CpSatChild(this.#options.program, this.#options.startLimitMs);
    this.#living.add(child);
    void child.exited.then(() => {
      this.#living.delete(child);
      // The process died without a problem.
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
    // Only a kill ends a solve. A process that is still starting can serve the next problem.
    solve.child?.kill();
  }
}

interface Loss {
  reason: string;
  /** True when this solver killed the process. */
  killed: boolean;
  /** True when another process could not solve either. */
  hopeless?: boolean;
}

const answers = {
  unknown: { status: 'unknown', schedule: null, lowerBound: null },
  unavailable: { status: 'unavailable', schedule: null, lowerBound: null },
} satisfies Record<string, ExactAnswer>;
