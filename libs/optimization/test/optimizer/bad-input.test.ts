import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import { after, bowl, bowlAt } from '../measured-bowl.js';
import { linearEquality } from '../../src/domain/builders.js';
import { Rng } from '../../src/numeric/index.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';

const finite = (value: unknown): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(finite);
};

describe('bad reports', () => {
  const point = { 'mix.x': 1, 'mix.y': 0 };
  it.each([
    ['NaN', [point], [{ 'score.loss': NaN }], /outputs\[0\]\.score\.loss: NaN is not a finite number/],
    ['infinity', [point], [{ 'score.loss': Infinity }], /Infinity is not a finite number/],
    ['a missing result', [point], [{}], /The result is missing/],
    ['an unknown output', [point], [{ 'score.loss': 1, 'score.x': 1 }], /"score\.x" is no output/],
    ['a missing input', [{ 'mix.x': 1 }], [{ 'score.loss': 1 }], /no value of "mix\.y"/],
    ['an unknown input', [{ ...point, 'mix.z': 1 }], [{ 'score.loss': 1 }], /"mix\.z" is no input/],
    ['a point outside', [{ ...point, 'mix.x': 11 }], [{ 'score.loss': 1 }], /outside \[0, 10\]/],
    ['too few results', [point, point], [{ 'score.loss': 1 }], /not a list of 2 rows/],
  ])('with %s are refused and change nothing', (_, inputs, outputs, message) => {
    const optimizer = after(bowl, 2, bowlAt);
    const before = optimizer.state();
    expect(() => optimizer.report(inputs as Table, outputs as Table<number>)).toThrow(message);
    expect(optimizer.state()).toEqual(before);
  });

  it.each([
    ['one result', [3]],
    ['constant results', [2, 2, 2, 2, 2, 2]],
    ['huge results', [1e300, -1e300, 1e299, 3, 4, 5]],
    ['tiny results', [1e-300, 2e-300, 3e-300, 1e-301, 0, 0]],
  ])('do not include %s, after which proposals continue and every number is finite', (_, values) => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    const rows = optimizer.sample(values.length);
    optimizer.report(
      rows,
      values.map((value) => ({ 'score.loss': value })),
    );
    const proposed = optimizer.sample(1);
    expect(finite(proposed)).toBe(true);
    expect(finite(optimizer.explain())).toBe(true);
    expect(optimizer.get_optimal_solutions().length).toBeGreaterThan(0);
  });

  it('do not include 2,000 results, after which a proposal arrives within its limits and one exact posterior', () => {
    const optimizer = new BayesianSequentialOptimizer(
      { ...bowl, fit_time_limit: 0.5, proposal_time_limit: 0.5 },
      { now: () => performance.now() },
    );
    const rng = Rng.seeded('many');
    const rows = Array.from({ length: 2000 }, () => ({
      'mix.x': 10 * rng.uniform(),
      'mix.y': 2 * rng.uniform() - 1,
    }));
    optimizer.report(
      rows,
      rows.map((row) => ({ 'score.loss': bowlAt(row)['score.loss'] + rng.normal() })),
    );
    const [proposed] = optimizer.sample(1);
    expect(optimizer.last_sample().origins).toEqual(['model']);
    expect(finite(proposed)).toBe(true);
    expect(Number(proposed!['mix.x'])).toBeGreaterThan(1);
    expect(Number(proposed!['mix.x'])).toBeLessThan(5);
  }, 120_000);

  it('do not include contradictory replicates, between which the models expect a value', () => {
    const optimizer = after(bowl, 6, bowlAt);
    const same = { 'mix.x': 5, 'mix.y': 0 };
    optimizer.report([same, same], [{ 'score.loss': 1 }, { 'score.loss': 9 }]);
    expect(optimizer.get_num_samples_reported()).toBe(8);
    const seen = optimizer.explain().observed.find(({ inputs }) => inputs['mix.x'] === 5);
    expect(seen!.expected['score.loss']!.mean).toBeGreaterThan(1);
    expect(seen!.expected['score.loss']!.mean).toBeLessThan(9);
    expect(optimizer.sample(1)).toHaveLength(1);
  });
});

describe('bad arguments', () => {
  it.each([
    ['an unknown argument', { beta: 3 }, /"beta" is no argument/],
    ['an unknown acquisition', { acquisition_function: { kind: 'EI' } }, /"EI" is not possible/],
    ['a negative beta', { acquisition_function: { kind: 'qUCB', beta: -1 } }, /-1 is not a number from 0/],
    ['qLogNEHVI for one objective', { acquisition_function: { kind: 'qLogNEHVI' } }, /several objectives/],
    ['a reference of nothing', { reference_point: { 'mix.x': 1 } }, /"mix\.x" is no output/],
    ['half an initial sample', { num_initial_samples: 2.5 }, /not a whole number/],
    ['an unknown method', { initial_sampling_method: 'GRID' }, /"GRID" is not possible/],
    ['no inputs', { inputs: [] }, /nothing to vary/],
    ['inputs that are no list', { inputs: {} }, /"inputs" is not a list/],
    ['a constraint on nothing', { constraints: [linearEquality(['mix.q'], [1], 1)] }, /mix\.q/],
  ])('as %s are refused', (_, change, message) => {
    expect(() => new BayesianSequentialOptimizer({ ...bowl, ...change } as BayesianArguments)).toThrow(
      message,
    );
  });

  it.each([0, -1, 1.5, NaN, 1001])('as %s rows are refused', (count) => {
    expect(() => new BayesianSequentialOptimizer(bowl).sample(count)).toThrow(/1 to 1000 rows/);
  });
});
