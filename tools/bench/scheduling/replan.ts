import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { construct, CpsatPolicy } from '@lab/scheduling';
import { percentile, rounded } from '../harness.mjs';
import { fullEngine, log } from './engines.ts';
import { Laboratory } from './laboratory.ts';

const events = 100;

/**
 * What planning a laboratory costs the orchestrator: the first plan, the plan after each of a hundred ends of tasks, which
 * take up to half as long again as expected, each in one call or in several, the longest time in which nothing else could
 * be done, and how soon searches end that are told to.
 */
export async function measureReplanning(problem) {
  const engine = await fullEngine();
  try {
    const planned = await replan(problem, engine);
    return { tasks: problem.activities.length, ...planned, ...(await cancel(problem, engine)) };
  } finally {
    await engine.stop();
  }
}

/** Carries out the plans of the policy for as many events, while searches and proofs go on beside it. */
async function replan(problem, { searcher, exact }) {
  const laboratory = new Laboratory(problem);
  const clock = { now: () => laboratory.now };
  const knobs = { time_limit: 10, seed: 1, resolution: 1, frozen_window: 30 };
  const policy = new CpsatPolicy({ clock, searcher, exact, log }, knobs);
  let asked = 0;
  policy.begin(() => asked++);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  /** Milliseconds of processor time: of each call, and of all calls for each event. */
  const calls = [];
  const plans = [];
  for (let event = 0; event <= events; event++) {
    let spent = 0;
    for (let isPlanned = false; !isPlanned;) {
      const snapshot = laboratory.snapshot();
      const begin = processorMs();
      const plan = policy.plan(snapshot);
      calls.push(processorMs() - begin);
      spent += calls.at(-1);
      laboratory.start(plan.assignments);
      isPlanned = plan.wakeAt !== snapshot.now + 1;
      if (!isPlanned) await delay(1);
    }
    plans.push(spent);
    // Searches go on between events, and tell what they found.
    await delay(20);
    laboratory.endNext();
  }
  loop.disable();
  await policy.stop();
  const [first, ...later] = plans;
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

/** How long a search and a proof in the middle of their work take to end when they are told to. */
async function cancel(problem, { searcher, exact }) {
  const stop = async (ongoing) => {
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

/**
 * Milliseconds that this thread has had a processor: what a plan takes on a machine that does nothing else. Linux only.
 */
function processorMs() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}
