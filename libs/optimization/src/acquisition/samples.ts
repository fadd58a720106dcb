import {
  arena,
  choleskyWithJitter,
  multiplyTransposed,
  padded,
  type Rng,
  solveLower,
  solveLowerTransposed,
} from '../numeric/index.js';
import type { Beside, Surrogate } from '../surrogates/surrogate.js';
import { baseNormals } from './base-normals.js';

/** Joint samples at some points, with the derivatives back to these points. */
export interface Draw {
  /** Per output `count x q`, in the scale of its model. */
  readonly samples: readonly Float64Array[];
  /** Per output the variance of the first point, likewise. */
  readonly variances: readonly number[];
  /**
   * From derivatives with respect to the samples, and to {@link variances} (absent: 0), to those with respect to the points,
   * `q x d`.
   */
  backward(dSamples: readonly Float64Array[], dVariances?: readonly number[]): Float64Array;
}

/** Lower limit of the variance of a point given the points before it (scale of the model). */
const LEAST_VARIANCE = 1e-12;

/**
 * Samples of outputs at points, jointly with samples at fixed points, which are pending or measured. Every draw uses
 * the same random numbers, so that a draw is a smooth function of its points (Wilson, Hutter and Deisenroth 2018). The
 * factor of the covariance of the fixed points is computed once.
 */
export class JointSamples {
  /** Per output `count x fixedCount`: samples at the fixed points. */
  readonly fixed: readonly Float64Array[];
  private readonly models: readonly Beside[];
  /** Per output the factor of the covariance of the fixed points. */
  private readonly roots: readonly Float64Array[];
  /** Per output `count x stride` standard normal numbers: of the fixed points, and of those of a draw. */
  private readonly normals: readonly Float64Array[];
  private readonly stride: number;

  /**
   * @param models one per output, independent of each other
   * @param stay fixed points, `fixedCount x d`
   * @param count number of samples
   * @param most most points of a draw
   */
  constructor(
    models: readonly Surrogate[],
    private readonly d: number,
    stay: Float64Array,
    readonly fixedCount: number,
    readonly count: number,
    most: number,
    rng: Rng,
  ) {
    const f = fixedCount;
    this.models = models.map((model) => model.beside(stay, f));
    this.stride = padded(f + most);
    this.normals = baseNormals(models.length, count, f, most, rng);
    const { stride } = this;
    const roots: Float64Array[] = [];
    this.fixed = models.map((model, k) => {
      if (f === 0) {
        roots.push(new Float64Array(0));
        return new Float64Array(0);
      }
      const { mean, covariance } = model.posterior(stay, f);
      const root = choleskyWithJitter(covariance, f) ?? diagonalRoot(covariance, f);
      roots.push(root);
      const factors = new Float64Array(f * stride);
      for (let a = 0; a < f; a++) factors.set(root.subarray(a * f, a * f + a + 1), a * stride);
      return this.drawn(k, mean, factors, f, 0);
    });
    this.roots = roots;
  }

  /** @param points `q x d`, with `q` at most the declared number */
  at(points: Float64Array, q: number): Draw {
    const { d } = this;
    const drawn = this.models.map((_, k) => this.draw(k, points.subarray(0, q * d), q));
    return {
      samples: drawn.map(({ samples }) => samples),
      variances: drawn.map(({ variance }) => variance),
      backward: (dSamples, dVariances) => {
        const gradient = new Float64Array(q * d);
        drawn.forEach(({ backward }, k) => {
          const part = backward(dSamples[k]!, dVariances?.[k] ?? 0);
          for (let i = 0; i < gradient.length; i++) gradient[i]! += part[i]!;
        });
        return gradient;
      },
    };
  }

