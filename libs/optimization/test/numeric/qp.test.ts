import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiplyTransposed } from '../matrices.js';
import { type LinearConstraints, solveQuadratic } from '../../src/numeric/qp.js';
import { Rng } from '../../src/numeric/rng.js';

const none = (d: number): LinearConstraints => ({
  d,
  aEq: new Float64Array(0),
  bEq: new Float64Array(0),
  aLe: new Float64Array(0),
  bLe: new Float64Array(0),
  lower: new Float64Array(d).fill(-Infinity),
  upper: new Float64Array(d).fill(Infinity),
});

const identity = (n: number) => Float64Array.from({ length: n * n }, (_, k) => Number(k % (n + 1) === 0));

/** Constraints that a random point satisfies, some of them exactly, some twice. */
function solvable(n: number, rng: Rng) {
  const inside = rng.normals(n);
  const times = (a: Float64Array, rows: number) => multiplyTransposed(a, inside, rows, n, 1);
  const equalities = rng.below(n);
  const aEq = rng.normals(equalities * n);
  if (equalities > 2) aEq.copyWithin(n, 0, n);
  const rows = rng.below(3 * n + 1);
  const aLe = rng.normals(rows * n);
  if (rows > 2) aLe.copyWithin(n, 0, n);
  return {
    d: n,
    aEq,
    bEq: times(aEq, equalities),
    aLe,
    bLe: times(aLe, rows).map((value) => value + (rng.below(3) === 0 ? 0 : rng.uniform())),
    lower: inside.map((value) => (rng.below(2) === 0 ? -Infinity : value - rng.below(2) * rng.uniform())),
    upper: inside.map((value) => (rng.below(2) === 0 ? Infinity : value + rng.below(2) * rng.uniform())),
  } satisfies LinearConstraints;
}

describe('quadratic programs', () => {
  it('give the manual solution of the example of the method', () => {
    // (x - 1)^2 + (y - 2.5)^2, Nocedal and Wright (2006), example 16.4: the optimum is (1.4, 1.7).
    const found = solveQuadratic(Float64Array.of(2, 0, 0, 2), Float64Array.of(-2, -5), {
      ...none(2),
      aLe: Float64Array.of(-1, 2, 1, 2, 1, -2),
      bLe: Float64Array.of(2, 6, 2),
      lower: Float64Array.of(0, 0),
    })!;
    expect(found.x[0]).toBeCloseTo(1.4, 12);
    expect(found.x[1]).toBeCloseTo(1.7, 12);
    expect([...found.atMost].map((value) => Number(value.toFixed(12)))).toEqual([0.8, 0, 0]);
    expect(found.value + 7.25).toBeCloseTo(0.8, 12);
  });

  it('project onto a simplex', () => {
    const simplex = {
      ...none(3),
      aEq: Float64Array.of(1, 1, 1),
      bEq: Float64Array.of(1),
      lower: new Float64Array(3),
    };
    const near = solveQuadratic(identity(3), Float64Array.of(-0.7, -0.6, 0.5), simplex)!;
    expect(near.x[0]).toBeCloseTo(0.55, 13);
    expect(near.x[1]).toBeCloseTo(0.45, 13);
    expect(near.x[2]).toBe(0);
  });

  it('report contradictory constraints', () => {
    const g = identity(2);
    const c = new Float64Array(2);
    const atLeast3 = { aLe: Float64Array.of(-1, -1), bLe: Float64Array.of(-3) };
    expect(solveQuadratic(g, c, { ...none(2), ...atLeast3, upper: Float64Array.of(1, 1) })).toBeNull();
    expect(
      solveQuadratic(g, c, { ...none(2), lower: Float64Array.of(1, 0), upper: new Float64Array(2) }),
    ).toBeNull();
    const twice = { aEq: Float64Array.of(1, 1, 2, 2) };
    expect(solveQuadratic(g, c, { ...none(2), ...twice, bEq: Float64Array.of(1, 3) })).toBeNull();
    expect(solveQuadratic(g, c, { ...none(2), ...twice, bEq: Float64Array.of(1, 2) })!.x).toEqual(
      Float64Array.of(0.5, 0.5),
    );
    expect(
      solveQuadratic(g, c, { ...none(2), aEq: new Float64Array(2), bEq: Float64Array.of(1) }),
    ).toBeNull();
    expect(() => solveQuadratic(Float64Array.of(1, 0, 0, -1), c, none(2))).toThrow('positive definite');
  });

  it('satisfy the conditions of Karush, Kuhn and Tucker', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer(), (n, seed) => {
        const rng = Rng.seeded(seed);
        const root = rng.normals(n * n);
        const g = multiplyTransposed(root, root, n, n, n);
        for (let i = 0; i < n; i++) g[i * n + i]! += 0.05;
        const c = rng.normals(n).map((value) => 3 * value);
        const constraints = solvable(n, rng);
        const { aEq, bEq, aLe, bLe, lower, upper } = constraints;
        const found = solveQuadratic(g, c, constraints);
        expect(found).not.toBeNull();
        const { x, equal, atMost, atLower, atUpper } = found!;

        const rowTimes = (a: Float64Array, i: number) =>
          x.reduce((sum, value, j) => sum + a[i * n + j]! * value, 0);
        bEq.forEach((b, i) => expect(Math.abs(rowTimes(aEq, i) - b)).toBeLessThan(1e-9));
        bLe.forEach((b, i) => {
          const slack = b - rowTimes(aLe, i);
          expect(slack).toBeGreaterThan(-1e-9);
          expect(atMost[i]).toBeGreaterThanOrEqual(0);
          expect(atMost[i]! * slack).toBeLessThan(1e-6);
        });
        const residual = c.map((value, i) => value + rowTimes(g, i) - atLower[i]! + atUpper[i]!);
        equal.forEach((u, i) => residual.forEach((_, j) => (residual[j]! += u * aEq[i * n + j]!)));
        atMost.forEach((u, i) => residual.forEach((_, j) => (residual[j]! += u * aLe[i * n + j]!)));
        const size = 1 + Math.max(...equal.map(Math.abs), ...atMost, ...atLower, ...atUpper);
        for (const value of residual) expect(Math.abs(value)).toBeLessThan(1e-8 * size);
        x.forEach((value, i) => {
          expect(value >= lower[i]! && value <= upper[i]!).toBe(true);
          expect(Math.min(atLower[i]!, atUpper[i]!)).toBeGreaterThanOrEqual(0);
          if (value > lower[i]! + 1e-6) expect(atLower[i]).toBe(0);
          if (value < upper[i]! - 1e-6) expect(atUpper[i]).toBe(0);
        });
      }),
      { numRuns: 300, seed: 17 },
    );
  });
});
