import { construct, improve } from '@lab/scheduling';
import { CpSatSolver } from '../../../apps/orchestrator/dist/solver/cp-sat-solver.js';
import { SearchWorker } from '../../../apps/orchestrator/dist/solver/search-worker.js';

/** Tasks up to which CP-SAT looks for the best schedule, above, for a lower bound: as the policy `cpsat` does. */
const provable = 60;
/** Milliseconds of search for the schedule that CP-SAT is given to begin with. */
const hintMs = 200;

/** Only what went wrong is told, where it does not mix with the figures. */
export const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (...words) => console.error(...words),
  error: (...words) => console.error(...words),
  child: () => log,
  enabled: () => false,
};

/** The search alone, in this thread. */
export const searchEngine = {
  async solve(problem, seed, ms) {
    const end = performance.now() + ms;
    const { schedule, optimal } = improve(problem, {
      seed,
      rounds: null,
      shouldStop: () => performance.now() >= end,
    });
    return { schedule, lowerBound: optimal ? schedule.objective : 0 };
  },
  stop: async () => undefined,
};

/** What the orchestrator has: the search in a thread, and CP-SAT in a process that is warm already. */
export async function fullEngine() {
  const searcher = new SearchWorker(log);
  const exact = new CpSatSolver({ workers: 1, log });
  // A process of CP-SAT that starts or ends lets this one end.
  const awake = setInterval(() => undefined, 1_000);
  const tiny = {
    activities: [{ ...blank, slots: [{ units: [0], sameAs: null, keptUntil: [] }] }],
    units: 1,
    runs: [{ weight: 1 }],
    makespanWeight: 1,
  };
  await exact.solve(tiny, { hint: construct(tiny), timeLimitMs: 1_000, goal: 'optimum' }).done;
  return {
    searcher,
    exact,
    async solve(problem, seed, ms) {
      const end = performance.now() + ms;
      const left = () => Math.max(1, end - performance.now());
      const first = await searcher.search(problem, request(seed, Math.min(hintMs, ms / 2)), () => undefined)
        .done;
      let best = first?.schedule ?? construct(problem);
      if (first?.optimal) return { schedule: best, lowerBound: best.objective };
      const proof = exact.solve(problem, {
        hint: best,
        timeLimitMs: left(),
        goal: problem.activities.length <= provable ? 'optimum' : 'bound',
      });
      const search = searcher.search(problem, { ...request(seed, left()), start: best }, () => undefined);
      const proven = proof.done.then((answer) => {
        if (answer.status === 'optimal') search.cancel();
        return answer;
      });
      const found = await search.done;
      const answer = await proven;
      if (found !== null && found.schedule.objective < best.objective) best = found.schedule;
      if (answer.schedule !== null && answer.schedule.objective < best.objective) best = answer.schedule;
      return { schedule: best, lowerBound: found?.optimal ? best.objective : (answer.lowerBound ?? 0) };
    },
    async stop() {
      await Promise.all([searcher.stop(), exact.stop()]);
      clearInterval(awake);
    },
  };
}

const blank = { run: 0, duration: 1, release: 0, predecessors: [], follows: null, fixed: null };
const request = (seed, timeLimitMs) => ({ seed, timeLimitMs, rounds: null });