  /** Samples at each of `m` points by itself. `visit` gets the position of a point, its samples and its variances. */
  each(
    points: Float64Array,
    m: number,
    visit: (i: number, samples: readonly Float64Array[], variances: readonly number[]) => void,
  ): void {
    const { fixedCount: f, count, stride } = this;
    const found = this.models.map((model, k) => {
      const { mean, variance, cross } = model.marginals(points, m);
      const explained = f === 0 ? cross : solveLower(this.roots[k]!, f, cross, m);
      const factors = new Float64Array(m * stride);
      for (let i = 0; i < m; i++) writeFactor(explained, i, f, variance[i]!, factors, i * stride);
      return { mean, variance, away: multiplyTransposed(factors, m, this.normals[k]!, count, stride) };
    });
    for (let i = 0; i < m; i++) {
      const samples = found.map(({ mean, away }) => {
        const own = away.subarray(i * count, (i + 1) * count);
        addTo(own, mean[i]!);
        return own;
      });
      visit(
        i,
        samples,
        found.map(({ variance }) => variance[i]!),
      );
    }
  }

  private draw(k: number, points: Float64Array, q: number) {
    const { fixedCount: f, stride } = this;
    const posterior = this.models[k]!.posterior(points, q);
    const { mean, covariance, cross } = posterior;
    const root = this.roots[k]!;
    // Rows of L21, one per point: the part that the fixed points explain.
    const explained = f === 0 ? cross : solveLower(root, f, cross, q);
    const left = remainder(covariance, explained, q, f);
    const floored = factorInPlace(left, q);
    const factors = new Float64Array(q * stride);
    for (let i = 0; i < q; i++) {
      factors.set(explained.subarray(i * f, (i + 1) * f), i * stride);
      factors.set(left.subarray(i * q, i * q + i + 1), i * stride + f);
    }
    const samples = this.drawn(k, mean, factors, q, f);

    const backward = (dSamples: Float64Array, dVariance: number): Float64Array => {
      const { dMean, dFactors } = this.pulled(k, dSamples, q);
      const dExplained = new Float64Array(q * f);
      const dLeft = new Float64Array(q * q);
      for (let i = 0; i < q; i++) {
        const row = i * stride;
        dExplained.set(dFactors.subarray(row, row + f), i * f);
        dLeft.set(dFactors.subarray(row + f, row + f + i + 1), i * q);
      }
      factorBackward(left, q, floored, dLeft);
      const dCovariance = new Float64Array(q * q);
      for (let i = 0; i < q; i++) {
        for (let j = 0; j <= i; j++) {
          const half = 0.5 * dLeft[i * q + j]!;
          dCovariance[i * q + j]! += half;
          dCovariance[j * q + i]! += half;
          addRow(dExplained, i * f, -2 * half, explained, j * f, f);
          addRow(dExplained, j * f, -2 * half, explained, i * f, f);
        }
      }
      dCovariance[0]! += dVariance;
      const dCross = f === 0 ? dExplained : solveLowerTransposed(root, f, dExplained, q);
      return posterior.backward(dMean, dCovariance, dCross);
    };
    return { samples, variance: covariance[0]!, backward };
  }

  /**
   * Samples at `q` points, `count x q`.
   *
   * @param factors `q x stride`: the parts of the `fixed` points that came before, and the factor of the rest
   */
  private drawn(
    k: number,
    mean: Float64Array,
    factors: Float64Array,
    q: number,
    fixed: number,
  ): Float64Array {
    const { count, stride } = this;
    const [normals] = arena.residents(this.normals[k]!) as [number];
    const at = arena.room(q * (stride + 1 + count));
    const means = at + q * stride;
    const out = means + q;
    const { kernel, numbers } = arena;
    numbers.set(factors, at);
    numbers.set(mean, means);
    kernel.draw(at, q, fixed, means, normals, count, stride, out);
    return numbers.slice(out, out + count * q);
  }

