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
  /** The same for the diagonal alone, in half the time; what it leaves beside the diagonal has no meaning. */
  inverseDiagonal(l: number, stride: number, room: number): void;
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

  /** Writes the sum of the squares of each of `m` rows. */
  squares(rows: number, m: number, stride: number, out: number): void;
  /** Takes the dot products of `m` rows with each other from the lower triangle of `out`, `m x m`. */
  takeProducts(rows: number, m: number, stride: number, out: number): void;
  /**
   * Derivatives with respect to `m` points, in units of the lengthscales, of a function of their posterior. There are `f`
   * fixed points.
   *
   * @param derivatives with respect to the means, `m`, to the covariances, `m x m`, and to those with the fixed points,
   *   `m x f`, one behind the other
   * @param priors slopes of the prior covariances, `m x m`, and of those with the fixed points, `m x f`
   * @param others the points and the fixed points, `(m + f) x d`
   * @param slopes of the covariances with the observations, `m x stride`
   * @param solved inverse covariance of the observations times the covariances of the points, `m x stride`
   * @param weights of the mean, and of the fixed points: `(1 + f) x stride`
   * @param columns the observations, `d x stride`
   * @param pulls room for `stride` numbers
   * @param out `m x d`
   */
  pullPoints(
    derivatives: number,
    priors: number,
    others: number,
    slopes: number,
    solved: number,
    m: number,
    weights: number,
    f: number,
    columns: number,
    stride: number,
    d: number,
    pulls: number,
    out: number,
  ): void;

  /**
   * Joint samples of `q` values: the mean of value `i` plus the first `fixed + i + 1` numbers of its factor times those
   * of each sample.
   *
   * @param factors `q x stride`
   * @param normals `count x stride`
   * @param out `count x q`
   */
  draw(
    factors: number,
    q: number,
    fixed: number,
    means: number,
    normals: number,
    count: number,
    stride: number,
    out: number,
  ): void;
  /**
   * From derivatives with respect to samples, `count x q`, to those with respect to the means, length `q`, and to the factors, `q x
   * stride`. The numbers of `dFactors` that {@link draw} does not read have no meaning.
   */
  pullDraw(
    derivatives: number,
    q: number,
    normals: number,
    count: number,
    stride: number,
    dMeans: number,
    dFactors: number,
  ): void;

  /**
   * `-H g` on the coordinates that are free and 0 on the others, by the two-loop recursion of limited-memory BFGS over
   * pairs cut to the free coordinates (Nocedal and Wright 2006, algorithm 7.4). A pair without positive curvature there
   * is ignored.
   *
   * @param steps the last `count` steps, oldest first, `count x n`; `changes`: those of the gradient
   * @param free 0 or 1 for each coordinate
   * @param room for `2 count` numbers
   * @param out length `n`
   */
  direction(
    steps: number,
    changes: number,
    count: number,
    gradient: number,
    free: number,
    n: number,
    room: number,
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
