import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiplyTransposed } from '../matrices.js';
import { minimizeBounded, type SmoothFunction } from '../../src/numeric/lbfgsb.js';
import { timesVector } from '../../src/numeric/linalg.js';
import { Rng } from '../../src/numeric/rng.js';

const rosenbrock: SmoothFunction = (x, gradient) => {
  let value = 0;
  gradient.fill(0);
  for (let i = 0; i + 1 < x.length; i++) {
    const rise = x[i + 1]! - x[i]! ** 2;
    value += 100 * rise ** 2 + (1 - x[i]!) ** 2;
    gradient[i]! += -400 * x[i]! * rise - 2 * (1 - x[i]!);
    gradient[i + 1]! += 200 * rise;
  }
  return value;
};

describe('L-BFGS with bounds', () => {
  it.each([2, 4, 10, 30])('finds the minimum of Rosenbrock in %i dimensions', (n) => {
    const found = minimizeBounded(rosenbrock, new Float64Array(n).fill(-1), {
      maxIterations: 1000,
      gradientTolerance: 1e-8,
      valueTolerance: 0,
    });
    expect(found.reason).toBe('converged');
    // The second stationary point of higher dimensions is a minimum too, near (-1, 1, ..., 1).
    if (n < 4) for (const value of found.x) expect(value).toBeCloseTo(1, 6);
    expect(found.evaluations).toBeLessThan(600);
    expect(Math.max(...found.gradient.map(Math.abs))).toBeLessThan(1e-8);
  });

  it('stops at a bound, with the gradient pointing out', () => {
    const upper = Float64Array.of(0.5, 10);
    const found = minimizeBounded(rosenbrock, Float64Array.of(-3, 3), {
      lower: Float64Array.of(-1, -1),
      upper,
      maxIterations: 500,
      valueTolerance: 0,
    });
    expect(found.x[0]).toBe(0.5);
    expect(found.x[1]).toBeCloseTo(0.25, 6);
    expect(found.gradient[0]).toBeLessThan(0);
  });

  it('meets the conditions of Karush, Kuhn and Tucker on random convex quadratics in boxes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer(), (n, seed) => {
        const rng = Rng.seeded(seed);
        const root = rng.normals(n * n);
        const q = multiplyTransposed(root, root, n, n, n);
        for (let i = 0; i < n; i++) q[i * n + i]! += 0.1;
        const c = rng.normals(n);
        const lower = Float64Array.from(rng.normals(n), (value) => value - 0.5);
        const upper = Float64Array.from(lower, (value) => value + rng.below(3) * 0.5);
        const f: SmoothFunction = (x, gradient) => {
          x.forEach((value, i) => {
            if (value < lower[i]! || value > upper[i]!) throw new Error('outside');
          });
          gradient.set(timesVector(q, n, x).map((value, i) => value + c[i]!));
          return x.reduce((sum, value, i) => sum + 0.5 * value * (gradient[i]! + c[i]!), 0);
        };
        const found = minimizeBounded(f, rng.normals(n), {
          lower,
          upper,
          maxIterations: 2000,
          gradientTolerance: 1e-6,
          valueTolerance: 0,
        });
        found.x.forEach((value, i) => {
          const g = found.gradient[i]!;
          // Rounding may end a step next to a bound.
          if (value > lower[i]! + 1e-14) expect(g).toBeLessThan(1e-4);
          if (value < upper[i]! - 1e-14) expect(g).toBeGreaterThan(-1e-4);
        });
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  it('avoids points where the function is not finite', () => {
    // -log x + x has its minimum at 1; the first step from 1e-3 leads far below 0.
    const f: SmoothFunction = (x, gradient) => {
      gradient[0] = 1 - 1 / x[0]!;
      return x[0]! - Math.log(x[0]!);
    };
    expect(minimizeBounded(f, Float64Array.of(5), {}).x[0]).toBeCloseTo(1, 4);
    expect(minimizeBounded(f, Float64Array.of(1e-3), {}).x[0]).toBeCloseTo(1, 4);
  });

  it('reports why it ended', () => {
    const start = () => Float64Array.of(-1.2, 1);
    expect(minimizeBounded(rosenbrock, start(), { maxIterations: 3 })).toMatchObject({
      reason: 'max_iterations',
      iterations: 3,
    });
    let asked = 0;
    const stopped = minimizeBounded(rosenbrock, start(), { stop: () => ++asked > 4 });
    expect(stopped.reason).toBe('stopped');
    expect(stopped.value).toBeLessThanOrEqual(rosenbrock(start(), new Float64Array(2)));
    const wrong = minimizeBounded((x, gradient) => {
      gradient[0] = -1;
      return x[0]!;
    }, Float64Array.of(0));
    expect(wrong).toMatchObject({ reason: 'no_descent', value: 0 });
    expect(minimizeBounded(rosenbrock, Float64Array.of(1, 1))).toMatchObject({
      reason: 'converged',
      evaluations: 1,
    });
  });

  it('never returns a value above the start, whatever the function', () => {
    const unbounded = minimizeBounded(
      (x, gradient) => {
        gradient[0] = 1;
        return x[0]!;
      },
      Float64Array.of(0),
      { maxIterations: 50 },
    );
    expect(Number.isFinite(unbounded.value)).toBe(true);
    const kink = minimizeBounded((x, gradient) => {
      gradient[0] = Math.sign(x[0]!);
      return Math.abs(x[0]!);
    }, Float64Array.of(3));
    expect(kink.value).toBeLessThan(1e-6);
  });

  it('refuses bounds without a value between, and a start that is not finite', () => {
    const options = { lower: Float64Array.of(1, 0), upper: Float64Array.of(0, 1) };
    expect(() => minimizeBounded(rosenbrock, Float64Array.of(0, 0), options)).toThrow('variable 0');
    expect(() => minimizeBounded(() => NaN, Float64Array.of(0))).toThrow('not finite');
  });
});
