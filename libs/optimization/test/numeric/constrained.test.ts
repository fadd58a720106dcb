import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiplyTransposed } from '../matrices.js';
import { minimizeConstrained, nearestSatisfying } from '../../src/numeric/constrained.js';
import type { SmoothFunction } from '../../src/numeric/lbfgsb.js';
import { dot } from '../../src/numeric/linalg.js';
import { type LinearConstraints, solveQuadratic } from '../../src/numeric/qp.js';
import { Rng } from '../../src/numeric/rng.js';

const box = (d: number, lower: number, upper: number): LinearConstraints => ({
  d,
  aEq: new Float64Array(0),
  bEq: new Float64Array(0),
  aLe: new Float64Array(0),
  bLe: new Float64Array(0),
  lower: new Float64Array(d).fill(lower),
  upper: new Float64Array(d).fill(upper),
});

const rosenbrock: SmoothFunction = (x, gradient) => {
  const rise = x[1]! - x[0]! ** 2;
  gradient.set([-400 * x[0]! * rise - 2 * (1 - x[0]!), 200 * rise]);
  return 100 * rise ** 2 + (1 - x[0]!) ** 2;
};

/** The distance of a point from the feasible set. */
function violation(x: Float64Array, { d, aEq, bEq, aLe, bLe, lower, upper }: LinearConstraints): number {
  return Math.max(
    ...bEq.map((b, i) => Math.abs(dot(aEq, x, d, i * d, 0) - b)),
    ...bLe.map((b, i) => dot(aLe, x, d, i * d, 0) - b),
    ...x.map((value, j) => Math.max(lower[j]! - value, value - upper[j]!)),
  );
}

/** The length of the step to the nearest feasible point downhill of the gradient: 0 at a stationary point. */
function steepness(x: Float64Array, gradient: Float64Array, constraints: LinearConstraints): number {
  const ahead = nearestSatisfying(
    x.map((value, i) => value - gradient[i]!),
    constraints,
  )!;
  return Math.max(...ahead.map((value, i) => Math.abs(value - x[i]!)));
}

/** A box cut by random half spaces and planes through a point within it. */
function polytope(n: number, rng: Rng): LinearConstraints {
  const inside = Float64Array.from({ length: n }, () => 0.2 + 0.6 * rng.uniform());
  const equalities = rng.below(Math.ceil(n / 2));
  const rows = rng.below(n + 2);
  const [aEq, aLe] = [rng.normals(equalities * n), rng.normals(rows * n)];
  const times = (a: Float64Array, count: number) => multiplyTransposed(a, inside, count, n, 1);
  return {
    ...box(n, 0, 1),
    aEq,
    bEq: times(aEq, equalities),
    aLe,
    bLe: times(aLe, rows).map((value) => value + 0.3 * rng.uniform()),
  };
}

describe('minimising under linear constraints', () => {
  it('stops where the line x + y = 1 permits', () => {
    const line = { ...box(2, -2, 2), aEq: Float64Array.of(1, 1), bEq: Float64Array.of(1) };
    const found = minimizeConstrained(rosenbrock, Float64Array.of(-2, 0), line, { gradientTolerance: 1e-8 });
    expect(found.x[0]! + found.x[1]!).toBeCloseTo(1, 13);
    // On the line the derivative is 400 x^3 + 600 x^2 - 198 x - 202, with the root that Newton's method gives.
    expect(found.x[0]).toBeCloseTo(0.61879562, 6);
  });

  it('finds an inner minimum', () => {
    const found = minimizeConstrained(rosenbrock, Float64Array.of(-1.2, 1), box(2, -2, 2), {
      gradientTolerance: 1e-7,
      valueTolerance: 0,
    });
    expect(found.reason).toBe('converged');
    expect(found.x[0]).toBeCloseTo(1, 6);
    expect(found.evaluations).toBeLessThan(100);
  });

  it('agrees with the quadratic program for a quadratic function', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.integer(), (n, seed) => {
        const rng = Rng.seeded(seed);
        const root = rng.normals(n * n);
        const g = multiplyTransposed(root, root, n, n, n);
        for (let i = 0; i < n; i++) g[i * n + i]! += 0.2;
        const c = rng.normals(n).map((value) => 2 * value);
        const constraints = polytope(n, rng);
        const f: SmoothFunction = (x, gradient) => {
          for (let i = 0; i < n; i++) gradient[i] = c[i]! + dot(g, x, n, i * n, 0);
          return 0.5 * (dot(gradient, x, n) + dot(c, x, n));
        };
        const found = minimizeConstrained(f, rng.normals(n), constraints, { valueTolerance: 0 });
        expect(found.value - solveQuadratic(g, c, constraints)!.value).toBeLessThan(1e-8);
      }),
      { numRuns: 80, seed: 23 },
    );
  });

  it('evaluates only points that satisfy the constraints, and ends at a stationary one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 }), fc.integer(), (n, seed) => {
        const rng = Rng.seeded(seed);
        const constraints = polytope(n, rng);
        const waves = rng.normals(n);
        const f: SmoothFunction = (x, gradient) => {
          expect(violation(x, constraints)).toBeLessThan(1e-10);
          let value = 0;
          for (let i = 0; i < n; i++) {
            const next = (i + 1) % n;
            value += Math.sin(4 * x[i]! + waves[i]! * x[next]!);
          }
          for (let i = 0; i < n; i++) {
            const before = (i + n - 1) % n;
            gradient[i] =
              4 * Math.cos(4 * x[i]! + waves[i]! * x[(i + 1) % n]!) +
              waves[before]! * Math.cos(4 * x[before]! + waves[before]! * x[i]!);
          }
          return value;
        };
        const found = minimizeConstrained(f, rng.normals(n), constraints, { valueTolerance: 0 });
        expect(steepness(found.x, found.gradient, constraints)).toBeLessThan(1e-4);
      }),
      { numRuns: 80, seed: 29 },
    );
  });

  it('reports why it ended', () => {
    const start = Float64Array.of(-1.2, 1);
    expect(minimizeConstrained(rosenbrock, start, box(2, -2, 2), { maxIterations: 2 })).toMatchObject({
      reason: 'max_iterations',
      iterations: 2,
    });
    let asked = 0;
    const stop = () => ++asked > 3;
    expect(minimizeConstrained(rosenbrock, start, box(2, -2, 2), { stop }).reason).toBe('stopped');
    const one = minimizeConstrained(rosenbrock, start, box(2, 0.5, 0.5));
    expect(one).toMatchObject({ reason: 'converged', x: Float64Array.of(0.5, 0.5), evaluations: 1 });
  });

  it('refuses contradictory constraints', () => {
    const none = { ...box(2, 0, 1), aLe: Float64Array.of(-1, -1), bLe: Float64Array.of(-3) };
    expect(() => minimizeConstrained(rosenbrock, new Float64Array(2), none)).toThrow('No point satisfies');
    expect(() => minimizeConstrained(() => Infinity, new Float64Array(2), box(2, 0, 1))).toThrow(
      'not finite',
    );
  });
});
