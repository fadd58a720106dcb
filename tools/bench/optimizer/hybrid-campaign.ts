import { HybridOptimizer } from '@lab/optimization';
import { cpuMs, randomNumbers } from './campaign.ts';

// A campaign in which the AI is asked for every second row, and does its worst.

/** Points among which the adversary looks for the worst one. */
const looked = 200;

/** Answers that no optimizer should take. */
const useless = [
  () => 'I cannot help with that.',
  (rows) => JSON.stringify({ suggestions: rows }).slice(0, -2),
  (rows) => JSON.stringify({ journal: 'more', suggestions: [...rows, ...rows] }),
  (rows) =>
    JSON.stringify({
      journal: 'beyond',
      suggestions: rows.map((row) => Object.fromEntries(Object.keys(row).map((key) => [key, 1e6]))),
    }),
];

/**
 * A language model that knows the function and wants the campaign to fail: for one suggestion in two the worst of many valid
 * points, for the others answers that are none.
 */
class Adversary {
  providers = ['adversary'];
  asked = 0;

  constructor(problem, random) {
    this.problem = problem;
    this.random = random;
  }

  async ask({ messages }) {
    const first = messages.length === 1;
    if (first) this.harmful = this.random() < 0.5;
    const rows = [this.worst()];
    this.asked += 1;
    const text = this.harmful
      ? JSON.stringify({ journal: 'trust me', suggestions: rows })
      : useless[this.asked % useless.length](rows);
    return { text, tokens: { input: 0, output: 0 } };
  }

  delay(_, signal) {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  worst() {
    const points = Array.from({ length: looked }, () =>
      this.problem.inputs.map(({ bounds: [lower, upper] }) => lower + this.random() * (upper - lower)),
    );
    const worst = points.reduce((a, b) =>
      this.problem.evaluate(a)[0] >= this.problem.evaluate(b)[0] ? a : b,
    );
    return Object.fromEntries(this.problem.inputs.map(({ key }, i) => [key, worst[i]]));
  }
}

/** @returns the figure of merit, and CPU milliseconds per row, those of the adversary among them */
export async function playHybridCampaign({ problem, evals, initial, p_ai, merit }, seed) {
  const { inputs, outputs } = problem;
  const optimizer = new HybridOptimizer({
    inputs,
    outputs,
    num_initial_samples: initial,
    seed,
    p_ai,
    ai_model: 'adversary:one',
  });
  const models = new Adversary(problem, randomNumbers(seed));
  optimizer.connect({ clock: { now: () => performance.now() }, models });
  const all = [];
  let spent = 0;
  for (let run = 1; run <= evals; run += 1) {
    const names = [`run ${run}`];
    const before = cpuMs();
    const rows = await optimizer.sample(1, names);
    spent += cpuMs() - before;
    const values = problem.evaluate(inputs.map(({ key }) => rows[0][key]));
    all.push(values);
    await optimizer.report(rows, [Object.fromEntries(outputs.map(({ key }, k) => [key, values[k]]))], names);
  }
  return { value: merit({ all, recommended: [] }), cpuMs: spent / evals };
}
