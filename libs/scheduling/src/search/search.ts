import type { Schedule } from '../problem/problem.js';

/** What a search may spend, and where it begins. */
export interface SearchOptions {
  /** With the same seed, start and rounds a search finds the same, unless it was told to stop. */
  seed: number;
  /** Rounds after which it ends; null: it goes on until it is told to stop, or knows that nothing better exists. */
  rounds: number | null;
  /** Asked every few milliseconds: true ends the search with the best that it has found. */
  shouldStop: () => boolean;
  /** What is to be improved; absent: it constructs its own. */
  start?: Schedule;
  /** A target known to be unbeatable (a lower bound of the objective); the search ends when it is reached. */
  lowerBound?: number;
  /** Called with every better schedule, within the round that found it. */
  onImprovement?: (schedule: Schedule) => void;
}

export interface SearchResult {
  schedule: Schedule;
  rounds: number;
  /** The search knows that nothing better exists. */
  optimal: boolean;
  /** No schedule has a lower objective; absent: nobody has looked. */
  lowerBound?: number;
}
