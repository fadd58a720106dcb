import { arena, padded, type Shape } from '../numeric/index.js';
import type { Centred } from './factor.js';
import { crossCovariance, scaleRows } from './covariance.js';
import type { Beside, Marginals, Posterior } from './surrogate.js';

/** The knowledge of a Gaussian process about its observations. */
export interface Conditions {
  readonly shape: Shape;
  readonly n: number;
  /** `1 / lengthscale` of each column. */
  readonly relevance: Float64Array;
  /** Variance far away from all observations. */
  readonly scale: number;
  /** The observed points, as `columnsOf`, in units of the lengthscales. */
  readonly columns: Float64Array;
  /** Factor of the covariance of the measurements, `padded(n) x padded(n)`. */
  readonly factor: Float64Array;
  readonly centred: Centred;
}

/** Points whose marginals are computed together, so that their data stay in the caches of a processor. */
const TOGETHER = 64;

/** Posterior of a Gaussian process beside fixed points. Rasmussen & Williams 2006, eq. 2.23 to 2.26. */
export class GaussianBeside implements Beside {
  private readonly d: number;
  private readonly stride: number;
  /** Fixed points, in units of the lengthscales. */
  private readonly stay: Float64Array;
  /**
   * Factors of covariances with the observations, `(1 + f) x stride`: `alpha` for the mean, and `K^-1 k` of each fixed
   * point for the part of its covariance that the observations explain.
   */
  private readonly weights: Float64Array;

  /** @param stay `f x d` */
  constructor(
    private readonly known: Conditions,
    stay: Float64Array,
    private readonly f: number,
  ) {
    const { shape, n, relevance, scale, columns, factor, centred } = known;
    this.d = relevance.length;
    this.stride = padded(n);
    this.stay = scaleRows(stay, f, relevance);
    const { d, stride } = this;
    this.weights = new Float64Array((1 + f) * stride);
    this.weights.set(centred.alpha);
    if (f === 0) return;
    const [l, x] = arena.residents(factor, columns) as [number, number];
    const points = arena.room(f * d + 2 * f * stride);
    const { kernel, numbers } = arena;
    const k = points + f * d;
    numbers.set(this.stay, points);
    kernel.covarianceBetween(shape, points, f, x, stride, n, d, scale, k, k + f * stride);
    kernel.solveLower(l, stride, k, f);
    kernel.solveLowerTransposed(l, stride, k, f);
    this.weights.set(numbers.subarray(k, k + f * stride), stride);
  }

  marginals(points: Float64Array, m: number): Marginals {
    const { d, f, stride } = this;
    const mean = new Float64Array(m);
    const variance = new Float64Array(m);
    const cross = new Float64Array(m * f);
    for (let from = 0; from < m; from += TOGETHER) {
      const count = Math.min(TOGETHER, m - from);
      const at = scaleRows(points.subarray(from * d, (from + count) * d), count, this.known.relevance);
      const { numbers, roots, explained } = this.solved(at, count);
      this.writeExplained(at, count, numbers, explained, mean.subarray(from), cross.subarray(from * f));
      for (let a = 0; a < count; a++) {
        let squares = 0;
        const row = roots + a * stride;
        for (let i = 0; i < stride; i++) squares += numbers[row + i]! * numbers[row + i]!;
        variance[from + a] = this.positive(this.known.scale - squares);
      }
    }
    return { mean, variance, cross };
  }

