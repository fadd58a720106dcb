import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  Domain,
  type BayesianArguments,
  type BayesianSequentialOptimizer,
  type HybridArguments,
  type HybridOptimizer,
  type LanguageModels,
} from '../../libs/optimization/src/index.js';
import type { CreateCampaignOptimizer, Table } from '../../libs/sdk/src/index.js';
import { guideExamples, root } from './guide-blocks.js';

/** The optimizers of the guide behave as the guide says. */

let place: string;
beforeAll(() => {
  // Inside the repository, so that imports of packages resolve.
  place = mkdtempSync(join(root, 'tools/test/.guide-'));
  for (const [name, text] of guideExamples) writeFileSync(join(place, name), text);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

const load = async <Module>(name: string): Promise<Module> =>
  (await import(/* @vite-ignore */ join(place, name))) as Module;

interface OptimizerModule<Arguments extends object> {
  svc_create_campaign_optimizer: CreateCampaignOptimizer<Arguments>;
}

/** The use of the module next to its protocol by a campaign. */
async function create<Arguments extends object>(name: string) {
  const module = await load<OptimizerModule<Arguments>>(name);
  const [args, Optimizer] = module.svc_create_campaign_optimizer();
  return new Optimizer(JSON.parse(JSON.stringify(args)) as Arguments);
}
const createBayesian = async (name: string) =>
  (await create<BayesianArguments>(name)) as BayesianSequentialOptimizer;

const number = (row: Table[number], key: string): number => Number(row[key]);

/** Runs batches and reports every second batch in reverse order. */
function play(
  optimizer: BayesianSequentialOptimizer,
  batches: readonly number[],
  measure: (row: Table[number]) => Record<string, number>,
): Table {
  return batches.flatMap((count, i) => {
    const rows = optimizer.sample(count);
    const told = i % 2 === 0 ? rows : [...rows].reverse();
    optimizer.report(told, told.map(measure));
    return rows;
  });
}

describe('the optimizer with one objective', () => {
  it('finds good parameters in few runs', async () => {
    const optimizer = await createBayesian('single-objective.ts');
    play(optimizer, [6, ...Array.from({ length: 10 }, () => 1)], (row) => ({
      'score_color.loss':
        (number(row, 'mix_colors.cyan_volume') - 8) ** 2 +
        (number(row, 'mix_colors.magenta_volume') - 15) ** 2 +
        number(row, 'mix_colors.mixing_time') / 10,
    }));
    const [best] = optimizer.get_optimal_solutions();
    // Over all points the median is near 100.
    expect(best!['score_color.loss']).toBeLessThan(5);
    expect(best).toMatchObject({ meets_constraints: true });
    optimizer.set_runtime_params({ acquisition_function: 'qUCB', beta: 4 });
    expect(optimizer.sample(1)).toHaveLength(1);
  }, 60_000);
});

describe('the optimizer with several objectives', () => {
  it('gives rows that do not dominate one another', async () => {
    const optimizer = await createBayesian('several-objectives.ts');
    play(optimizer, [6, 2, 2], (row) => {
      const heat = (number(row, 'react.temperature') - 30) / 90;
      const rest = row['react.solvent'] === 'ethanol' ? 0 : 0.2;
      return { 'analyse.yield': heat - rest, 'analyse.waste': heat ** 2 + rest };
    });
    const front = optimizer.get_optimal_solutions();
    expect(front.length).toBeGreaterThanOrEqual(2);
    const beats = (a: Table[number], b: Table[number]): boolean =>
      number(a, 'analyse.yield') > number(b, 'analyse.yield') &&
      number(a, 'analyse.waste') < number(b, 'analyse.waste');
    expect(front.filter((a) => front.some((b) => beats(b, a)))).toEqual([]);
  }, 60_000);
});

describe('the optimizer with constraints', () => {
  it('keeps every row inside the constraints and finds runs that keep the threshold', async () => {
    const optimizer = await createBayesian('constrained.ts');
    const rows = play(optimizer, [6, 2, 2], (row) => ({
      'test.strength': number(row, 'mix.resin') + 0.5 * number(row, 'mix.filler'),
      'test.viscosity': 20 * number(row, 'mix.resin') + 5 * number(row, 'mix.pigment'),
    }));
    const { space } = optimizer.state();
    const domain = Domain.of(space);
    expect(rows.flatMap((row) => domain.validate(row))).toEqual([]);
    const best = optimizer.get_optimal_solutions();
    expect(best.filter((row) => row['meets_constraints'] === true).length).toBeGreaterThan(0);
  }, 60_000);
});

describe('the grid search', () => {
  type Grid = { grid: Record<string, number[]>; output: string };

  it('tries each of its 36 points once in the configured order and ends with an error', async () => {
    const optimizer = await create<Grid>('optimizer.ts');
    const [first] = await optimizer.sample(1);
    expect(first).toEqual({ 'mix_colors.cyan': 0, 'mix_colors.magenta': 0 });
    optimizer.set_runtime_params({ descending: true });
    const rows = await optimizer.sample(35);
    expect(rows[0]).toEqual({ 'mix_colors.cyan': 1, 'mix_colors.magenta': 1 });
    expect(new Set([first, ...rows].map((row) => JSON.stringify(row))).size).toBe(36);
    expect(() => optimizer.sample(1)).toThrow('The grid is exhausted: 0 points are left, 1 were wanted');
    const all = [...rows, first!];
    await optimizer.report(
      all,
      all.map((row) => ({ 'score_color.loss': Math.abs(number(row, 'mix_colors.cyan') - 0.4) })),
    );
    expect(optimizer.get_num_samples_reported()).toBe(36);
    const best = await optimizer.get_optimal_solutions();
    expect(best.map((row) => row['mix_colors.cyan'])).toEqual([0.4, 0.4, 0.4, 0.4, 0.4, 0.4]);
  });

  it('forgets the points of failed runs and refuses unknown settings', async () => {
    const optimizer = await create<Grid>('optimizer.ts');
    const rows = await optimizer.sample(1);
    await optimizer.report_failed(rows);
    expect(await optimizer.sample(1)).toEqual(rows);
    expect(() => optimizer.set_runtime_params({ descending: 'yes' })).toThrow('true or false');
    expect(() => optimizer.set_runtime_params({ ascending: true })).toThrow('no runtime parameter');
    expect(optimizer.get_runtime_params()).toEqual({ descending: false });
  });
});

describe('the hybrid optimizer', () => {
  it('works without a language model, and marks each row that the AI should have chosen', async () => {
    const optimizer = (await create<HybridArguments>('hybrid.ts')) as HybridOptimizer;
    const models: LanguageModels = {
      providers: ['ollama'],
      ask: () => Promise.reject(new Error('connection refused')),
      delay: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    };
    optimizer.connect({ clock: { now: () => 0 }, models });
    const codes = new Set<string | undefined>();
    for (let run = 1; run <= 20; run += 1) {
      const rows = await optimizer.sample(1, [`c/${run}`]);
      const volume = Object.values(rows[0]!).reduce<number>((sum, value) => sum + Number(value), 0);
      expect(volume).toBeLessThanOrEqual(40);
      codes.add(optimizer.last_sample().rows[0]!.note.fallback?.code);
    }
    expect(codes).toEqual(new Set([undefined, 'model_error']));
    expect(optimizer.get_additional_names()).toEqual(['measure_color.remark']);
    optimizer.set_runtime_params({ p_ai: 0 });
    expect(optimizer.get_runtime_params()).toMatchObject({ p_bayesian: 1, ai_history_size: 30 });
  }, 60_000);

  it('refuses a model of an unknown provider', async () => {
    const optimizer = (await create<HybridArguments>('hybrid.ts')) as HybridOptimizer;
    const models: LanguageModels = {
      providers: ['anthropic'],
      ask: () => Promise.reject(new Error('not asked')),
      delay: () => Promise.resolve(),
    };
    expect(() => optimizer.connect({ clock: { now: () => 0 }, models })).toThrow(/"ollama" is no supported/);
  });

  it('wraps another optimizer, which keeps the constraints and accepts changes while it runs', async () => {
    const optimizer = (await create<HybridArguments>('plugged-in.ts')) as HybridOptimizer;
    expect(optimizer.get_runtime_params()).toMatchObject({ p_ai: 0, stratified: false });
    optimizer.set_runtime_params({ stratified: true });
    expect(() => optimizer.set_runtime_params({ stratified: 1 })).toThrow(/neither true nor false/);
    const rows = await optimizer.sample(4);
    const sums = rows.map((row) => Object.values(row).reduce<number>((sum, value) => sum + Number(value), 0));
    for (const sum of sums) expect(sum).toBeCloseTo(1, 8);
    await optimizer.report(
      [...rows].reverse(),
      [...rows].reverse().map((row) => ({ 'test.strength': number(row, 'blend.resin') })),
    );
    const [best] = await optimizer.get_optimal_solutions();
    expect(best!['blend.resin']).toBe(Math.max(...rows.map((row) => number(row, 'blend.resin'))));
    expect(optimizer.get_num_samples_reported()).toBe(4);
  });
});
