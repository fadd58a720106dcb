import type { Schedule } from '../problem/problem.js';

export interface SearchOptions {
  /** The same seed, start and rounds give the same result, unless the search was told to stop. */
  seed: number;
  /** Null: until it is told to stop, or has proven optimality. */
  rounds: number | null;
  /** Called every few milliseconds: true ends the search with the best so far. */
  shouldStop: () => boolean;
  /** The schedule to improve; absent: the search constructs one. */
  start?: Schedule;
  /** A lower bound of the objective; the search ends when it is reached. */
  lowerBound?: number;
  /** Called with every better schedule, within the round that found it. */
  onImprovement?: (schedule: Schedule) => void;
}

export interface SearchResult {
  schedule: Schedule;
  rounds: number;
  /** No better schedule exists. */
  optimal: boolean;
  /** Lower bound of the objective; absent: it was not computed. */
  lowerBound?: number;
}
