import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import { after } from '../measured-bowl.js';
import { continuousInput, continuousOutput, maximize, minimize } from '../../src/domain/builders.js';
import { Domain } from '../../src/domain/domain.js';
import type { Point } from '../../src/domain/space.js';
import { Rng } from '../../src/numeric/index.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';

const inputs = [continuousInput('mix.a', [0, 1]), continuousInput('mix.b', [0, 1])];
const four: BayesianArguments = {
  inputs,
  outputs: [1, 2, 3, 4].map((k) => continuousOutput(`assay.f${k}`, k % 2 === 0 ? minimize() : maximize())),
  num_initial_samples: 10,
  seed: 'four',
};
const fourAt = (row: Table[number]) => {
  const [a, b] = [Number(row['mix.a']), Number(row['mix.b'])];
  return { 'assay.f1': a, 'assay.f2': a * a + b, 'assay.f3': Math.sin(3 * b), 'assay.f4': (a - b) ** 2 };
};
const impossible: BayesianArguments = {
  inputs,
  outputs: [
    continuousOutput('assay.yield', maximize()),
    continuousOutput('assay.purity', null, { at_least: 2 }),
  ],
  num_initial_samples: 8,
  seed: 'impossible',
};
const impossibleAt = (row: Table[number]) => ({
  'assay.yield': Number(row['mix.a']),
  'assay.purity': Number(row['mix.b']),
});

/** Distinct points of the domain, none of them in `before`. */
function expectFresh(args: BayesianArguments, rows: readonly Point[], before: readonly Point[] = []) {
  const domain = Domain.of({ constraints: [], ...args });
  expect(rows.flatMap((row) => domain.validate(row, { done: before }))).toEqual([]);
  expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length);
}

describe('a batch of eight', () => {
  it.each([
    ['four objectives', four, fourAt],
    ['no feasible result', impossible, impossibleAt],
  ])('has distinct points apart from each other, the same for the same seed, with %s', (_, args, at) => {
    const optimizer = after(args, args.num_initial_samples!, at);
    const state = optimizer.state();
    const rows = optimizer.sample(8);
    expect(rows).toHaveLength(8);
    expectFresh(
      args,
      rows,
      state.runs.map(({ point }) => point),
    );
    const again = new BayesianSequentialOptimizer(args);
    again.restore(state);
    expect(again.sample(8)).toEqual(rows);
    const places = rows.map((row) => [Number(row['mix.a']), Number(row['mix.b'])] as const);
    const nearest = places.map(([a, b], i) =>
      Math.min(...places.filter((_, k) => k !== i).map(([x, y]) => Math.hypot(x - a, y - b))),
    );
    expect(Math.min(...nearest)).toBeGreaterThan(1e-4);
  });
});

describe('results of repeated points', () => {
  it('do not hinder a batch', () => {
    const rng = Rng.seeded('repeats');
    const optimizer = new BayesianSequentialOptimizer({ ...four, num_initial_samples: 5 });
    const rows = optimizer.sample(5);
    const noisy = (row: Table[number]) =>
      Object.fromEntries(
        Object.entries(fourAt(row)).map(([key, value]) => [key, value + 0.05 * rng.normal()]),
      );
    for (let k = 0; k < 3; k++) optimizer.report(rows, rows.map(noisy));
    expect(optimizer.get_num_samples_reported()).toBe(15);
    expectFresh(four, optimizer.sample(3), rows);
  });
});

describe('runs in flight', () => {
  it('keep their number while results arrive in any order, and no point repeats', () => {
    const rng = Rng.seeded('flight');
    const optimizer = new BayesianSequentialOptimizer({ ...four, num_initial_samples: 6 });
    const flying = optimizer.sample(4);
    const all = [...flying];
    for (let k = 0; k < 8; k++) {
      const [row] = flying.splice(rng.below(flying.length), 1);
      optimizer.report([row!], [fourAt(row!)]);
      const [next] = optimizer.sample(1);
      flying.push(next!);
      all.push(next!);
    }
    expectFresh(four, all);
  });
});
