import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import {
  categoricalInput,
  continuousInput,
  continuousOutput,
  discreteInput,
  maximize,
  minimize,
} from '../../src/domain/builders.js';
import { Domain } from '../../src/domain/domain.js';
import { Rng } from '../../src/numeric/index.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';
import { bowl, bowlAt } from '../measured-bowl.js';

const cube = (d: number, change: Partial<BayesianArguments> = {}): BayesianArguments => ({
  inputs: Array.from({ length: d }, (_, i) => continuousInput(`mix.x${i}`, [0, 1])),
  outputs: [continuousOutput('assay.loss', minimize())],
  seed: 'unusual',
  ...change,
});
const numbersOf = (row: Table[number]): number[] => Object.values(row).map(Number);
const apart = (a: Table[number], b: Table[number]): number =>
  Math.hypot(...numbersOf(a).map((value, i) => value - numbersOf(b)[i]!));
/** Plays a campaign and returns its rows, which must lie in the domain and differ. */
function played(
  args: BayesianArguments,
  rounds: number,
  measure: (row: Table[number]) => Record<string, number>,
  batch = 1,
): Table {
  const optimizer = new BayesianSequentialOptimizer(args);
  const domain = Domain.of({ ...args, constraints: [] });
  const all: Table = [];
  for (let i = 0; i < rounds; i += 1) {
    const rows = optimizer.sample(batch);
    expect(rows.flatMap((row) => domain.validate(row, { done: all as never }))).toEqual([]);
    optimizer.report(rows, rows.map(measure));
    all.push(...rows);
  }
  return all;
}

describe('a campaign that learns nothing yet', () => {
  const least = (rows: Table) =>
    Math.min(...rows.flatMap((row, i) => rows.slice(0, i).map((other) => apart(row, other))));

  it('spreads its runs further while all results are equal', () => {
    const rows = played(cube(2, { num_initial_samples: 4 }), 24, () => ({ 'assay.loss': 3 }));
    expect(least(rows)).toBeGreaterThan(0.02);
    for (const corner of [0, 1, 2, 3]) {
      const inside = rows.filter((row) => {
        const [x, y] = numbersOf(row);
        return (x! > 0.5 ? 1 : 0) + (y! > 0.5 ? 2 : 0) === corner;
      });
      expect(inside).toHaveLength(6);
    }
  });

  it('recommends one run while all results of several objectives are equal', () => {
    const outputs = ['assay.loss', 'assay.cost'].map((key) => continuousOutput(key, minimize()));
    const optimizer = new BayesianSequentialOptimizer(cube(2, { outputs }));
    const rows = optimizer.sample(20);
    optimizer.report(
      rows,
      rows.map(() => ({ 'assay.loss': 1, 'assay.cost': 2 })),
    );
    expect(optimizer.get_optimal_solutions().filter((row) => row['recommended'])).toHaveLength(1);
  });

  it('spreads its runs until one keeps a threshold that only says yes or no, and then uses its models', () => {
    const centre = [0.7, 0.35, 0.6];
    const distance = (row: Table[number]) => Math.hypot(...numbersOf(row).map((x, i) => x - centre[i]!));
    const outputs = [
      continuousOutput('assay.loss', minimize()),
      continuousOutput('assay.works', null, { at_least: 0 }),
    ];
    const rows = played(cube(3, { outputs, num_initial_samples: 4 }), 40, (row) => ({
      'assay.loss': distance(row),
      'assay.works': distance(row) < 0.2 ? 1 : -1,
    }));
    const first = rows.findIndex((row) => distance(row) < 0.2);
    expect(first).toBeGreaterThan(3);
    expect(Math.min(...rows.map(distance))).toBeLessThan(0.1);
    expect(rows.slice(first).filter((row) => distance(row) < 0.2).length).toBeGreaterThan(4);
  });
});

