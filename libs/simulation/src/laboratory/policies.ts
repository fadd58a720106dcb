import type { SimulatedScheduler } from '@lab/contracts';
import type { Clock, Log } from '@lab/ports';
import { CpsatPolicy, GreedyPolicy, inlineSearcher, type Policy, type Problem } from '@lab/scheduling';

/**
 * Cost limit of one search, in rounds times activities. A search takes place at almost every start and end of a task.
 */
const roundsTimesActivities = 5_000;
const mostRounds = 100;
/** Seconds until a plan is applied, as in a laboratory whose searches take that long. */
const searchSeconds = 5;

/**
 * The policy of a simulation, the same as in the real laboratory. Searches of `cpsat` end after a number of rounds
 * instead of a time, so that they give the same plan on every machine. They have no exact solver, so plans may be
 * slightly worse.
 */
export function policyOf(scheduler: SimulatedScheduler, ports: { clock: Clock; log: Log }): Policy {
  if ((scheduler.type ?? 'greedy') === 'greedy') return new GreedyPolicy();
  return new CpsatPolicy(
    { ...ports, searcher: inlineSearcher({ rounds: scheduler.rounds ?? roundsOf }), exact: null },
    {
      time_limit: searchSeconds,
      seed: scheduler.seed ?? 1,
      resolution: scheduler.resolution ?? 0.1,
      frozen_window: scheduler.frozen_window ?? 30,
    },
  );
}

function roundsOf({ activities }: Problem): number {
  return Math.max(2, Math.min(mostRounds, Math.floor(roundsTimesActivities / activities.length)));
}
