import { describe, expect, it } from 'vitest';
import * as functions from '../bench/optimizer/functions.js';
import { hypervolume } from '../bench/optimizer/hypervolume.js';
import { problems } from '../bench/optimizer/problems.js';
import { belongs } from '../bench/optimizer/random-domains.js';

/** The benchmarks of the optimizer use the published functions and figures. */

describe('test functions', () => {
  it.each<[keyof typeof functions, number[], number, number]>([
    ['branin', [Math.PI, 2.275], 0.397887, 1e-6],
    ['hartmann6', [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573], -3.32237, 1e-5],
    ['ackley', [0, 0, 0, 0], 0, 1e-12],
    ['levy', [1, 1, 1, 1], 0, 1e-12],
    ['rosenbrock', [1, 1, 1, 1], 0, 1e-12],
    ['gramacy', [0.1954, 0.4044], 0.5998, 1e-4],
    ['pressureVessel', [0.8125, 0.4375, 42.098446, 176.636596], 6059.7144, 1e-3],
    ['weldedBeam', [0.205986, 3.471328, 9.020224, 0.20648], 1.728226, 1e-5],
  ])('%s has its published optimum', (name, x, optimum, tolerance) => {
    const [value = NaN, ...slacks] = [functions[name](x)].flat();
    expect(Math.abs(value - optimum)).toBeLessThan(tolerance);
    for (const slack of slacks) expect(slack).toBeGreaterThan(-1e-4);
  });

  it.each([
    [
      [1.125533007053861, 3.8812979737686324, 0.10004574992693796, 57.20993153686558],
      1017.647498942003,
      43.49243055968093,
    ],
    [
      [0.5188418288100004, 1.2635308247717931, 0.49999929149977956, 82.88884292802025],
      10782.03717413049,
      9.670923049865147,
    ],
    [
      [0.6415630101219019, 4.6208396007897425, 0.49999997729823936, 90.32080647733866],
      5669.707286681533,
      17.291952792323617,
    ],
  ])('snar has the published results of %j', (x, spaceTimeYield, eFactor) => {
    const [first = NaN, second = NaN] = functions.snar(x);
    expect(first / spaceTimeYield).toBeCloseTo(1, 3);
    expect(second / eFactor).toBeCloseTo(1, 3);
  });

  it.each<['dtlz2' | 'zdt1' | 'zdt2', number, number[], number, number]>([
    ['dtlz2', 6, [1.1, 1.1], 1.21 - Math.PI / 4, 0.5],
    ['zdt1', 6, [11, 11], 120 + 2 / 3, 0],
    ['zdt2', 6, [11, 11], 120 + 1 / 3, 0],
  ])('%s has its published front', (name, d, reference, most, rest) => {
    const front = Array.from({ length: 2001 }, (_, i) => {
      const x = Array.from({ length: d }, () => rest);
      x[0] = i / 2000;
      return functions[name](x);
    });
    expect(hypervolume(front, reference) / most).toBeGreaterThan(0.999);
    expect(hypervolume(front, reference) / most).toBeLessThanOrEqual(1);
  });
});

describe('the hypervolume', () => {
  it('equals the published value for two and for three objectives', () => {
    const points = [
      [-8.5, -3],
      [-8.5, -3.5],
      [-5, -5],
      [-9, -1],
      [-4, -5],
    ];
    expect(hypervolume(points, [0, 0])).toBeCloseTo(37.75, 12);
    const axes = [
      [-1, 0, 0],
      [0, -1, 0],
      [0, 0, -1],
    ];
    expect(hypervolume(axes, [2.1, 2.5, 2.3])).toBeCloseTo(3.1 * 2.5 * 2.3 + 2.1 * 2.3 + 2.1 * 2.5, 12);
  });
});

describe('problems with several kinds of inputs', () => {
  it('scale whole numbers to the bounds of their function', () => {
    const { inputs, evaluate } = problems.discreteHartmann;
    expect(inputs.map((input) => input.kind === 'continuous' && [input.bounds[1], input.step])).toEqual([
      [3, 1],
      [3, 1],
      [19, 1],
      [19, 1],
      [1, undefined],
      [1, undefined],
    ]);
    expect(evaluate([3, 0, 19, 0, 0.5, 0.25])).toEqual([functions.hartmann6([1, 0, 1, 0, 0.5, 0.25])]);
    expect(problems.discreteAckley.evaluate(Array.from({ length: 13 }, () => 0))[0]).toBeCloseTo(0, 12);
    expect(problems.discreteRosenbrock.evaluate(Array.from({ length: 10 }, () => 0))).toEqual([
      functions.rosenbrock(Array.from({ length: 10 }, () => -5)),
    ]);
  });

  it('have the measured yield of every combination of conditions', () => {
    const { inputs, evaluate, top } = problems.directArylation;
    const choices = inputs.map((input): readonly (number | string)[] => {
      if (input.kind === 'continuous') throw new Error(`${input.key} has no list of values`);
      return input.kind === 'categorical' ? input.categories : input.values;
    });
    expect(choices.map((each) => each.length)).toEqual([4, 12, 4, 3, 3]);
    const all = choices.reduce<(number | string)[][]>(
      (rows, each) => rows.flatMap((row) => each.map((choice) => [...row, choice])),
      [[]],
    );
    const yields = all.map((conditions) => evaluate(conditions)[0]!).sort((a, b) => b - a);
    expect(yields).toHaveLength(1728);
    expect([yields[0], yields[16], yields.at(-1)]).toEqual([100, top, 0]);
    expect(evaluate(['Potassium acetate', '(t-Bu)PhCPhos', 'DMAc', 0.1, 105])).toEqual([78.95]);
  });
});

describe('the check of points in random domains', () => {
  const space: Parameters<typeof belongs>[1] = {
    inputs: [
      { kind: 'continuous', key: 'a', bounds: [0, 1] },
      { kind: 'continuous', key: 'b', bounds: [0, 1], step: 0.25 },
      { kind: 'discrete', key: 'c', values: [0, 2] },
      { kind: 'categorical', key: 'd', categories: ['x', 'y'] },
    ],
    constraints: [
      { kind: 'linear_equality', features: ['a', 'b'], coefficients: [1, 1], rhs: 1 },
      { kind: 'linear_inequality', features: ['b', 'c'], coefficients: [1, -1], rhs: 0.5 },
      { kind: 'n_choose_k', features: ['a', 'c'], min_count: 1, max_count: 1, none_also_valid: false },
    ],
  };
  const right = { a: 0.5, b: 0.5, c: 0, d: 'x' };

  it('accepts a point of the domain', () => {
    expect(belongs(right, space)).toBe(true);
  });

  it.each([
    ['outside of bounds', { a: -0.25, b: 1.25 }],
    ['off its steps', { a: 0.6, b: 0.4 }],
    ['none of the values', { c: 1 }],
    ['none of the categories', { d: 'z' }],
    ['against an equality', { a: 0.5 + 1e-6 }],
    ['against an inequality', { a: 0.25, b: 0.75 }],
    ['with too many values that are not zero', { c: 2 }],
    ['with an unknown key', { e: 1 }],
  ])('refuses a point %s', (_, change) => {
    expect(belongs({ ...right, ...change }, space)).toBe(false);
  });
});
