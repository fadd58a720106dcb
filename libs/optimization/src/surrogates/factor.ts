import {
  cholesky,
  inverseFromCholesky,
  logDeterminant,
  solveCholesky,
  solveLower,
  solveLowerTransposed,
} from '../numeric/index.js';

/** Tried in turn, in units of the output scale, when rounding makes a covariance indefinite. */
const JITTERS = [0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4];

/** A covariance matrix `K = L L^T` taken apart once, for everything that is asked of its inverse. */
export class Factor {
  private constructor(
    private readonly root: Float64Array,
    private readonly n: number,
  ) {}

  /**
   * @param covariance `n x n`, symmetric, without noise; it is left as it is
   * @param scale the output scale: what the jitter is measured by
   * @param noise variance that is added to the diagonal
   * @returns null when no jitter up to 1e-4 of the scale makes the matrix positive definite
   */
  static of(covariance: Float64Array, n: number, scale: number, noise: number): Factor | null {
    const matrix = covariance.slice();
    for (const jitter of JITTERS) {
      for (let i = 0; i < n; i++) matrix[i * n + i] = covariance[i * n + i]! + noise + jitter * scale;
      const root = cholesky(matrix, n);
      if (root !== null) return new Factor(root, n);
    }
    return null;
  }

  get logDeterminant(): number {
    return logDeterminant(this.root, this.n);
  }

  /** `K^-1`, `n x n`. */
  inverse(): Float64Array {
    return inverseFromCholesky(this.root, this.n);
  }

  /** `K^-1 b` */
  solve(b: Float64Array): Float64Array {
    return solveCholesky(this.root, this.n, b);
  }

  /** `L^-1 b` of `count` vectors, one after the other. */
  solveRoot(b: Float64Array, count: number): Float64Array {
    return solveLower(this.root, this.n, b, count);
  }

  /** `L^-T b` of `count` vectors, one after the other. */
  solveRootTransposed(b: Float64Array, count: number): Float64Array {
    return solveLowerTransposed(this.root, this.n, b, count);
  }
}

/** The mean by generalised least squares, `1^T K^-1 z / 1^T K^-1 1`, and what follows from it. */
export interface Centred {
  mean: number;
  /** `K^-1 (z - mean)` */
  alpha: Float64Array;
  /** `K^-1 1` */
  ones: Float64Array;
  /** `1^T K^-1 1` */
  precision: number;
}

export function centre(factor: Factor, z: Float64Array): Centred {
  const n = z.length;
  const ones = factor.solve(new Float64Array(n).fill(1));
  const alpha = factor.solve(z);
  let precision = 0;
  let weighted = 0;
  for (let i = 0; i < n; i++) {
    precision += ones[i]!;
    weighted += alpha[i]!;
  }
  const mean = weighted / precision;
  for (let i = 0; i < n; i++) alpha[i]! -= mean * ones[i]!;
  return { mean, alpha, ones, precision };
}