  posterior(points: Float64Array, m: number): Posterior {
    const { d, f, stride } = this;
    const { shape, relevance, scale } = this.known;
    const at = scaleRows(points, m, relevance);
    const solved = this.solved(at, m);
    const { numbers } = solved;
    const mean = new Float64Array(m);
    const cross = new Float64Array(m * f);
    const toStay = this.writeExplained(at, m, numbers, solved.explained, mean, cross);
    const roots = numbers.slice(solved.roots, solved.roots + m * stride);
    const slopes = numbers.slice(solved.slopes, solved.slopes + m * stride);
    const own = crossCovariance(shape, at, m, at, m, d, scale);
    const covariance = new Float64Array(m * m);
    for (let a = 0; a < m; a++) {
      for (let b = 0; b <= a; b++) {
        let left = own.covariance[a * m + b]!;
        for (let i = 0, p = a * stride, q = b * stride; i < stride; i++, p++, q++)
          left -= roots[p]! * roots[q]!;
        covariance[a * m + b] = covariance[b * m + a] = a === b ? this.positive(left) : left;
      }
    }

    const backward = (dMean: Float64Array, dCovariance: Float64Array, dCross?: Float64Array) => {
      const gradient = new Float64Array(m * d);
      const weights = this.rootsTransposed(roots, m);
      const move = (a: number, pull: number, others: Float64Array, b: number) => {
        for (let c = 0; c < d; c++) gradient[a * d + c]! -= pull * (at[a * d + c]! - others[b * d + c]!);
      };
      for (let a = 0; a < m; a++) {
        // Derivatives with respect to the covariances of point a with the observations.
        const pulls = new Float64Array(stride);
        addRow(pulls, this.weights, 0, dMean[a]!);
        for (let b = 0; b < m; b++) {
          const both = dCovariance[a * m + b]! + dCovariance[b * m + a]!;
          addRow(pulls, weights, b * stride, -both);
          move(a, both * own.slope[a * m + b]!, at, b);
        }
        for (let b = 0; b < f && dCross !== undefined; b++) {
          const pull = dCross[a * f + b]!;
          addRow(pulls, this.weights, (1 + b) * stride, -pull);
          move(a, pull * toStay.slope[a * f + b]!, this.stay, b);
        }
        for (let i = 0; i < stride; i++) pulls[i]! *= slopes[a * stride + i]!;
        for (let c = 0; c < d; c++) {
          const here = at[a * d + c]!;
          let sum = 0;
          for (let i = 0, x = c * stride; i < stride; i++, x++)
            sum += pulls[i]! * (here - this.known.columns[x]!);
          gradient[a * d + c] = (gradient[a * d + c]! - sum) * relevance[c]!;
        }
      }
      return gradient;
    };
    return { mean, covariance, cross, backward };
  }

  /**
   * Covariances of points with the observations, valid until the next call of the kernel.
   *
   * @returns addresses: `roots` of `L^-1 k` and `slopes`, `m x stride`; `explained`, `k` times the weights, `m x (1 +
   *   f)`
   */
  private solved(at: Float64Array, m: number) {
    const { d, f, stride, known } = this;
    const [l, x, w] = arena.residents(known.factor, known.columns, this.weights) as [number, number, number];
    const points = arena.room(m * (d + 2 * stride + 1 + f));
    const { kernel, numbers } = arena;
    const roots = points + m * d;
    const slopes = roots + m * stride;
    const explained = slopes + m * stride;
    numbers.set(at, points);
    kernel.covarianceBetween(known.shape, points, m, x, stride, known.n, d, known.scale, roots, slopes);
    kernel.products(roots, m, w, 1 + f, stride, explained);
    kernel.solveLower(l, stride, roots, m);
    return { numbers, roots, slopes, explained };
  }

  /** Means, and covariances with the fixed points. */
  private writeExplained(
    at: Float64Array,
    m: number,
    numbers: Float64Array,
    explained: number,
    mean: Float64Array,
    cross: Float64Array,
  ) {
    const { d, f } = this;
    const { shape, scale } = this.known;
    const toStay = crossCovariance(shape, at, m, this.stay, f, d, scale);
    for (let a = 0, from = explained; a < m; a++) {
      mean[a] = this.known.centred.mean + numbers[from++]!;
      for (let b = 0; b < f; b++, from++) cross[a * f + b] = toStay.covariance[a * f + b]! - numbers[from]!;
    }
    return toStay;
  }

  /** `L^-T` times each of `m` rows. */
  private rootsTransposed(roots: Float64Array, m: number): Float64Array {
    const [l] = arena.residents(this.known.factor) as [number];
    const x = arena.room(roots.length);
    arena.numbers.set(roots, x);
    arena.kernel.solveLowerTransposed(l, this.stride, x, m);
    return arena.numbers.slice(x, x + roots.length);
  }

  private positive(variance: number): number {
    return Math.max(variance, this.known.scale * 1e-12);
  }
}

/** Adds `weight` times the row that begins at `from`. */
function addRow(target: Float64Array, rows: Float64Array, from: number, weight: number): void {
  if (weight === 0) return;
  for (let i = 0, at = from; i < target.length; i++, at++) target[i]! += weight * rows[at]!;
}
