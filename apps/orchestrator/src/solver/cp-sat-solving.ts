import {
  checkSchedule,
  cpModelOf,
  lowerBound,
  objectiveOf,
  type ExactAnswer,
  type ExactRequest,
  type Problem,
  type Schedule,
} from '@lab/scheduling';
import type { CpSat, CpSatParameters } from './cp-sat.js';

/**
 * Solves a problem with CP-SAT. The checker of schedules, which shares no code with the model, checks the answer.
 * @returns `fault`: why the answer is unusable; null: it is usable
 */
export async function solveExactly(
  cpSat: CpSat,
  problem: Problem,
  request: ExactRequest,
): Promise<{ answer: ExactAnswer; fault: string | null }> {
  const { hint, timeLimitMs, goal } = request;
  const startedAt = performance.now();
  const model = cpModelOf(problem, hint);
  const bound = lowerBound(problem);
  const spent = performance.now() - startedAt;
  const response = await cpSat.solve(model.proto, {
    ...parameters[goal],
    maxTimeInSeconds: Math.max(0.01, (timeLimitMs - spent) / 1_000),
  });
  const useless = (fault: string | null, status: 'unknown' | 'infeasible' = 'unknown') => ({
    answer: { status, schedule: null, lowerBound: fault === null ? bound : null },
    fault,
  });
  if (response.status === 'MODEL_INVALID') return useless('CP-SAT takes the model for invalid');
  if (response.status === 'INFEASIBLE') return useless(null, 'infeasible');
  const schedule = model.scheduleFrom(response);
  const proven = Math.max(bound, model.lowerBoundFrom(response));
  if (schedule === null) return { ...useless(null), answer: { ...unknown, lowerBound: proven } };
  const [fault] = checkSchedule(problem, schedule);
  if (fault !== undefined) return useless(`its schedule breaks a rule: ${fault.path} ${fault.message}`);
  const { objective } = schedule;
  if (objective > hint.objective || proven > objective * (1 + 1e-9))
    return useless(`it says ${objective}, at least ${proven}, of what can be had for ${hint.objective}`);
  const optimal = proven >= objective * (1 - 1e-9);
  return {
    answer: { status: optimal ? 'optimal' : 'feasible', schedule, lowerBound: optimal ? objective : proven },
    fault: null,
  };
}

/** Solves a small problem to load the library and compile its first functions. */
export async function warmUp(cpSat: CpSat): Promise<void> {
  const runs = 4;
  const starts: number[] = [];
  const activities = Array.from({ length: runs * runs }, (_, index) => {
    const run = Math.floor(index / runs);
    const place = index % runs;
    const duration = 2 + ((index * 7) % 5);
    starts.push(index * 10);
    return {
      run,
      duration,
      release: 0,
      predecessors: place === 0 ? [] : [{ activity: index - 1, minLag: 0, maxLag: null }],
      follows: null,
      slots: [{ units: [(place + run) % runs], sameAs: null, keptUntil: [] }],
      fixed: null,
    };
  });
  const problem: Problem = {
    activities,
    units: runs,
    runs: Array.from({ length: runs }, (_, run) => ({ weight: run + 1 })),
    makespanWeight: 2,
  };
  const ends = starts.map((start, index) => start + activities[index]!.duration);
  const hint: Schedule = {
    starts,
    ends,
    units: activities.map(({ slots }) => [...slots[0]!.units]),
    objective: objectiveOf(problem, ends).total,
  };
  await solveExactly(cpSat, problem, { hint, timeLimitMs: 5_000, goal: 'optimum' });
}

const unknown = { status: 'unknown', schedule: null } as const;

/**
 * The build has one search thread for any `numWorkers`, and crashes with interleaved search. Measured: the default
 * search proves plans of about 50 tasks fastest. At 100 tasks, only a search in the tree of lower bounds with the
 * full linear relaxation exceeds the bound of {@link lowerBound}.
 */
const parameters: Record<ExactRequest['goal'], Omit<CpSatParameters, 'maxTimeInSeconds'>> = {
  optimum: { numWorkers: 1, randomSeed: 1 },
  bound: { numWorkers: 1, randomSeed: 1, optimizeWithLbTreeSearch: true, linearizationLevel: 2 },
};
