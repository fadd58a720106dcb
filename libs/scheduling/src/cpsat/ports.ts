import type { Problem, Schedule } from '../problem/problem.js';
import type { SearchResult } from '../search/search.js';

export interface PlanClock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface PlanLog {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** Something that goes on elsewhere. */
export interface Ongoing<Result> {
  /** Settles in any case; never rejects. */
  readonly done: Promise<Result>;
  /** Ends it early: `done` settles soon after. Does nothing once it has ended. */
  cancel(): void;
}

export interface SearchRequest {
  seed: number;
  /** What is to be improved; absent: the search constructs its own. */
  start?: Schedule;
  /** Milliseconds; null: no limit of time. */
  timeLimitMs: number | null;
  /** Rounds; null: no limit of rounds. */
  rounds: number | null;
  /** No schedule can have a lower objective. */
  lowerBound?: number;
}

/** Runs `improve` where it keeps nobody waiting. */
export interface Searcher {
  /** The same request gets the same answer: rounds end a search, and not time. */
  readonly reproducible: boolean;
  /**
   * @param onImprovement called with every better schedule, never after `done` has settled
   * @returns `done`: what was found; null when the search was lost (its process or thread ended)
   */
  search(
    problem: Problem,
    request: SearchRequest,
    onImprovement: (schedule: Schedule) => void,
  ): Ongoing<SearchResult | null>;
}

export interface ExactRequest {
  /** The best schedule known, complete; nothing that is worse is looked at. */
  hint: Schedule;
  /** Milliseconds. */
  timeLimitMs: number;
  /** `optimum`: a schedule that nothing is better than; `bound`: a lower bound as high as can be had in the time. */
  goal: 'optimum' | 'bound';
}

export interface ExactAnswer {
  /**
   * - `optimal`: the schedule is proven to be the best
   * - `feasible`: the best that it found in the time, no worse than the hint
   * - `infeasible`: there is no schedule as good as the hint, so the hint breaks a rule
   * - `unknown`: nothing was found: it was cancelled, too slow, or the solver died
   * - `unavailable`: there is no solver here
   */
  status: 'optimal' | 'feasible' | 'infeasible' | 'unknown' | 'unavailable';
  schedule: Schedule | null;
  /** Of the objective, in its own unit; null when none is known. */
  lowerBound: number | null;
}

/** Solves to proof. */
export interface ExactSolver {
  /** False once it is known that there is no solver here; true as long as nothing is known. */
  readonly available: boolean;
  /** How many problems it solves at a time; more wait for their turn. */
  readonly workers: number;
  solve(problem: Problem, request: ExactRequest): Ongoing<ExactAnswer>;
}
