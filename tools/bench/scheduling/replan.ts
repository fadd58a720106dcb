import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { construct, CpsatPolicy, type Ongoing, type Problem } from '@lab/scheduling';
import { percentile, rounded } from '../../shared/measure.js';
import { fullEngine, log, type FullEngine } from './engines.js';
import { Laboratory } from './laboratory.js';

const events = 100;

/**
 * Measures what planning a laboratory costs the orchestrator: the first plan, and the plan after each of a hundred ends of
 * tasks, each in one or several calls; the longest delay of the event loop; and how soon a cancelled search ends.
 */
export async function measureReplanning(problem: Problem): Promise<object> {
  const engine = await fullEngine();
  try {
    const planned = await replan(problem, engine);
    return { tasks: problem.activities.length, ...planned, ...(await cancel(problem, engine)) };
  } finally {
    await engine.stop();
  }
}

/** Carries out the plans of the policy, while searches and proofs go on beside it. */
async function replan(problem: Problem, { searcher, exact }: FullEngine): Promise<object> {
  const laboratory = new Laboratory(problem);
  const clock = { now: () => laboratory.now };
  const knobs = { time_limit: 10, seed: 1, resolution: 1, frozen_window: 30 };
  const policy = new CpsatPolicy({ clock, searcher, exact, log }, knobs);
  let asked = 0;
  policy.begin(() => asked++);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  /** Milliseconds of processor time of each call. */
  const calls: number[] = [];
  /** Milliseconds of processor time of all calls after each event. */
  const plans: number[] = [];
  for (let event = 0; event <= events; event++) {
    let spent = 0;
    for (let isPlanned = false; !isPlanned;) {
      const snapshot = laboratory.snapshot();
      const begin = processorMs();
      const plan = policy.plan(snapshot);
      const ms = processorMs() - begin;
      calls.push(ms);
      spent += ms;
      laboratory.start(plan.assignments);
      isPlanned = plan.wakeAt !== snapshot.now + 1;
      if (!isPlanned) await delay(1);
    }
    plans.push(spent);
    // Searches go on between events and report what they found.
    await delay(20);
    laboratory.endNext();
  }
  loop.disable();
  await policy.stop();
  const [first = NaN, ...later] = plans;
  return {
    events,
    first_plan_processor_ms: rounded(first, 1),
    replan_processor_p50_ms: rounded(percentile(later, 0.5), 1),
    replan_processor_max_ms: rounded(Math.max(...later), 1),
    calls: calls.length,
    call_processor_p50_ms: rounded(percentile(calls, 0.5), 1),
    call_processor_p99_ms: rounded(percentile(calls, 0.99), 1),
    call_processor_max_ms: rounded(Math.max(...calls), 1),
    loop_delay_p99_ms: rounded(loop.percentile(99) / 1e6, 1),
    loop_delay_max_ms: rounded(loop.max / 1e6, 1),
    improvements_told: asked,
  };
}

/** Measures how long a search and a proof take to end after their cancellation. */
async function cancel(problem: Problem, { searcher, exact }: FullEngine): Promise<object> {
  const stop = async (ongoing: Ongoing<unknown>): Promise<number> => {
    await delay(500);
    const begin = performance.now();
    ongoing.cancel();
    await ongoing.done;
    return rounded(performance.now() - begin, 1);
  };
  const request = { seed: 1, timeLimitMs: 30_000, rounds: null };
  const hint = construct(problem);
  return {
    search_cancel_ms: await stop(searcher.search(problem, request, () => undefined)),
    proof_cancel_ms: await stop(exact.solve(problem, { hint, timeLimitMs: 30_000, goal: 'bound' })),
  };
}

/** Processor time of this thread in milliseconds, which other work on the machine does not lengthen. Linux only. */
const processorMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
