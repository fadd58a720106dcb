import type { Problem, Schedule, SearchResult } from '@lab/scheduling';

/** An order to the thread: a problem to search. */
export interface SearchOrder {
  id: number;
  problem: Problem;
  seed: number;
  start?: Schedule;
  /** Time limit in milliseconds; null: none. */
  timeLimitMs: number | null;
  rounds: number | null;
  lowerBound?: number;
  /** One shared number. Any value but 0 ends the search. */
  cancelled: Int32Array;
}

/** A message of the thread. The last one of a search is `done` or `failed`. */
export type SearchNews =
  | { type: 'better'; id: number; schedule: Schedule }
  | { type: 'done'; id: number; result: SearchResult }
  | { type: 'failed'; id: number; reason: string };