  /** From derivatives with respect to {@link drawn} samples to those with respect to means and factors. */
  private pulled(k: number, dSamples: Float64Array, q: number) {
    const { count, stride } = this;
    const [normals] = arena.residents(this.normals[k]!) as [number];
    const at = arena.room(q * (stride + 1 + count));
    const means = at + q * stride;
    const from = means + q;
    const { kernel, numbers } = arena;
    numbers.set(dSamples, from);
    kernel.pullDraw(from, q, normals, count, stride, means, at);
    return { dMean: numbers.slice(means, from), dFactors: numbers.slice(at, means) };
  }
}

/** Writes the parts of one point that fixed points explain, and the deviation of the rest. */
function writeFactor(
  explained: Float64Array,
  i: number,
  f: number,
  variance: number,
  factors: Float64Array,
  to: number,
): void {
  let left = variance;
  for (let a = 0; a < f; a++) {
    const part = explained[i * f + a]!;
    factors[to + a] = part;
    left -= part * part;
  }
  factors[to + f] = Math.sqrt(Math.max(left, LEAST_VARIANCE));
}

function addTo(values: Float64Array, value: number): void {
  for (let s = 0; s < values.length; s++) values[s]! += value;
}

/** The lower triangle of the covariance of `q` points less the parts that `f` fixed points explain. */
function remainder(covariance: Float64Array, explained: Float64Array, q: number, f: number): Float64Array {
  const left = new Float64Array(q * q);
  for (let i = 0; i < q; i++) {
    for (let j = 0; j <= i; j++) {
      let value = covariance[i * q + j]!;
      for (let a = 0; a < f; a++) value -= explained[i * f + a]! * explained[j * f + a]!;
      left[i * q + j] = value;
    }
  }
  return left;
}

function addRow(
  target: Float64Array,
  to: number,
  weight: number,
  rows: Float64Array,
  from: number,
  f: number,
): void {
  for (let a = 0; a < f; a++) target[to + a]! += weight * rows[from + a]!;
}

/** Without correlations, for a covariance that no jitter makes definite. */
function diagonalRoot(covariance: Float64Array, n: number): Float64Array {
  const root = new Float64Array(n * n);
  for (let i = 0; i < n; i++) root[i * n + i] = Math.sqrt(Math.max(covariance[i * n + i]!, LEAST_VARIANCE));
  return root;
}

/**
 * Cholesky factor of a small matrix in its lower triangle. Pivots have a lower limit, so that points may coincide.
 * @returns 1 where a pivot was raised
 */
function factorInPlace(a: Float64Array, n: number): Uint8Array {
  const floored = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let value = a[i * n + j]!;
      for (let k = 0; k < j; k++) value -= a[i * n + k]! * a[j * n + k]!;
      if (i !== j) a[i * n + j] = value / a[j * n + j]!;
      else {
        floored[i] = value > LEAST_VARIANCE ? 0 : 1;
        a[i * n + i] = Math.sqrt(Math.max(value, LEAST_VARIANCE));
      }
    }
  }
  return floored;
}

/**
 * Reverse mode of {@link factorInPlace} (Smith 1995; Murray 2016, section 3): derivatives with respect to the factor
 * become those with respect to the lower triangle of the matrix, in place.
 */
function factorBackward(l: Float64Array, n: number, floored: Uint8Array, df: Float64Array): void {
  for (let k = n - 1; k >= 0; k--) {
    for (let j = n - 1; j > k; j--) {
      for (let i = n - 1; i >= j; i--) {
        df[i * n + k]! -= df[i * n + j]! * l[j * n + k]!;
        df[j * n + k]! -= df[i * n + j]! * l[i * n + k]!;
      }
    }
    for (let j = n - 1; j > k; j--) {
      df[j * n + k]! /= l[k * n + k]!;
      df[k * n + k]! -= l[j * n + k]! * df[j * n + k]!;
    }
    if (floored[k] === 1) df[k * n + k] = 0;
    else df[k * n + k]! /= 2 * l[k * n + k]!;
  }
}
