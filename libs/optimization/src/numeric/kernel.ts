/**
 * The routines in which models spend their time, over one memory of numbers. Addresses are positions in it. Matrices lie row
 * by row, `stride` numbers to a row; `stride` is {@link padded} and reaches over the order of the matrix with ones on the
 * diagonal, so that the padding takes part without harm. What stands above the diagonal of a lower triangle is not read.
 */
export interface Kernel {
  readonly name: 'wasm' | 'typescript';
  /** The memory, grown to at least so many numbers; valid until it grows again. The first {@link RESERVED} are its own. */
  memory(numbers: number): Float64Array;

  /**
   * Factors the lower triangle at `l` in place.
   *
   * @returns false: it is not positive definite, or holds something that is not a number
   */
  cholesky(l: number, stride: number): boolean;
  /** Each of `rows` rows `b` at `x` becomes the solution of `L x = b`. */
  solveLower(l: number, stride: number, x: number, rows: number): void;
  /** Likewise of `L' x = b`. */
  solveLowerTransposed(l: number, stride: number, x: number, rows: number): void;
  /** Writes the lower triangle of the inverse of `L L'` over that of `L`; `room`: for another matrix. */
  inverse(l: number, stride: number, room: number): void;
  /** Writes the dot product of each of `rows` rows at `a` with each of `others` rows at `b`, `rows x others`. */
  products(a: number, rows: number, b: number, others: number, stride: number, out: number): void;

  /**
   * Matern-5/2 covariances `scale (1 + r + r^2 / 3) exp(-r)`, `r` being the square root of 5 times the distance, of each of
   * `rows` points (`rows x d`) with `n` points in columns (`d x stride`). Of the points in units of the lengthscales.
   *
   * @param covariance `rows x stride`, 0 in the padding
   * @param slope likewise; the derivative by coordinate `c` of a point is `-slope` times the difference in it
   */
  maternBetween(
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
  /** The same of `n` points with each other: lower triangles, with `noise` on the diagonal, and no slope there. */
  maternWithin(
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
   * Per column the sum over all pairs of `(inverse - alpha alpha') slope` times the squared difference of their coordinates.
   *
   * @param slope as {@link maternWithin} left it; it is overwritten
   * @param out length `d`
   */
  maternPull(
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
   * Results of a perceptron for `m` rows of inputs (`m x d`). Parameters are the weights of the hidden units (`d x hidden`),
   * their biases, the weights of the result, and its bias; `hidden` is even.
   *
   * @param activity receives what the hidden units give, `m x hidden`
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
   * @param activity as {@link networkForward} left it; it is overwritten
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
  /** Likewise with respect to the inputs, `m x d`. */
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
   * A step of AdamW on `count` parameters, an even number (Loshchilov and Hutter 2019).
   *
   * @param first moments of the gradient, `second` those of its square
   * @param decay part of a parameter that the step takes away, in units of the learning rate
   * @param atFirst what the first moments are multiplied by for having begun at 0, `atSecond` the others
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

/** A pivot that is less than this part of its diagonal entry is rounding. */
export const SMALLEST_PIVOT = 1e-14;

/** The routines work on blocks of so many rows and columns; matrices are padded to whole blocks. */
export const BLOCK = 4;

/** Numbers at the begin of the memory that routines use for themselves. */
export const RESERVED = 16;

/** The least whole number of blocks that `n` fits into, in numbers. */
export const padded = (n: number): number => Math.ceil(n / BLOCK) * BLOCK;
