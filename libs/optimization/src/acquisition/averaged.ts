import { logSumExp } from '../numeric/index.js';
import type { AcquisitionFunction } from './acquisition.js';

/**
 * The logarithm of the mean of acquisition functions in logarithmic units, each of which believes in one hypothesis: the integrated
 * acquisition function of J. Snoek, H. Larochelle, R. P. Adams: Practical Bayesian optimization of machine learning algorithms,
 * 2012.
 *
 * @param functions of the same points; at least one
 */
export function averaged(functions: readonly AcquisitionFunction[]): AcquisitionFunction {
  return functions.length === 1 ? functions[0]! : new Averaged(functions);
}

class Averaged implements AcquisitionFunction {
  readonly d: number;
  readonly jointLimit: number;

  constructor(private readonly functions: readonly AcquisitionFunction[]) {
    this.d = functions[0]!.d;
    this.jointLimit = Math.min(...functions.map(({ jointLimit }) => jointLimit));
  }

  value(points: Float64Array, q: number): number {
    return logMeanExp(Float64Array.from(this.functions, (each) => each.value(points, q)));
  }

  values(points: Float64Array, m: number): Float64Array {
    const all = this.functions.map((each) => each.values(points, m));
    return Float64Array.from({ length: m }, (_, i) => logMeanExp(Float64Array.from(all, (of) => of[i]!)));
  }

  gradient(points: Float64Array, q: number): { value: number; gradient: Float64Array } {
    const all = this.functions.map((each) => each.gradient(points, q));
    const value = logMeanExp(Float64Array.from(all, (each) => each.value));
    const gradient = new Float64Array(q * this.d);
    for (const each of all) {
      const weight = Math.exp(each.value - value) / all.length;
      each.gradient.forEach((slope, j) => (gradient[j]! += weight * slope));
    }
    return { value, gradient };
  }

  withPending(points: Float64Array, count: number): AcquisitionFunction {
    return new Averaged(this.functions.map((each) => each.withPending(points, count)));
  }
}

const logMeanExp = (values: Float64Array): number => logSumExp(values) - Math.log(values.length);
