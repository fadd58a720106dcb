import { fileURLToPath } from 'node:url';
import type { Trial } from '@lab/contracts';
import { optimizerModules, type OptimizerModule } from '@lab/testkit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Laboratory, type RunningWorker } from './laboratory.js';

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
