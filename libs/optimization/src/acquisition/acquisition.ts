import type { Output } from '../domain/space.js';
import type { FittedSurrogate } from '../surrogates/surrogate.js';

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
  /** The values of `m` points (`m x d`), each on its own. */
  values(points: Float64Array, m: number): Float64Array;
  /** @returns the derivatives with respect to the points as well, `q x d` */
  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array };
  /** The same after further points, `count x d`, have become pending. */
  withPending(points: Float64Array, count: number): AcquisitionFunction;
}

/** Which acquisition function, by the names of BoTorch. `beta`: how far the bound of qUCB reaches, at least 0. */
export type AcquisitionChoice =
  { kind: 'qUCB'; beta: number } | { kind: 'qLogEI' | 'qLogNEI' | 'qLogNEHVI' | 'qLogNParEGO' };

/** What is known when points are to be chosen. */
export interface AcquisitionProblem {
  readonly outputs: readonly Output[];
  /** One per output, in their order. */
  readonly models: readonly FittedSurrogate[];
  /** Measured points, `n x d`, encoded; at least one. */
  readonly rows: Float64Array;
  readonly n: number;
  /** Their results in the units of the outputs, `n x outputs.length`. */
  readonly values: Float64Array;
  /** Points whose results are awaited, `pendingCount x d`. */
  readonly pending: Float64Array;
  readonly pendingCount: number;
  readonly seed: number | string;
  /** Number of joint samples; default 128, for hypervolumes of three objectives 64 and of four 32. */
  readonly samples?: number;
  /**
   * Per output the worst value that is of interest, in its unit (of a target: a value at that distance from it), for
   * hypervolumes; absent: from the measured points (see `defaultReference`).
   */
  readonly reference?: Readonly<Record<string, number>>;
}
