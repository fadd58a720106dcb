/**
 * How useful it would be to measure some points, given what is known and what is pending. Always to be maximised; finite
 * and with useful derivatives everywhere.
 */
export interface AcquisitionFunction {
  /** Length of a row, encoded. */
  readonly d: number;
  /** How many points can be valued together at most; 1: a batch is chosen one by one. */
  readonly jointLimit: number;
  /** @param points `q x d`, with `q` at most {@link jointLimit} */
  value(points: Float64Array, q: number): number;
  /** @returns the derivatives with respect to the points as well, `q x d` */
  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array };
  /** The same after further points, `count x d`, have become pending. */
  withPending(points: Float64Array, count: number): AcquisitionFunction;
}
