/** Covariances as functions of the distance, in the order of their numbers in the compiled module. */
export const SHAPES = ['matern52', 'squared_exponential'] as const;
export type Shape = (typeof SHAPES)[number];

/**
 * The routines in which models spend their time, over one memory of numbers. Addresses are positions in it. Matrices
 * lie row by row, `stride` numbers to a row. `stride` is {@link padded}; the padding has ones on the diagonal, so that
 * it does no harm. Routines do not read above the diagonal of a lower triangle.
 */
export interface Kernel {
  readonly name: 'wasm' | 'typescript';
  /** The memory, grown to at least this length; valid until it grows again. The first {@link RESERVED} are its own. */
  memory(numbers: number): Float64Array;

  /** Factors the lower triangle at `l` in place; false: it is not positive definite, or contains NaN or Infinity. */
  cholesky(l: number, stride: number): boolean;
  /** Replaces each of `rows` rows `b` at `x` by the solution of `L x = b`. */
  solveLower(l: number, stride: number, x: number, rows: number): void;
  /** The same for `L' x = b`. */
  solveLowerTransposed(l: number, stride: number, x: number, rows: number): void;
  /** Replaces the lower triangle of `L` by that of the inverse of `L L'`; `room`: for another matrix. */
  inverse(l: number, stride: number, room: number): void;
  /** Writes the dot products of `rows` rows at `a` with `others` rows at `b`, `rows x others`. */
  products(a: number, rows: number, b: number, others: number, stride: number, out: number): void;

  /**
   * Covariances of `rows` points (`rows x d`) with `n` points in columns (`d x stride`), all in units of the
   * lengthscales. At the distance `r` they are `scale (1 + s + s^2 / 3) exp(-s)` with `s = sqrt(5) r` for Matern-5/2,
   * and `scale exp(-r^2 / 2)` for the squared exponential.
   *
   * @param covariance `rows x stride`, 0 in the padding
   * @param slope likewise; the derivative by coordinate `c` of a point is `-slope` times the difference in it
   */
  covarianceBetween(
    shape: Shape,
    points: number,
    rows: number,
    columns: number,
    stride: number,
    n: number,
    d: number,
    scale: number,
    covariance: number,
    slope: number,
  ): void;
  /** The same for `n` points with each other: lower triangles, with `noise` on the diagonal, and no slope there. */
  covarianceWithin(
    shape: Shape,
    columns: number,
    stride: number,
    n: number,
    d: number,
    scale: number,
    noise: number,
    covariance: number,
    slope: number,
  ): void;
  /**
   * Per column the sum over all pairs of `(inverse - alpha alpha') slope` times the squared difference of their
   * coordinates.
   *
   * @param slope from {@link covarianceWithin}; it is overwritten
   * @param out length `d`
   */
  covariancePull(
    inverse: number,
    alpha: number,
    slope: number,
    columns: number,
    stride: number,
    n: number,
    d: number,
    out: number,
  ): void;

  /**
   * Results of a perceptron for `m` rows of inputs (`m x d`). Parameters are the weights of the hidden units (`d x
   * hidden`), their biases, the weights of the result, and its bias; `hidden` is even.
   *
   * @param activity receives the outputs of the hidden units, `m x hidden`
   * @param results length `m`
   */
  networkForward(
    parameters: number,
    d: number,
    hidden: number,
    inputs: number,
    m: number,
    activity: number,
    results: number,
  ): void;
  /**
   * The derivatives with respect to the parameters.
   *
   * @param activity from {@link networkForward}; it is overwritten
   * @param dResults derivatives with respect to the results, length `m`
   */
  networkBackward(
    parameters: number,
    d: number,
    hidden: number,
    inputs: number,
    m: number,
    activity: number,
    dResults: number,
    dParameters: number,
  ): void;
  /** The same with respect to the inputs, `m x d`. */
  networkToInputs(
    parameters: number,
    d: number,
    hidden: number,
    m: number,
    activity: number,
    dResults: number,
    dInputs: number,
  ): void;
  /**
   * A step of AdamW on an even number of parameters (Loshchilov and Hutter 2019).
   *
   * @param first moments of the gradient; `second`: of its square
   * @param decay part of a parameter that a step removes, in units of the learning rate
   * @param atFirst factor that corrects the first moments for their start at 0; `atSecond`: the second ones
   */
  adam(
    parameters: number,
    gradient: number,
    first: number,
    second: number,
    count: number,
    rate: number,
    decay: number,
    atFirst: number,
    atSecond: number,
  ): void;
}

/** A pivot below this part of its diagonal entry is a rounding error. */
export const SMALLEST_PIVOT = 1e-14;

/** Rows and columns of a block; matrices are padded to whole blocks. */
export const BLOCK = 4;

/** Numbers at the begin of the memory for the routines themselves. */
export const RESERVED = 16;

/** `n`, rounded up to whole blocks. */
export const padded = (n: number): number => Math.ceil(n / BLOCK) * BLOCK;
