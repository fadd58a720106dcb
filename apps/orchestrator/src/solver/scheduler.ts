import { systemClock, type Log, type SchedulerSettings } from '@lab/runtime';
import { CpsatPolicy, GreedyPolicy, type Policy } from '@lab/scheduling';
import { CpSatSolver } from './cp-sat-solver.js';
import { rehearse } from './rehearsal.js';
import { SearchWorker } from './search-worker.js';

/** The configured scheduling policy and its solvers. */
export interface Scheduler {
  policy: Policy;
  /** Ends threads and processes. Call it after the policy has stopped. */
  stop(): Promise<void>;
}

/**
 * Makes the configured scheduling policy. No solver starts here: the search starts with the first plan and CP-SAT
 * with the first proof, so that nothing waits for a solver. Planning is rehearsed a few milliseconds at a time.
 */
export function schedulerOf(settings: SchedulerSettings, log: Log): Scheduler {
  if (settings.type === 'greedy') return { policy: new GreedyPolicy(), stop: () => Promise.resolve() };
  const searcher = new SearchWorker(log);
  const exact = settings.workers === 0 ? null : new CpSatSolver({ workers: settings.workers, log });
  const rehearsal = rehearse(log);
  return {
    policy: new CpsatPolicy({ clock: systemClock, searcher, exact, log }, settings),
    async stop() {
      rehearsal.cancel();
      await Promise.all([searcher.stop(), exact?.stop()]);
    },
  };
}