describe('a campaign goes on', () => {
  it('with 1,728 combinations alone, of which it repeats none', () => {
    const letters = (count: number) => Array.from({ length: count }, (_, i) => `k${i}`);
    const inputs = [
      categoricalInput('react.a', letters(4)),
      categoricalInput('react.b', letters(12)),
      categoricalInput('react.c', letters(4)),
      discreteInput('react.d', [1, 2, 5]),
      discreteInput('react.e', [90, 105, 120]),
    ];
    const outputs = [continuousOutput('react.yield', maximize())];
    const merit = (row: Table[number]) =>
      (row['react.b'] === 'k7' ? 3 : 0) + (row['react.a'] === 'k1' ? 1 : 0) + Number(row['react.e']) / 120;
    const rows = played(
      { inputs, outputs, num_initial_samples: 5, seed: 4 },
      8,
      (row) => ({ 'react.yield': merit(row) }),
      5,
    );
    expect(Math.max(...rows.map(merit))).toBe(5);
  });

  it.each([25, 50])('with %s inputs', (d) => {
    const loss = (row: Table[number]) => (numbersOf(row)[0]! - 0.3) ** 2 + (numbersOf(row)[1]! - 0.8) ** 2;
    const rows = played(cube(d, { num_initial_samples: 20 }), 8, (row) => ({ 'assay.loss': loss(row) }), 4);
    expect(Math.min(...rows.slice(20).map(loss))).toBeLessThan(Math.min(...rows.slice(0, 20).map(loss)));
  });

  it('with four objectives, constant ones among them', () => {
    const outputs = [1, 2, 3, 4].map((i) => continuousOutput(`assay.f${i}`, minimize()));
    const rows = played(cube(3, { outputs, num_initial_samples: 6 }), 12, (row) => {
      const [a = 0, b = 0, c = 0] = numbersOf(row);
      return { 'assay.f1': a, 'assay.f2': 1 - a + b, 'assay.f3': (c - 0.5) ** 2, 'assay.f4': 7 };
    });
    expect(rows).toHaveLength(12);
  });

  it('with 1,000 results within its time limits', () => {
    const optimizer = new BayesianSequentialOptimizer(
      cube(4, { fit_time_limit: 0.4, proposal_time_limit: 0.4 }),
      { now: () => performance.now() },
    );
    const rng = Rng.seeded('thousand');
    const rows = Array.from({ length: 1000 }, () =>
      Object.fromEntries([0, 1, 2, 3].map((i) => [`mix.x${i}`, rng.uniform()])),
    );
    const loss = (row: Table[number]) => numbersOf(row).reduce((sum, x) => sum + (x - 0.4) ** 2, 0);
    optimizer.report(
      rows,
      rows.map((row) => ({ 'assay.loss': loss(row) })),
    );
    const [proposed] = optimizer.sample(1);
    expect(optimizer.last_sample().origins).toEqual(['model']);
    expect(loss(proposed!)).toBeLessThan(0.05);
  });

  it('after results of one point alone', () => {
    const optimizer = new BayesianSequentialOptimizer(bowl);
    const same = { 'mix.x': 5, 'mix.y': 0 };
    for (let i = 0; i < 6; i += 1) optimizer.report([same], [{ 'score.loss': i }]);
    const rows = optimizer.sample(3);
    expect(new Set([same, ...rows].map((row) => JSON.stringify(row))).size).toBe(4);
  });
});

describe('other bounds', () => {
  const earlier = new BayesianSequentialOptimizer(bowl).sample(8);
  const narrower: BayesianArguments = {
    ...bowl,
    inputs: [continuousInput('mix.x', [0, 4]), continuousInput('mix.y', [-1, 1])],
  };

  it('take the earlier runs inside, refuse a report with others by their rows, and lead to points inside', () => {
    const optimizer = new BayesianSequentialOptimizer(narrower);
    const outside = earlier.findIndex((row) => Number(row['mix.x']) > 4);
    expect(() => optimizer.report(earlier, earlier.map(bowlAt))).toThrow(
      new RegExp(`inputs\\[${outside}\\]\\.mix\\.x: .* outside \\[0, 4\\]`),
    );
    expect(optimizer.state().runs).toEqual([]);
    const inside = earlier.filter((row) => Number(row['mix.x']) <= 4);
    optimizer.report(inside, inside.map(bowlAt));
    expect(optimizer.get_num_samples_reported()).toBe(inside.length);
    expect(optimizer.sample(4).every((row) => Number(row['mix.x']) <= 4)).toBe(true);
  });

  it('do not fit a state of the earlier ones', () => {
    const state = new BayesianSequentialOptimizer(bowl).state();
    expect(() => new BayesianSequentialOptimizer(narrower).restore(state)).toThrow(/other inputs/);
  });
});
