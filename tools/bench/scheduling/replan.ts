import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { construct, CpsatPolicy, type Ongoing, type Problem } from '@lab/scheduling';
import { percentile, rounded } from '../../shared/measure.js';
import { fullEngine, log, type FullEngine } from './engines.js';
import { Laboratory } from './laboratory.js';

const events = 100;
/** Plans before the one that counts as rehearsed. */
const rehearsals = 10;

/**
 * Measures what planning a laboratory costs the orchestrator: the first plan, and the plan after each of a hundred ends of
 * tasks, each in one or several calls; the longest delay of the event loop; and how soon a cancelled search ends. The first
 * plan is measured in a new process, and after ten others, because the orchestrator rehearses its planning when it starts.
 */
export async function measureReplanning(problem: Problem): Promise<object> {
  const engine = await fullEngine();
  try {
    const planned = await replan(problem, engine);
    const again: number[] = [];
    for (let n = 0; n < rehearsals; n++) again.push(await firstPlan(problem, engine));
    return {
      tasks: problem.activities.length,
      ...planned,
      first_plan_rehearsed_processor_ms: rounded(again.at(-1) ?? NaN, 1),
      ...(await cancel(problem, engine)),
    };
  } finally {
    await engine.stop();
  }
}

const knobs = { time_limit: 10, seed: 1, resolution: 1, frozen_window: 30 };

/** Milliseconds of processor time of the calls until the laboratory has its first plan. */
async function firstPlan(problem: Problem, { searcher, exact }: FullEngine): Promise<number> {
  const laboratory = new Laboratory(problem);
  const policy = new CpsatPolicy({ clock: { now: () => laboratory.now }, searcher, exact, log }, knobs);
  policy.begin(() => undefined);
  const { spent } = await planned(policy, laboratory);
  await policy.stop();
  return spent;
}

/** Asks until the plan is complete, and carries it out. @returns milliseconds of processor time, of each call and in all */
async function planned(
  policy: CpsatPolicy,
  laboratory: Laboratory,
): Promise<{ calls: number[]; spent: number }> {
  const calls: number[] = [];
  for (;;) {
    const snapshot = laboratory.snapshot();
    const begin = processorMs();
    const plan = policy.plan(snapshot);
    calls.push(processorMs() - begin);
    laboratory.start(plan.assignments);
    if (plan.wakeAt !== snapshot.now + 1) return { calls, spent: calls.reduce((sum, ms) => sum + ms, 0) };
    await delay(1);
  }
}

/** Carries out the plans of the policy, while searches and proofs go on beside it. */
async function replan(problem: Problem, { searcher, exact }: FullEngine): Promise<object> {
  const laboratory = new Laboratory(problem);
  const policy = new CpsatPolicy({ clock: { now: () => laboratory.now }, searcher, exact, log }, knobs);
  let asked = 0;
  policy.begin(() => asked++);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  /** Milliseconds of processor time of each call. */
  const calls: number[] = [];
  /** Milliseconds of processor time of all calls after each event. */
  const plans: number[] = [];
  for (let event = 0; event <= events; event++) {
    const { calls: made, spent } = await planned(policy, laboratory);
    calls.push(...made);
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
