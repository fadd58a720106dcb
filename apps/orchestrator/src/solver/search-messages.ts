import type { Problem, Schedule, SearchResult } from '@lab/scheduling';

/** To the thread: what to search. */
export interface SearchOrder {
  id: number;
  problem: Problem;
  seed: number;
  start?: Schedule;
  /** Milliseconds; null: no limit of time. */
  timeLimitMs: number | null;
  rounds: number | null;
  lowerBound?: number;
  /** One number, shared: anything but 0 ends the search. */
  cancelled: Int32Array;
}

/** From the thread. The last of a search is `done` or `failed`. */
export type SearchNews =
  | { type: 'better'; id: number; schedule: Schedule }
  | { type: 'done'; id: number; result: SearchResult }
  | { type: 'failed'; id: number; reason: string };
