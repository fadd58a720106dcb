import { logSumExp } from '../numeric/index.js';
import { fatMax, fatPlus, fatPlusSlope, MAX_WIDTH, PLUS_WIDTH } from './smooth.js';

/** `count x q` utilities, and the probability that thresholds are kept, from 0 to 1. */
export interface Utilities {
  readonly count: number;
  readonly q: number;
  readonly utility: Float64Array;
  readonly feasibility: Float64Array;
}

/** A number computed from the utilities of samples. */
export interface Reduced {
  value: number;
  /** Derivatives, in the shapes of the arguments (feasibility: of its logarithm). Empty: not requested. */
  dUtility: Float64Array;
  dLogFeasibility: Float64Array;
}

/** @param sloped whether to compute derivatives */
export type Reduction = (utilities: Utilities, sloped: boolean) => Reduced;

/**
 * Logarithm of the expected improvement over the incumbent of each sample: one for all samples for qLogEI, one for
 * each for qLogNEI (Ament et al. 2023, eq. 10; Letham et al. 2019; Balandat et al. 2020).
 */
export function logImprovement(incumbents: Float64Array): Reduction {
  return (given, sloped) => {
    const { utility } = given;
    return logMean(given, sloped, (at, s, slopes) => {
      const gain = utility[at]! - incumbents[s]!;
      if (sloped) slopes[at] = fatPlusSlope(gain, PLUS_WIDTH);
      return fatPlus(gain, PLUS_WIDTH);
    });
  };
}

/**
 * Logarithm of the probability that a point keeps the thresholds where no pending point does (Gardner et al. 2014;
 * Gelbart et al. 2014). Used until a measured point keeps them.
 *
 * @param open per sample, from 0 to 1: how far the pending points leave the thresholds broken
 */
export function logFeasibility(open: Float64Array): Reduction {
  return (given, sloped) => logMean(given, sloped, (_, s) => Math.max(open[s]!, 1e-6));
}

/** Above 0. Writes its derivative with respect to the utility unless that is 0. */
type Term = (at: number, sample: number, slopes: Float64Array) => number;

/** Below this, a sum of terms has lost digits. */
const LEAST_SUM = 1e-250;

/** Mean over samples, in logarithms, of the greatest of `q` terms times its feasibility. */
function logMean(given: Utilities, sloped: boolean, term: Term): Reduced {
  return (given.q === 1 ? logMeanOfOne(given, sloped, term) : null) ?? logMeanOfMany(given, sloped, term);
}

/** With one term, no logarithm of each is needed, unless their sum has lost digits (null). */
function logMeanOfOne({ count, feasibility }: Utilities, sloped: boolean, term: Term): Reduced | null {
  const dUtility = new Float64Array(sloped ? count : 0);
  const dLogFeasibility = new Float64Array(sloped ? count : 0);
  const parts = new Float64Array(count);
  let sum = 0;
  for (let s = 0; s < count; s++) sum += parts[s] = term(s, s, dUtility) * feasibility[s]!;
  if (!(sum > LEAST_SUM && sum < Infinity)) return null;
  for (let s = 0; s < count && sloped; s++) {
    dUtility[s]! *= feasibility[s]! / sum;
    dLogFeasibility[s] = parts[s]! / sum;
  }
  return { value: Math.log(sum / count), dUtility, dLogFeasibility };
}

function logMeanOfMany({ count, q, feasibility }: Utilities, sloped: boolean, term: Term): Reduced {
  const dUtility = new Float64Array(sloped ? count * q : 0);
  const dLogFeasibility = new Float64Array(sloped ? count * q : 0);
  const logs = new Float64Array(count);
  const terms = new Float64Array(q);
  const weights = new Float64Array(q);
  for (let s = 0; s < count; s++) {
    for (let i = 0; i < q; i++) {
      const at = s * q + i;
      const own = term(at, s, dUtility);
      if (sloped) dUtility[at]! /= own;
      terms[i] = Math.log(own) + Math.log(feasibility[at]!);
    }
    logs[s] = fatMax(terms, q, MAX_WIDTH, weights);
    for (let i = 0; i < q && sloped; i++) {
      dUtility[s * q + i]! *= weights[i]!;
      dLogFeasibility[s * q + i] = weights[i]!;
    }
  }
  const total = logSumExp(logs);
  for (let s = 0; s < count && sloped; s++) {
    const share = Math.exp(logs[s]! - total);
    for (let i = 0; i < q; i++) {
      dUtility[s * q + i]! *= share;
      dLogFeasibility[s * q + i]! *= share;
    }
  }
  return { value: total - Math.log(count), dUtility, dLogFeasibility };
}

