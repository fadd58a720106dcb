import { arena, padded } from '../numeric/index.js';
import { crossCovariance, scaleRows } from './covariance.js';
import { positive, solvedAt, type Conditions } from './solved.js';
import type { Beside, Marginals, Posterior } from './surrogate.js';

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

  means(points: Float64Array, m: number): Float64Array {
    const { columns, centred } = this.known;
    const mean = new Float64Array(m);
    const [x, w] = arena.residents(columns, this.weights) as [number, number];
    for (let from = 0; from < m; from += TOGETHER) {
      const count = Math.min(TOGETHER, m - from);
      const { roots, explained } = this.covariances(x, points, from, count, count);
      const { kernel, numbers } = arena;
      kernel.products(roots, count, w, 1, this.stride, explained);
      for (let a = 0; a < count; a++) mean[from + a] = centred.mean + numbers[explained + a]!;
    }
    return mean;
  }

  marginals(points: Float64Array, m: number): Marginals {
    const { f, stride } = this;
    const { scale, factor, columns } = this.known;
    const mean = new Float64Array(m);
    const variance = new Float64Array(m);
    const cross = new Float64Array(m * f);
    const [l, x, w] = arena.residents(factor, columns, this.weights) as [number, number, number];
    for (let from = 0; from < m; from += TOGETHER) {
      const count = Math.min(TOGETHER, m - from);
      const { at, roots, slopes, explained } = this.covariances(x, points, from, count, count * (1 + f));
      const { kernel, numbers } = arena;
      kernel.products(roots, count, w, 1 + f, stride, explained);
      kernel.solveLower(l, stride, roots, count);
      this.writeExplained(at, count, numbers, explained, mean.subarray(from), cross.subarray(from * f));
      // The slopes are not needed.
      kernel.squares(roots, count, stride, slopes);
      for (let a = 0; a < count; a++) variance[from + a] = positive(scale - numbers[slopes + a]!, scale);
    }
    return { mean, variance, cross };
  }

  /**
   * Covariances of `count` points, from position `from` on, with the observations, in the arena.
   *
   * @param x address of the observations
   * @param more length of the room at `explained`
   * @returns the points in units of the lengthscales, and addresses; `roots` and `slopes` are `count x stride`
   */
  private covariances(x: number, points: Float64Array, from: number, count: number, more: number) {
    const { d, stride } = this;
    const { shape, n, scale, relevance } = this.known;
    const at = scaleRows(points.subarray(from * d, (from + count) * d), count, relevance);
    const place = arena.room(count * (d + 2 * stride) + more);
    const roots = place + count * d;
    const slopes = roots + count * stride;
    const { kernel, numbers } = arena;
    numbers.set(at, place);
    kernel.covarianceBetween(shape, place, count, x, stride, n, d, scale, roots, slopes);
    return { at, roots, slopes, explained: slopes + count * stride };
  }

  posterior(points: Float64Array, m: number): Posterior {
    const { d, f, stride } = this;
    const { relevance, columns } = this.known;
    const at = scaleRows(points, m, relevance);
    const solved = solvedAt(this.known, at, m);
    const { prior, slopes } = solved;
    const mean = new Float64Array(m);
    const cross = new Float64Array(m * f);
    const [w] = arena.residents(this.weights) as [number];
    const from = arena.room(m * (stride + 1 + f));
    const explained = from + m * stride;
    const { kernel, numbers } = arena;
    numbers.set(solved.covariances, from);
    kernel.products(from, m, w, 1 + f, stride, explained);
    const toStay = this.writeExplained(at, m, numbers, explained, mean, cross);

    const backward = (dMean: Float64Array, dCovariance: Float64Array, dCross?: Float64Array) => {
      const fixed = dCross === undefined ? 0 : f;
      const { weights } = solved;
      const [x, w] = arena.residents(columns, this.weights) as [number, number];
      const all = m + fixed;
      const derivatives = arena.room(m * (1 + 2 * all + d + 2 * stride) + all * d + stride);
      const priors = derivatives + m * (1 + all);
      const others = priors + m * all;
      const slope = others + all * d;
      const inverse = slope + m * stride;
      const pulls = inverse + m * stride;
      const out = pulls + stride;
      const { kernel, numbers } = arena;
      numbers.set(dMean, derivatives);
      numbers.set(dCovariance, derivatives + m);
      numbers.set(prior.slope, priors);
      numbers.set(at, others);
      numbers.set(slopes, slope);
      numbers.set(weights, inverse);
      if (dCross !== undefined) {
        numbers.set(dCross, derivatives + m + m * m);
        numbers.set(toStay.slope, priors + m * m);
        numbers.set(this.stay, others + m * d);
      }
      kernel.pullPoints(derivatives, priors, others, slope, inverse, m, w, fixed, x, stride, d, pulls, out);
      return scaleRows(numbers.slice(out, out + m * d), m, relevance);
    };
    return { mean, covariance: solved.covariance, cross, backward };
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
}
