import type { Log } from '@lab/ports';
import type { Problem, Schedule } from '../problem/problem.js';
import type { SearchResult } from '../search/search.js';

export type PlanLog = Pick<Log, 'info' | 'warn' | 'error'>;

/** Work in progress elsewhere. */
export interface Ongoing<Result> {
  /** Always settles; never rejects. */
  readonly done: Promise<Result>;
  /** Ends the work early: `done` settles soon after. No effect after the end. */
  cancel(): void;
}

export interface SearchRequest {
  seed: number;
  /** The schedule to improve; absent: the search constructs one. */
  start?: Schedule;
  /** Null: no limit. */
  timeLimitMs: number | null;
  /** Null: no limit. */
  rounds: number | null;
  /** A lower bound of the objective of every schedule. */
  lowerBound?: number;
}

/** Runs `improve` where nobody waits for it. */
export interface Searcher {
  /** True if rounds end a search, and not time: equal requests then get equal answers. */
  readonly reproducible: boolean;
  /**
   * @param onImprovement called with every better schedule, never after `done` has settled
   * @returns `done`: the result; null: the search was lost (its process or thread ended)
   */
  search(
    problem: Problem,
    request: SearchRequest,
    onImprovement: (schedule: Schedule) => void,
  ): Ongoing<SearchResult | null>;
}

export interface ExactRequest {
  /** The best known schedule, complete. Worse schedules are not considered. */
  hint: Schedule;
  timeLimitMs: number;
  /** `optimum`: a schedule without a better one; `bound`: the highest lower bound that the time allows. */
  goal: 'optimum' | 'bound';
}

export interface ExactAnswer {
  /**
   * - `optimal`: the schedule is proven optimal
   * - `feasible`: the best schedule found in the time, no worse than the hint
   * - `infeasible`: no schedule is as good as the hint, so the hint breaks a rule
   * - `unknown`: no result, because the solver was cancelled, too slow, or died
   * - `unavailable`: there is no solver
   */
  status: 'optimal' | 'feasible' | 'infeasible' | 'unknown' | 'unavailable';
  schedule: Schedule | null;
  /** Lower bound of the objective, in its own unit; null when none is known. */
  lowerBound: number | null;
}

export interface ExactSolver {
  /** False once the solver is known to be missing; true until then. */
  readonly available: boolean;
  /** Number of problems that it solves at a time; others wait. */
  readonly workers: number;
  solve(problem: Problem, request: ExactRequest): Ongoing<ExactAnswer>;
}
