import { fileURLToPath } from 'node:url';
import type { JsonObject, Trial } from '@lab/contracts';
import { optimizerModules, type OptimizerModule } from '@lab/testkit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Laboratory, type RunningWorker, type Session } from './laboratory.js';

/** The optimizers of lab packages, bundled as the service does, in processes of a real worker. */

const packages = fileURLToPath(new URL('../../../lab-packages/', import.meta.url));
let lab: Laboratory;
let worker: RunningWorker;
let grid: OptimizerModule;
let paint: OptimizerModule;

beforeAll(async () => {
  lab = await Laboratory.open();
  worker = await lab.start();
  const modules = await optimizerModules(packages, ['multiplication_lab', 'color_lab']);
  grid = modules.get('optimize_multiplication')!;
  paint = modules.get('color_mixing')!;
});
afterAll(() => lab.close());

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function scored(trial: Trial): Trial {
  const [a, b, c] = Object.values(trial.inputs) as [number, number, number];
  return { ...trial, state: 'measured', outputs: { 'score.loss': Math.abs(a * b * c - 1024) } };
}

describe('the grid search of the multiplication lab', () => {
  it('proposes each of 36 combinations once and reports that the grid is exhausted', async () => {
    const session = await lab.open(worker, 'grid', grid);
    const proposed: Trial[] = [];
    for (let first = 1; first <= 36; first += 4) {
      const { trials } = await session.propose(upTo(4).map((i) => first + i - 1));
      proposed.push(...trials);
      // Results arrive out of order, and one of every four is a failure.
      await session.tell(trials.slice(0, 3).reverse().map(scored));
      await session.tell([{ ...trials[3]!, state: 'failed' }]);
    }
    expect(new Set(proposed.map(({ inputs }) => JSON.stringify(inputs))).size).toBe(36);
    expect(proposed[0]).toMatchObject({
      source: 'optimizer',
      inputs: { 'first.number': 2, 'first.factor': 3, 'second.factor': 8 },
    });
    await expect(session.propose([37])).rejects.toMatchObject({
      code: 'optimizer_error',
      message: expect.stringMatching(
        /^The grid is exhausted: 1 points were wanted, and 0 of 36 remain \(multiplication_lab\/\S+\/optimizer\.ts:\d+:\d+\)$/,
      ) as string,
    });
    const { rows } = await session.best();
    expect(rows).toContainEqual({
      'first.number': 8,
      'first.factor': 4,
      'second.factor': 32,
      'score.loss': 0,
    });
  });

  it('accepts descending at the start and at run time, and only true or false', async () => {
    const last = { 'first.number': 8, 'first.factor': 5, 'second.factor': 64 };
    const session = await lab.open(worker, 'descending', grid, { overrides: { descending: true } });
    expect(session.description.fields).toContainEqual(
      expect.objectContaining({ key: 'descending', type: 'checkbox', default: false, runtime: true }),
    );
    expect((await session.propose([1])).trials[0]?.inputs).toEqual(last);
    await expect(session.configure({ descending: 'down' })).rejects.toMatchObject({ code: 'invalid' });
    await session.configure({ descending: false });
    expect((await session.propose([2])).trials[0]?.inputs).toEqual({
      'first.number': 2,
      'first.factor': 3,
      'second.factor': 8,
    });
  });

  it('restores itself from completed runs', async () => {
    const before = await lab.open(worker, 'rebuilt', grid);
    const trials = (await before.propose(upTo(10))).trials.map((trial, i) => (i < 7 ? scored(trial) : trial));
    await before.tell(trials);
    const expected = (await before.propose([11, 12])).trials;
    const after = await lab.open(worker, 'rebuilt', grid, { session: 's2' });
    await after.tell(trials);
    expect((await after.propose([11, 12])).trials).toEqual(expected);
  });
});

describe('inputs of integer parameters', () => {
  it('are continuous in the package, and get integers within their bounds', async () => {
    const speed = 'mix_colors.mixing_speed';
    const session = await lab.open(worker, 'integers', paint, { integers: [speed] });
    const { trials } = await session.propose(upTo(4));
    for (const { inputs } of trials) expect(Number.isInteger(inputs[speed])).toBe(true);
    expect(trials.some(({ inputs }) => !Number.isInteger(inputs['mix_colors.mixing_time']))).toBe(true);
    await session.tell(
      trials.map((trial) => ({ ...trial, state: 'measured', outputs: { 'score_color.loss': 9 } })),
    );
    const [next] = (await session.propose([5])).trials;
    expect(Number.isInteger(next?.inputs[speed])).toBe(true);
  });

  it('get their kind from their bounds or values', async () => {
    const inputs = [
      { key: 'first.number', values: [2, 4] },
      { key: 'first.factor', values: [3] },
      { key: 'second.factor', values: [8, 16] },
    ];
    const { arguments: made } = await lab.describe(worker, grid, { inputs });
    expect(made['inputs']).toEqual(inputs.map((input) => ({ kind: 'discrete', ...input })));
  });
});

describe('the hybrid optimizer', () => {
  it('refuses an unknown provider and probabilities that do not add up', async () => {
    const wrong: [JsonObject, string][] = [
      [{ p_ai: 0.5, ai_model: 'oracle:delphi' }, 'optimizer_overrides.p_ai'],
      [{ p_ai: 0.5, p_bayesian: 0.6, ai_model: 'ollama:qwen3.5:9b' }, 'optimizer_overrides.p_bayesian'],
      [{ ai_history_size: 0 }, 'optimizer_overrides.ai_history_size'],
      [{ ai_retries: 99 }, 'optimizer_overrides.ai_retries'],
      [{ ai_modell: 'x' }, 'optimizer_overrides.ai_modell'],
    ];
    for (const [overrides, path] of wrong) {
      const refused = await lab.describe(worker, grid, overrides).then(
        () => ({ overrides, code: 'accepted' }),
        (error: unknown) => error,
      );
      expect(refused, JSON.stringify(overrides)).toMatchObject({ code: 'invalid' });
      const { faults } = refused as { faults: { path: string }[] };
      if (path !== 'optimizer_overrides.p_ai') expect(faults.map((fault) => fault.path)).toContain(path);
      else expect(JSON.stringify(faults)).toContain('anthropic, openai, google');
    }
  });

  it('derives either probability from the other and describes its settings for forms', async () => {
    const described = await lab.describe(worker, grid, {
      p_ai: 0.25,
      ai_model: 'ollama:qwen3.5:9b',
      ai_additional_parameters: ['second.product'],
      ai_model_settings: { temperature: 0.1 },
    });
    expect(described.runtime_params).toMatchObject({ p_ai: 0.25, p_bayesian: 0.75, descending: false });
    expect(described.additional_names).toEqual(['second.product']);
    expect(described.fields.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['p_bayesian', 'p_ai', 'ai_history_size', 'descending']),
    );
  });

  it('uses the grid when its model is unavailable, and keeps the insights', async () => {
    const overrides = {
      p_ai: 1,
      ai_model: 'local:nobody',
      ai_model_settings: { base_url: 'http://127.0.0.1:9/v1' },
      ai_time_limit: 1,
    };
    const session: Session = await lab.open(worker, 'alone', grid, { overrides });
    const insight = { id: 'i1', text: 'large factors', by: 'ana', at: 1 };
    const { trials, insights_used } = await session.propose([1], [insight]);
    expect(insights_used).toEqual([]);
    expect(trials[0]).toMatchObject({
      source: 'optimizer',
      note: { model: 'local:nobody', fallback: { code: 'deadline' } },
    });
  });
});
