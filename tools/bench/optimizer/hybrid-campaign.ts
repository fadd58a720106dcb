import {
  HybridOptimizer,
  type Answer,
  type LanguageModels,
  type Point,
  type Question,
} from '@lab/optimization';
import { clock, cpuMs, randomNumbers, valuesOf } from './campaign.js';
import type { Campaign, Played } from './campaigns.js';
import type { Problem } from './problems.js';

/** A campaign whose AI is an adversary. */

/** Number of points from which the adversary takes the worst one. */
const candidates = 200;

/** Answers that an optimizer must refuse. */
const useless: ((rows: Point[]) => string)[] = [
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
 * A language model that knows the function and wants the campaign to fail. Half of its suggestions are the worst of many
 * valid points; the others are invalid answers.
 */
class Adversary implements LanguageModels {
  providers = ['adversary'];
  #asked = 0;
  #harmful = false;

  constructor(
    private readonly problem: Problem,
    private readonly random: () => number,
  ) {}

  ask({ messages }: Question): Promise<Answer> {
    const first = messages.length === 1;
    if (first) this.#harmful = this.random() < 0.5;
    const rows = [this.#worst()];
    this.#asked += 1;
    const text = this.#harmful
      ? JSON.stringify({ journal: 'trust me', suggestions: rows })
      : (useless[this.#asked % useless.length]?.(rows) ?? '');
    return Promise.resolve({ text, tokens: { input: 0, output: 0 } });
  }

  delay(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  #worst(): Point {
    const lossOf = (point: number[]): number => this.problem.evaluate(point)[0] ?? NaN;
    const points = Array.from({ length: candidates }, () =>
      this.problem.inputs.map((input) => {
        if (input.kind !== 'continuous') throw new Error('the adversary knows only continuous inputs');
        const [lower, upper] = input.bounds;
        return lower + this.random() * (upper - lower);
      }),
    );
    const worst = points.reduce((a, b) => (lossOf(a) >= lossOf(b) ? a : b));
    return Object.fromEntries(this.problem.inputs.map(({ key }, i) => [key, worst[i] ?? NaN]));
  }
}

/** The processor time includes the adversary. */
export async function playHybridCampaign(
  { problem, evals, initial, p_ai = 0.5, merit }: Campaign,
  seed: number,
): Promise<Played> {
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
  optimizer.connect({ clock, models });
  const all: number[][] = [];
  let spent = 0;
  for (let run = 1; run <= evals; run += 1) {
    const names = [`run ${run}`];
    const before = cpuMs();
    const rows = await optimizer.sample(1, names);
    spent += cpuMs() - before;
    const values = problem.evaluate(valuesOf(inputs, rows[0] ?? {}));
    all.push(values);
    const measured = Object.fromEntries(outputs.map(({ key }, k) => [key, values[k] ?? NaN]));
    await optimizer.report(rows, [measured], names);
  }
  return { value: merit({ all, recommended: [] }), cpuMs: spent / evals };
}
