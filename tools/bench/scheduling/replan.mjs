import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { construct, CpsatPolicy } from '@lab/scheduling';
import { percentile, rounded } from '../harness.mjs';
import { fullEngine, log } from './engines.mjs';
import { Laboratory } from './laboratory.mjs';

const events = 100;

/**
 * What planning a laboratory costs the orchestrator: the first plan, the plan after each of a hundred ends of tasks, which
 * take up to half as long again as expected, the longest time in which nothing else could be done, and how soon searches
 * end that are told to.
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
  const loop = watchLoop();
  const times = [];
  const processorTimes = [];
  for (let event = 0; event <= events; event++) {
    const snapshot = laboratory.snapshot();
    const begin = performance.now();
    const processorBegin = processorMs();
    const plan = policy.plan(snapshot);
    processorTimes.push(processorMs() - processorBegin);
    times.push(performance.now() - begin);
    laboratory.start(plan.assignments);
    // Searches go on between events, and tell what they found.
    await delay(20);
    laboratory.endNext();
  }
  const longest = loop.stop();
  await policy.stop();
  const [first, ...later] = times;
  const [, ...laterOnProcessor] = processorTimes;
  return {
    events,
    first_plan_ms: rounded(first, 1),
    replan_p50_ms: rounded(percentile(later, 0.5), 1),
    replan_p99_ms: rounded(percentile(later, 0.99), 1),
    replan_max_ms: rounded(Math.max(...later), 1),
    replan_processor_p50_ms: rounded(percentile(laterOnProcessor, 0.5), 1),
    replan_processor_max_ms: rounded(Math.max(...laterOnProcessor), 1),
    loop_blocked_max_ms: rounded(longest, 1),
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

/** The longest time between two ticks of a timer of 1 ms: for so long the event loop did nothing else. */
function watchLoop() {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}
