import { CpSatSolver, SearchWorker } from '@lab/orchestrator/solver';
import { createLog } from '@lab/runtime';
import { construct, improve, type Problem, type Schedule, type SearchRequest } from '@lab/scheduling';

/** Up to this number of tasks CP-SAT looks for the best schedule, above it for a lower bound, as in the policy `cpsat`. */
const provable = 60;
/** Milliseconds of search for the schedule with which CP-SAT begins. */
const hintMs = 200;

export const log = createLog({ service: 'orchestrator', level: 'warn' });

export interface Engine {
  /** @param ms milliseconds that the engine may take */
  solve(problem: Problem, seed: number, ms: number): Promise<{ schedule: Schedule; lowerBound: number }>;
  stop(): Promise<void>;
}

/** The engine of the orchestrator with its parts. */
export interface FullEngine extends Engine {
  searcher: SearchWorker;
  exact: CpSatSolver;
}

/** The search alone, in this thread. */
export const searchEngine: Engine = {
  async solve(problem, seed, ms) {
    const end = performance.now() + ms;
    const { schedule, optimal } = improve(problem, {
      seed,
      rounds: null,
      shouldStop: () => performance.now() >= end,
    });
    return { schedule, lowerBound: optimal ? schedule.objective : 0 };
  },
  stop: () => Promise.resolve(),
};

/** The engine of the orchestrator: the search in a thread, and CP-SAT in a warm process. */
export async function fullEngine(): Promise<FullEngine> {
  const searcher = new SearchWorker(log);
  const exact = new CpSatSolver({ workers: 1, log });
  // Without a timer this process would end while the process of CP-SAT starts or ends.
  const awake = setInterval(() => undefined, 1_000);
  const tiny: Problem = {
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
const request = (seed: number, timeLimitMs: number): SearchRequest => ({ seed, timeLimitMs, rounds: null });
