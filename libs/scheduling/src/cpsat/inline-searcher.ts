import type { Problem } from '../problem/problem.js';
import { improve } from '../search/improve.js';
import type { Searcher } from './ports.js';

/**
 * Searches in the thread of the caller, which waits, for a number of rounds and without a clock. Equal problems give
 * equal schedules on every machine. For simulations and tests.
 */
export function inlineSearcher({ rounds }: { rounds: number | ((problem: Problem) => number) }): Searcher {
  return {
    reproducible: true,
    search(problem, { seed, start, lowerBound }, onImprovement) {
      const result = improve(problem, {
        seed,
        rounds: typeof rounds === 'number' ? rounds : rounds(problem),
        shouldStop: () => false,
        ...(start === undefined ? {} : { start }),
        ...(lowerBound === undefined ? {} : { lowerBound }),
        onImprovement,
      });
      return { done: Promise.resolve(result), cancel: () => undefined };
    },
  };
}
