import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript without declarations
import * as functions from '../bench/optimizer/functions.mjs';
// @ts-expect-error: plain JavaScript without declarations
import { hypervolume } from '../bench/optimizer/hypervolume.mjs';

/** What the optimizer is measured against is what was published. */

type Evaluate = (x: readonly number[]) => number | number[];
const given = functions as unknown as Record<string, Evaluate>;
const volume = hypervolume as (points: number[][], reference: number[]) => number;

describe('test functions', () => {
  it.each([
    ['branin', [Math.PI, 2.275], 0.397887, 1e-6],
    ['hartmann6', [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573], -3.32237, 1e-5],
    ['ackley', [0, 0, 0, 0], 0, 1e-12],
    ['levy', [1, 1, 1, 1], 0, 1e-12],
    ['rosenbrock', [1, 1, 1, 1], 0, 1e-12],
    ['gramacy', [0.1954, 0.4044], 0.5998, 1e-4],
    ['pressureVessel', [0.8125, 0.4375, 42.098446, 176.636596], 6059.7144, 1e-3],
    ['weldedBeam', [0.205986, 3.471328, 9.020224, 0.20648], 1.728226, 1e-5],
  ])('%s has its published optimum', (name, x, optimum, tolerance) => {
    const [value = NaN, ...slacks] = [given[name]!(x)].flat();
    expect(Math.abs(value - optimum)).toBeLessThan(tolerance);
    for (const slack of slacks) expect(slack).toBeGreaterThan(-1e-4);
  });

  it.each([
    ['dtlz2', 6, [1.1, 1.1], 1.21 - Math.PI / 4, 0.5],
    ['zdt1', 6, [11, 11], 120 + 2 / 3, 0],
    ['zdt2', 6, [11, 11], 120 + 1 / 3, 0],
  ])('%s has its published front', (name, d, reference, most, rest) => {
    const front = Array.from({ length: 2001 }, (_, i) => {
      const x = Array.from({ length: d }, () => rest);
      x[0] = i / 2000;
      return given[name]!(x) as number[];
    });
    expect(volume(front, reference) / most).toBeGreaterThan(0.999);
    expect(volume(front, reference) / most).toBeLessThanOrEqual(1);
  });
});

describe('the hypervolume', () => {
  it('is the published one of two and of three objectives', () => {
    const points = [
      [-8.5, -3],
      [-8.5, -3.5],
      [-5, -5],
      [-9, -1],
      [-4, -5],
    ];
    expect(volume(points, [0, 0])).toBeCloseTo(37.75, 12);
    const axes = [
      [-1, 0, 0],
      [0, -1, 0],
      [0, 0, -1],
    ];
    expect(volume(axes, [2.1, 2.5, 2.3])).toBeCloseTo(3.1 * 2.5 * 2.3 + 2.1 * 2.3 + 2.1 * 2.5, 12);
  });
});