/**
 * Upper confidence bound by samples: the mean of the greatest `mean + sqrt(beta pi / 2) |sample - mean|` of a batch,
 * which for one point is `mean + sqrt(beta) deviation` (Wilson et al. 2017, "The reparameterization trick for
 * acquisition functions"). With thresholds, the part of a bound above `floor` is multiplied by its feasibility.
 *
 * @param pending per sample the bound of the pending points; -Infinity: none is pending
 * @param floor a low utility; null: there are no thresholds
 */
export function upperConfidence(beta: number, pending: Float64Array, floor: number | null): Reduction {
  const reach = Math.sqrt((beta * Math.PI) / 2);
  return ({ count, q, utility, feasibility }) => {
    const dUtility = new Float64Array(count * q);
    const dLogFeasibility = new Float64Array(count * q);
    const means = columnMeans(utility, count, q);
    const dMeans = new Float64Array(q);
    const bounds = new Float64Array(q + 1);
    const weights = new Float64Array(q + 1);
    let value = 0;
    for (let s = 0; s < count; s++) {
      for (let i = 0; i < q; i++) {
        const at = s * q + i;
        bounds[i] = counted(means[i]! + reach * Math.abs(utility[at]! - means[i]!), feasibility[at]!, floor);
      }
      bounds[q] = pending[s]!;
      const held = Number.isFinite(pending[s]!) ? q + 1 : q;
      value += fatMax(bounds, held, MAX_WIDTH, weights) / count;
      for (let i = 0; i < q; i++) {
        const at = s * q + i;
        const away = utility[at]! - means[i]!;
        let pull = weights[i]! / count;
        if (floor !== null) {
          const above = means[i]! + reach * Math.abs(away) - floor;
          dLogFeasibility[at] = pull * fatPlus(above, MAX_WIDTH) * feasibility[at]!;
          pull *= fatPlusSlope(above, MAX_WIDTH) * feasibility[at]!;
        }
        const side = reach * Math.sign(away);
        dUtility[at] = pull * side;
        dMeans[i]! += pull * (1 - side);
      }
    }
    for (let s = 0; s < count; s++) for (let i = 0; i < q; i++) dUtility[s * q + i]! += dMeans[i]! / count;
    return { value, dUtility, dLogFeasibility };
  };
}

/** Per sample the highest bound of the fixed points, as for {@link upperConfidence}; -Infinity without points. */
export function confidenceOf(
  beta: number,
  { count, q, utility, feasibility }: Utilities,
  floor: number | null,
): Float64Array {
  const reach = Math.sqrt((beta * Math.PI) / 2);
  const means = columnMeans(utility, count, q);
  return Float64Array.from({ length: count }, (_, s) => {
    let best = -Infinity;
    for (let i = 0; i < q; i++) {
      const at = s * q + i;
      const bound = means[i]! + reach * Math.abs(utility[at]! - means[i]!);
      best = Math.max(best, counted(bound, feasibility[at]!, floor));
    }
    return best;
  });
}

function counted(bound: number, feasibility: number, floor: number | null): number {
  return floor === null ? bound : floor + fatPlus(bound - floor, MAX_WIDTH) * feasibility;
}

function columnMeans(values: Float64Array, rows: number, columns: number): Float64Array {
  const means = new Float64Array(columns);
  for (let s = 0; s < rows; s++)
    for (let i = 0; i < columns; i++) means[i]! += values[s * columns + i]! / rows;
  return means;
}
