import type { SimulatedScheduler } from '@lab/contracts';
import type { Clock, Log } from '@lab/ports';
import { CpsatPolicy, GreedyPolicy, inlineSearcher, type Policy, type Problem } from '@lab/scheduling';

/** What a search of a simulation may cost: rounds x activities. It is made at about every start and end of a task. */
const roundsTimesActivities = 5_000;
const mostRounds = 100;
/** Seconds after which a plan is settled, as in a laboratory whose searches take so long. */
const searchSeconds = 5;

/**
 * The policy of a simulation: the one that decides in the real laboratory. The searches of `cpsat` end after rounds, not
 * after a time, so that they find the same on every machine; it has no exact solver, so its plans may be a little worse.
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
