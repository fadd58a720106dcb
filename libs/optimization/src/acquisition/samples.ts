import {
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
  /** From derivatives with respect to the samples to those with respect to the points, `q x d`. */
  backward(dSamples: readonly Float64Array[]): Float64Array;
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
      const samples = new Float64Array(count * f);
      if (f === 0) {
        roots.push(new Float64Array(0));
        return samples;
      }
      const { mean, covariance } = model.posterior(stay, f);
      const root = choleskyWithJitter(covariance, f) ?? diagonalRoot(covariance, f);
      roots.push(root);
      const z = this.normals[k]!;
      for (let s = 0; s < count; s++) {
        for (let a = 0; a < f; a++) {
          let value = mean[a]!;
          for (let b = 0; b <= a; b++) value += root[a * f + b]! * z[s * stride + b]!;
          samples[s * f + a] = value;
        }
      }
      return samples;
    });
    this.roots = roots;
  }

  /** @param points `q x d`, with `q` at most the declared number */
  at(points: Float64Array, q: number): Draw {
    const { d } = this;
    const drawn = this.models.map((_, k) => this.draw(k, points.subarray(0, q * d), q));
    return {
      samples: drawn.map(({ samples }) => samples),
      backward: (dSamples) => {
        const gradient = new Float64Array(q * d);
        drawn.forEach(({ backward }, k) => {
          const part = backward(dSamples[k]!);
          for (let i = 0; i < gradient.length; i++) gradient[i]! += part[i]!;
        });
        return gradient;
      },
    };
  }

  /** Samples at each of `m` points by itself. `visit` gets the position of a point and its samples. */
  each(points: Float64Array, m: number, visit: (i: number, samples: readonly Float64Array[]) => void): void {
    const { fixedCount: f, count, stride } = this;
    const found = this.models.map((model, k) => {
      const { mean, variance, cross } = model.marginals(points, m);
      const explained = f === 0 ? cross : solveLower(this.roots[k]!, f, cross, m);
      const factors = new Float64Array(m * stride);
      for (let i = 0; i < m; i++) {
        let left = variance[i]!;
        for (let a = 0; a < f; a++) {
          const part = explained[i * f + a]!;
          factors[i * stride + a] = part;
          left -= part * part;
        }
        factors[i * stride + f] = Math.sqrt(Math.max(left, LEAST_VARIANCE));
      }
      return { mean, away: multiplyTransposed(factors, m, this.normals[k]!, count, stride) };
    });
    for (let i = 0; i < m; i++) {
      const samples = found.map(({ mean, away }) => {
        const own = away.subarray(i * count, (i + 1) * count);
        for (let s = 0; s < count; s++) own[s]! += mean[i]!;
        return own;
      });
      visit(i, samples);
    }
  }

  private draw(k: number, points: Float64Array, q: number) {
    const { fixedCount: f, count } = this;
    const posterior = this.models[k]!.posterior(points, q);
    const { mean, covariance, cross } = posterior;
    const root = this.roots[k]!;
    // Rows of L21, one per point: the part that the fixed points explain.
    const explained = f === 0 ? cross : solveLower(root, f, cross, q);
    const left = new Float64Array(q * q);
    for (let i = 0; i < q; i++) {
      for (let j = 0; j <= i; j++) {
        let value = covariance[i * q + j]!;
        for (let a = 0; a < f; a++) value -= explained[i * f + a]! * explained[j * f + a]!;
        left[i * q + j] = value;
      }
    }
    const floored = factorInPlace(left, q);
    const samples = new Float64Array(count * q);
    this.write(k, mean, explained, left, q, samples);
    const z = this.normals[k]!;
    const { stride } = this;

    const backward = (dSamples: Float64Array): Float64Array => {
      const dMean = new Float64Array(q);
      const dExplained = new Float64Array(q * f);
      const dLeft = new Float64Array(q * q);
      for (let s = 0; s < count; s++) {
        const at = s * stride;
        for (let i = 0; i < q; i++) {
          const weight = dSamples[s * q + i]!;
          if (weight === 0) continue;
          dMean[i]! += weight;
          for (let a = 0; a < f; a++) dExplained[i * f + a]! += weight * z[at + a]!;
          for (let j = 0; j <= i; j++) dLeft[i * q + j]! += weight * z[at + f + j]!;
        }
      }
      factorBackward(left, q, floored, dLeft);
      const dCovariance = new Float64Array(q * q);
      for (let i = 0; i < q; i++) {
        for (let j = 0; j <= i; j++) {
          const half = 0.5 * dLeft[i * q + j]!;
          dCovariance[i * q + j]! += half;
          dCovariance[j * q + i]! += half;
          for (let a = 0; a < f; a++) {
            dExplained[i * f + a]! -= 2 * half * explained[j * f + a]!;
            dExplained[j * f + a]! -= 2 * half * explained[i * f + a]!;
          }
        }
      }
      const dCross = f === 0 ? dExplained : solveLowerTransposed(root, f, dExplained, q);
      return posterior.backward(dMean, dCovariance, dCross);
    };
    return { samples, backward };
  }

  /**
   * Samples at `q` points, `count x q`.
   *
   * @param explained `q x fixedCount`
   * @param left factor of the rest, `q x q`
   */
  private write(
    k: number,
    mean: Float64Array,
    explained: Float64Array,
    left: Float64Array,
    q: number,
    samples: Float64Array,
  ): void {
    const { fixedCount: f, count } = this;
    const z = this.normals[k]!;
    for (let s = 0, at = 0; s < count; s++, at += this.stride) {
      for (let i = 0; i < q; i++) {
        let value = mean[i]!;
        for (let a = 0; a < f; a++) value += explained[i * f + a]! * z[at + a]!;
        for (let j = 0; j <= i; j++) value += left[i * q + j]! * z[at + f + j]!;
        samples[s * q + i] = value;
      }
    }
  }
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
