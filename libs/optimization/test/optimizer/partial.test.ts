import type { Table } from '@lab/sdk';
import { describe, expect, it } from 'vitest';
import { continuousInput, continuousOutput, maximize, minimize } from '../../src/domain/builders.js';
import { BayesianSequentialOptimizer } from '../../src/optimizer/bayesian.js';
import type { BayesianArguments } from '../../src/optimizer/settings.js';

const args: BayesianArguments = {
  inputs: [continuousInput('mix.x', [0, 10]), continuousInput('mix.y', [0, 1])],
  outputs: [
    continuousOutput('assay.yield', maximize()),
    continuousOutput('assay.cost', minimize()),
    continuousOutput('assay.purity', null, { at_least: 0.5 }),
  ],
  num_initial_samples: 8,
  seed: 'partial',
};
const yieldAt = ({ 'mix.x': x, 'mix.y': y }: Table[number]) => Math.sin(Number(x)) + Number(y);
const measured = (row: Table[number]) => ({
  'assay.yield': yieldAt(row),
  'assay.cost': Number(row['mix.x']) / 10,
  'assay.purity': 1 - Number(row['mix.y']),
});
/** Reports rows; a third of them lacks the cost, in a different way each time. */
function withGaps(rounds: number) {
  const optimizer = new BayesianSequentialOptimizer(args);
  const gaps = [{ 'assay.cost': NaN }, { 'assay.cost': Infinity }, { 'assay.cost': null as never }];
  for (let i = 0; i < rounds; i += 1) {
    const [row] = optimizer.sample(1, [`run ${i}`]);
    const gap = i % 3 === 0 ? gaps[(i / 3) % 3] : {};
    optimizer.report([row!], [{ ...measured(row!), ...gap }], [`run ${i}`]);
  }
  return optimizer;
}

describe('a partial result', () => {
  it('informs the models of its outputs, counts as reported, and is no solution', () => {
    const optimizer = withGaps(12);
    expect(optimizer.get_num_samples_reported()).toBe(12);
    const { outputs, observed } = optimizer.explain();
    expect(outputs.map(({ left_out }) => left_out.length)).toEqual([12, 8, 12]);
    const ofYield = outputs[0]!.left_out.map((each) => each.measured);
    expect(ofYield).toEqual(observed.map(({ measured: result }) => result['assay.yield']));
    const incomplete = observed.filter(({ measured: result }) => result['assay.cost'] === undefined);
    expect(incomplete).toHaveLength(4);
    expect(incomplete.every(({ expected }) => Number.isFinite(expected['assay.cost']!.mean))).toBe(true);
    const solutions = optimizer.get_optimal_solutions();
    expect(solutions.length).toBeGreaterThan(0);
    expect(solutions.every((row) => Number.isFinite(row['assay.cost']))).toBe(true);
    expect(optimizer.last_sample().origins).toEqual(['model']);
  });

  it('is not proposed again, and gives the same proposals after a restart', () => {
    const optimizer = withGaps(9);
    const restored = new BayesianSequentialOptimizer(args);
    restored.restore(JSON.parse(JSON.stringify(optimizer.state())) as ReturnType<typeof optimizer.state>);
    const replayed = new BayesianSequentialOptimizer(args);
    for (const run of optimizer.state().runs.reverse()) {
      replayed.report([run.point], [run.measured!], [run.name!]);
    }
    const expected = optimizer.sample(2);
    expect(restored.sample(2)).toEqual(expected);
    expect(replayed.sample(2)).toEqual(expected);
    const points = optimizer.state().runs.map(({ point }) => JSON.stringify(point));
    expect(new Set(points).size).toBe(points.length);
  });

  it('is completed by a later report of the run, which may not change a result', () => {
    const optimizer = withGaps(1);
    const { point } = optimizer.state().runs[0]!;
    expect(optimizer.get_optimal_solutions()).toEqual([]);
    const other = { ...measured(point), 'assay.yield': 99 };
    expect(() => optimizer.report([point], [other], ['run 0'])).toThrow(/other values/);
    optimizer.report([point], [{ 'assay.cost': 3 }], ['run 0']);
    expect(optimizer.get_num_samples_reported()).toBe(1);
    expect(optimizer.get_optimal_solutions()).toMatchObject([{ 'assay.cost': 3 }]);
  });

  it.each([
    ['no result at all', {}, /assay\.yield: The result is missing/],
    ['a text', { 'assay.yield': 1, 'assay.cost': 'low' }, /low is not a finite number/],
    ['an unknown output', { 'assay.yield': 1, 'assay.price': 2 }, /"assay\.price" is no output/],
  ])('is refused with %s, and nothing is recorded', (_, outputs, message) => {
    const optimizer = withGaps(3);
    const before = optimizer.state();
    const point = { 'mix.x': 1, 'mix.y': 1 };
    expect(() => optimizer.report([point], [outputs as never])).toThrow(message);
    expect(optimizer.state()).toEqual(before);
  });

  it('never ends a campaign, even if an output is never measured', () => {
    const optimizer = new BayesianSequentialOptimizer(args);
    for (let i = 0; i < 14; i += 1) {
      const [row] = optimizer.sample(1);
      optimizer.report([row!], [{ 'assay.yield': yieldAt(row!) }]);
    }
    expect(optimizer.last_sample().origins).toEqual(['initial']);
    expect(optimizer.get_optimal_solutions()).toEqual([]);
    expect(optimizer.explain().outputs).toEqual([]);
  });
});
