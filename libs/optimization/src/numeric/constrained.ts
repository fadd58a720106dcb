import { ServiceError } from '@lab/contracts/vocabulary';
import {
  type EndReason,
  type MinimizeOptions,
  type Minimum,
  type SmoothFunction,
  valueAtStart,
} from './lbfgsb.js';
import { cholesky, difference, dot, timesVector } from './linalg.js';
import { searchLine } from './line-search.js';
import { type LinearConstraints, solveQuadratic } from './qp.js';

/**
 * Minimises a smooth function under linear constraints by sequential quadratic programming with a damped BFGS matrix
 * (Nocedal and Wright 2006, procedure 18.2 and algorithm 18.3; Kraft 1988). Every evaluated point satisfies the
 * constraints up to rounding, because they hold between any two points that satisfy them.
 *
 * @param start is moved to the nearest point that satisfies the constraints
 * @throws ServiceError `invalid` when no point satisfies the constraints, or the value or the gradient at the start is
 *   not finite
 */
export function minimizeConstrained(
  f: SmoothFunction,
  start: Float64Array,
  constraints: LinearConstraints,
  options: MinimizeOptions = {},
): Minimum {
  const n = constraints.d;
  const nearest = nearestSatisfying(start, constraints);
  if (nearest === null) throw new ServiceError('invalid', 'No point satisfies the linear constraints');
  const maxIterations = options.maxIterations ?? 200;
  const gradientTolerance = options.gradientTolerance ?? 1e-5;
  const valueTolerance = options.valueTolerance ?? 1e-10;

  let x: Float64Array = nearest;
  let gradient: Float64Array = new Float64Array(n);
  let value = valueAtStart(f, x, gradient);
  let evaluations = 1;
  let iterations = 0;
  let curvature: Float64Array | null = null;
  const end = (reason: EndReason): Minimum => ({ x, value, gradient, iterations, evaluations, reason });

  for (;;) {
    if (curvature !== null && cholesky(curvature, n) === null) curvature = null;
    const matrix: Float64Array = curvature ?? scaledIdentity(n, 1);
    const direction = solveQuadratic(matrix, gradient, around(x, constraints))?.x ?? new Float64Array(n);
    const slope = dot(direction, gradient, n);
    const length = Math.sqrt(dot(direction, direction, n));
    if (-slope <= gradientTolerance * length || length <= 1e-14) {
      // A bad matrix may make the direction useless; only the gradient decides.
      if (curvature === null) return end('converged');
      curvature = null;
      continue;
    }
    if (options.stop?.()) return end('stopped');
    if (iterations >= maxIterations) return end('max_iterations');

    const probe = (t: number) => {
      const at = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        const moved = x[i]! + t * direction[i]!;
        at[i] = Math.min(Math.max(moved, constraints.lower[i]!), constraints.upper[i]!);
      }
      const slopes = new Float64Array(n);
      const found = f(at, slopes);
      evaluations++;
      const here = dot(slopes, direction, n);
      const reached = Number.isFinite(here) ? found : NaN;
      return { t, value: reached, slope: here, promised: t * slope, x: at, gradient: slopes };
    };
    const mayGoOn = () => !options.stop?.();
    const step = searchLine(probe, { value, slope }, 1, 1, mayGoOn);
    if (step === null) {
      if (curvature === null && mayGoOn()) return end('no_descent');
      curvature = null;
      continue;
    }
    const change = value - step.value;
    curvature = updated(curvature, difference(step.x, x), difference(step.gradient, gradient));
    ({ x, gradient, value } = step);
    iterations++;
    if (change <= valueTolerance * Math.max(1, Math.abs(value))) return end('flat');
  }
}

/** The point that satisfies the constraints and is nearest to the given one; null: no point does. */
export function nearestSatisfying(point: Float64Array, constraints: LinearConstraints): Float64Array | null {
  const c = point.map((value) => -value);
  return solveQuadratic(scaledIdentity(constraints.d, 1), c, constraints)?.x ?? null;
}

/** The constraints of a step from `x`; a step of 0 satisfies the inequalities even after rounding. */
function around(
  x: Float64Array,
  { d, aEq, bEq, aLe, bLe, lower, upper }: LinearConstraints,
): LinearConstraints {
  return {
    d,
    aEq,
    // Removes the rounding error of the equalities.
    bEq: bEq.map((bound, i) => bound - dot(aEq, x, d, i * d, 0)),
    aLe,
    bLe: bLe.map((bound, i) => Math.max(0, bound - dot(aLe, x, d, i * d, 0))),
    lower: lower.map((bound, i) => Math.min(0, bound - x[i]!)),
    upper: upper.map((bound, i) => Math.max(0, bound - x[i]!)),
  };
}

/** The BFGS matrix after a step `s` with gradient change `y`, kept positive definite by damping (Powell 1978). */
function updated(matrix: Float64Array | null, s: Float64Array, y: Float64Array): Float64Array | null {
  const n = s.length;
  const sy = dot(s, y, n);
  if (matrix === null && !(sy > 0)) return null;
  const b = matrix ?? scaledIdentity(n, dot(y, y, n) / sy);
  const bs = timesVector(b, n, s);
  const sbs = dot(s, bs, n);
  const theta = sy >= 0.2 * sbs ? 1 : (0.8 * sbs) / (sbs - sy);
  const r = y.map((value, i) => theta * value + (1 - theta) * bs[i]!);
  const sr = dot(s, r, n);
  if (!(sbs > 0 && sr > 0)) return null;
  return b.map((value, k) => {
    const [i, j] = [Math.floor(k / n), k % n];
    return value - (bs[i]! * bs[j]!) / sbs + (r[i]! * r[j]!) / sr;
  });
}

function scaledIdentity(n: number, scale: number): Float64Array {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) matrix[i * n + i] = scale;
  return matrix;
}
