import { arena, padded, type Shape } from '../numeric/index.js';
import { crossCovariance } from './covariance.js';
import type { Centred } from './factor.js';

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
  /** The last single point that was {@link solvedAt}: several parts of an acquisition function ask for the same one. */
  recent: Solved | null;
}

/** @param at `m x d`, in units of the lengthscales */
export function solvedAt(known: Conditions, at: Float64Array, m: number): Solved {
  if (m === 1 && known.recent !== null && isSame(known.recent.at, at)) return known.recent;
  const solved = new Solved(known, at, m);
  if (m === 1) known.recent = solved;
  return solved;
}

/** The least variance of a value. */
export const positive = (variance: number, scale: number): number => Math.max(variance, scale * 1e-12);

/** The covariances of points with the observations, and what follows from them for any fixed points. */
export class Solved {
  /** Covariances with the observations, and their slopes, `m x stride`. */
  readonly covariances: Float64Array;
  readonly slopes: Float64Array;
  /** Prior covariances of the points with each other, and their slopes, `m x m`. */
  readonly prior: ReturnType<typeof crossCovariance>;
  /** The posterior ones. */
  readonly covariance: Float64Array;
  /** `L^-1` times each of the covariances. */
  private readonly roots: Float64Array;
  /** `K^-1` times each of the covariances, computed when it is needed. */
  private inverse: Float64Array | null = null;

  constructor(
    private readonly known: Conditions,
    readonly at: Float64Array,
    private readonly m: number,
  ) {
    const { shape, n, relevance, scale, columns, factor } = known;
    const d = relevance.length;
    const stride = padded(n);
    this.prior = crossCovariance(shape, at, m, at, m, d, scale);
    const [l, x] = arena.residents(factor, columns) as [number, number];
    const k = arena.room(m * (2 * stride + Math.max(d, m)));
    const s = k + m * stride;
    const points = s + m * stride;
    const { kernel, numbers } = arena;
    numbers.set(at, points);
    kernel.covarianceBetween(shape, points, m, x, stride, n, d, scale, k, s);
    this.covariances = numbers.slice(k, s);
    this.slopes = numbers.slice(s, points);
    kernel.solveLower(l, stride, k, m);
    this.roots = numbers.slice(k, s);
    const left = points;
    numbers.set(this.prior.covariance, left);
    kernel.takeProducts(k, m, stride, left);
    this.covariance = numbers.slice(left, left + m * m);
    complete(this.covariance, m, scale);
  }

  /** `K^-1` times each of the covariances, `m x stride`. */
  get weights(): Float64Array {
    if (this.inverse !== null) return this.inverse;
    const { roots, m, known } = this;
    const [l] = arena.residents(known.factor) as [number];
    const at = arena.room(roots.length);
    arena.numbers.set(roots, at);
    arena.kernel.solveLowerTransposed(l, padded(known.n), at, m);
    return (this.inverse = arena.numbers.slice(at, at + roots.length));
  }
}

/** Keeps variances positive, and copies the lower triangle of a covariance to the upper one. */
function complete(covariance: Float64Array, m: number, scale: number): void {
  for (let i = 0; i < m; i++) {
    covariance[i * m + i] = positive(covariance[i * m + i]!, scale);
    for (let j = 0; j < i; j++) covariance[j * m + i] = covariance[i * m + j]!;
  }
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
