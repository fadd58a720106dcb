import { ServiceError } from '@lab/contracts/vocabulary';
import { arena } from './arena.js';
import { difference, dot } from './linalg.js';
import { searchLine } from './line-search.js';

/** Value at `x`; writes the derivatives into `gradient`. NaN or Infinity: the point is too far. */
export type SmoothFunction = (x: Float64Array, gradient: Float64Array) => number;

/** Why a minimisation ended. The point is always the best one found. */
export type EndReason =
  /** The projected gradient is small enough. */
  | 'converged'
  /** The value hardly changes any more. */
  | 'flat'
  /** No step along the gradient makes it less: the limit of rounding, or a gradient that is wrong. */
  | 'no_descent'
  | 'max_iterations'
  /** The caller asked for it. */
  | 'stopped';

export interface Minimum {
  x: Float64Array;
  value: number;
  gradient: Float64Array;
  iterations: number;
  evaluations: number;
  reason: EndReason;
}

export interface MinimizeOptions {
  /** Default 200. */
  maxIterations?: number;
  /** Limit of the components of the projected gradient; default 1e-5. */
  gradientTolerance?: number;
  /** Limit of the change by a step, relative to the value (or to 1, if larger); default 1e-10. */
  valueTolerance?: number;
  /** Called after each evaluation; true ends the search. */
  stop?: () => boolean;
}

export interface BoundedOptions extends MinimizeOptions {
  /** Least values, length of `x`; absent or -Infinity: none. */
  lower?: Float64Array;
  /** Greatest values, length of `x`; absent or Infinity: none. */
  upper?: Float64Array;
}

/**
 * Minimises a smooth function between bounds: limited-memory BFGS on the free coordinates, with a line search along
 * the path that the bounds bend (Bertsekas 1982, "Projected Newton methods"; Byrd, Lu, Nocedal and Zhu 1995; Nocedal
 * and Wright 2006, section 7.2). Every evaluated point lies within the bounds.
 *
 * @param start is moved to the bounds where it lies outside
 * @throws ServiceError `invalid` when the value or the gradient at the start is not finite, or a lower bound is above
 *   the upper one
 */
export function minimizeBounded(
  f: SmoothFunction,
  start: Float64Array,
  options: BoundedOptions = {},
): Minimum {
  const n = start.length;
  const lower = options.lower ?? new Float64Array(n).fill(-Infinity);
  const upper = options.upper ?? new Float64Array(n).fill(Infinity);
  lower.forEach((least, i) => {
    if (least <= upper[i]!) return;
    const message = `The bounds of variable ${i} leave no value: from ${least} to ${upper[i]}`;
    throw new ServiceError('invalid', message);
  });
  const maxIterations = options.maxIterations ?? 200;
  const gradientTolerance = options.gradientTolerance ?? 1e-5;
  const valueTolerance = options.valueTolerance ?? 1e-10;
  const clipped = (value: number, i: number) => Math.min(Math.max(value, lower[i]!), upper[i]!);

  let x: Float64Array = start.map(clipped);
  let gradient: Float64Array = new Float64Array(n);
  let value = valueAtStart(f, x, gradient);
  let evaluations = 1;
  let iterations = 0;
  const history = new History();
  const free = new Uint8Array(n);
  const end = (reason: EndReason): Minimum => ({ x, value, gradient, iterations, evaluations, reason });

  for (;;) {
    let steepest = 0;
    for (let i = 0; i < n; i++) {
      steepest = Math.max(steepest, Math.abs(clipped(x[i]! - gradient[i]!, i) - x[i]!));
      free[i] = gradient[i]! > 0 ? Number(x[i]! > lower[i]!) : Number(x[i]! < upper[i]!);
    }
    if (steepest <= gradientTolerance) return end('converged');
    if (options.stop?.()) return end('stopped');
    if (iterations >= maxIterations) return end('max_iterations');

    let direction = history.direction(gradient, free);
    if (!(dot(direction, gradient, n) < 0)) {
      history.clear();
      direction = history.direction(gradient, free);
    }
    const probe = (t: number) => {
      const at = new Float64Array(n);
      const slopes = new Float64Array(n);
      let promised = 0;
      for (let i = 0; i < n; i++) {
        at[i] = clipped(x[i]! + t * direction[i]!, i);
        promised += gradient[i]! * (at[i]! - x[i]!);
      }
      const found = f(at, slopes);
      evaluations++;
      let slope = 0;
      for (let i = 0; i < n; i++) {
        // At a bound the path goes on without this coordinate.
        if (at[i] === x[i]! + t * direction[i]!) slope += slopes[i]! * direction[i]!;
      }
      return { t, value: Number.isFinite(slope) ? found : NaN, slope, promised, x: at, gradient: slopes };
    };
    const first = history.empty ? Math.min(1, 1 / Math.sqrt(dot(direction, direction, n))) : 1;
    const slope = dot(direction, gradient, n);
    const step = searchLine(probe, { value, slope }, first, Infinity, () => !options.stop?.());
    if (step === null) {
      if (history.empty && !options.stop?.()) return end('no_descent');
      history.clear();
      continue;
    }
    const change = value - step.value;
    history.add(difference(step.x, x), difference(step.gradient, gradient));
    ({ x, gradient, value } = step);
    iterations++;
    if (change <= valueTolerance * Math.max(1, Math.abs(value))) return end('flat');
  }
}

/** @throws ServiceError `invalid` when the value or the gradient is not finite */
export function valueAtStart(f: SmoothFunction, x: Float64Array, gradient: Float64Array): number {
  const value = f(x, gradient);
  if (Number.isFinite(value) && gradient.every(Number.isFinite)) return value;
  throw new ServiceError('invalid', `The function to be minimised is not finite at its start: ${value}`);
}

/** Number of past steps that shape the next one. */
const MEMORY = 10;

/** The last steps `s`, and the changes `y` of the gradient. */
class History {
  private readonly s: Float64Array[] = [];
  private readonly y: Float64Array[] = [];

  get empty(): boolean {
    return this.s.length === 0;
  }

  clear(): void {
    this.s.length = 0;
    this.y.length = 0;
  }

  add(s: Float64Array, y: Float64Array): void {
    if (!(dot(s, y, s.length) > 2.2e-16 * dot(y, y, y.length))) return;
    if (this.s.length === MEMORY) {
      this.s.shift();
      this.y.shift();
    }
    this.s.push(s);
    this.y.push(y);
  }

  /** See `Kernel.direction`. */
  direction(gradient: Float64Array, free: Uint8Array): Float64Array {
    const n = gradient.length;
    const count = this.s.length;
    const steps = arena.room((2 * count + 3) * n + 2 * count);
    const changes = steps + count * n;
    const [from, marks, out] = [changes + count * n, changes + (count + 1) * n, changes + (count + 2) * n];
    const { kernel, numbers } = arena;
    for (let k = 0; k < count; k++) {
      numbers.set(this.s[k]!, steps + k * n);
      numbers.set(this.y[k]!, changes + k * n);
    }
    numbers.set(gradient, from);
    numbers.set(free, marks);
    kernel.direction(steps, changes, count, from, marks, n, out + n, out);
    return numbers.slice(out, out + n);
  }
}
