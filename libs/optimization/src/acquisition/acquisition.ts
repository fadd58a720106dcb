import type { Output } from '../domain/space.js';
import type { FittedSurrogate } from '../surrogates/surrogate.js';

/** The usefulness of measuring points, given results and pending points. To be maximised; always finite and smooth. */
export interface AcquisitionFunction {
  /** Length of an encoded row. */
  readonly d: number;
  /** Most points that can be valued together; 1: a batch is chosen one by one. */
  readonly jointLimit: number;
  /** @param points `q x d`, with `q` at most {@link jointLimit} */
  value(points: Float64Array, q: number): number;
  /** The values of `m` points (`m x d`), each by itself. */
  values(points: Float64Array, m: number): Float64Array;
  /** @returns also the derivatives with respect to the points, `q x d` */
  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array };
  /** The same function after further points, `count x d`, have become pending. */
  withPending(points: Float64Array, count: number): AcquisitionFunction;
}

/** The acquisition function, by its name in BoTorch. `beta`, at least 0: the width of the bound of qUCB. */
export type AcquisitionChoice =
  { kind: 'qUCB'; beta: number } | { kind: 'qLogEI' | 'qLogNEI' | 'qLogNEHVI' | 'qLogNParEGO' };

/** The knowledge at the time of a choice. */
export interface AcquisitionProblem {
  readonly outputs: readonly Output[];
  /** One per output, in their order. */
  readonly models: readonly FittedSurrogate[];
  /** Measured points, `n x d`, encoded; at least one. */
  readonly rows: Float64Array;
  readonly n: number;
  /** Their results in the units of the outputs, `n x outputs.length`. */
  readonly values: Float64Array;
  /** Points without a result yet, `pendingCount x d`. */
  readonly pending: Float64Array;
  readonly pendingCount: number;
  readonly seed: number | string;
  /** Number of joint samples; default 128, for hypervolumes of three objectives 64 and of four 32. */
  readonly samples?: number;
  /**
   * Per output the worst value of interest, in its unit (for a target: a value at that distance from it), for
   * hypervolumes; absent: `defaultReference` computes it.
   */
  readonly reference?: Readonly<Record<string, number>>;
}
