import { densityWith, fitGaussianProcess, type GaussianProcessOptions } from './fit.js';
import type { GaussianProcess } from './gp.js';
import type {
  Beside,
  Choices,
  FittedSurrogate,
  LeaveOneOut,
  Marginals,
  OutputMap,
  Posterior,
} from './surrogate.js';
import { fitWithTrend, type TrendChoice } from './trend.js';

/** Per encoded column the descriptors of its category, scaled to [0, 1]; null: there are none. */
export type Descriptors = readonly (readonly number[] | null)[];

/**
 * Minimum gain of names alone over descriptors beside them, in nats over all left-out observations. Left-out observations hardly show
 * the gain of descriptors for categories that were never measured.
 */
const WORTH_NAMES = 2;

/**
 * Fits a Gaussian process as {@link fitGaussianProcess}. If there are descriptors of categories, it also fits one that
 * sees them beside the names, so that similar categories may have similar results (B. J. Shields et al., Nature 590
 * (2021), 89-96). It returns that one unless the names alone predict left-out observations better.
 *
 * @param options `trend`: whether there may be a trend where there are no descriptors ({@link fitWithTrend}); default `none`
 */
export function fitWithDescriptors(
  rows: Float64Array,
  y: Float64Array,
  n: number,
  d: number,
  options: GaussianProcessOptions & { descriptors?: Descriptors; trend?: TrendChoice },
): FittedSurrogate {
  const { descriptors = [], trend = 'none', ...others } = options;
  const isDescribed = descriptors.some((each) => each !== null);
  if (!isDescribed) return fitWithTrend(rows, y, n, d, others, trend);
  const plain = fitGaussianProcess(rows, y, n, d, others);
  const features = new Features(
    descriptors,
    Array.from({ length: d }, (_, c) => options.inputOf?.[c] ?? c),
  );
  const { count, inputOf } = features;
  const described = fitGaussianProcess(features.of(rows, n), y, n, count, { ...others, inputOf });
  const data = { rows, y, n };
  return densityWith(plain, data) > densityWith(described, data) + WORTH_NAMES
    ? plain
    : new DescribedProcess(described, features);
}

/** A linear map of encoded rows: their columns, and behind them the descriptors of each described input. */
class Features {
  readonly count: number;
  /** Input of each feature; the descriptors of an input count as an input of their own. */
  readonly inputOf: readonly number[];
  /** Per feature the encoded columns that it sums, each times a value. */
  private readonly parts: readonly { input: number; columns: readonly number[]; values: readonly number[] }[];

  /** @param columnsOf input of each encoded column */
  constructor(
    descriptors: Descriptors,
    private readonly columnsOf: readonly number[],
  ) {
    const behind = Math.max(...columnsOf) + 1;
    const own = columnsOf.map((input, c) => ({ input, columns: [c], values: [1] }));
    const described = [...new Set(columnsOf)].flatMap((input) => {
      const columns = [...columnsOf.keys()].filter((c) => columnsOf[c] === input);
      return (descriptors[columns[0]!] ?? []).map((_, j) => ({
        input: behind + input,
        columns,
        values: columns.map((c) => descriptors[c]![j]!),
      }));
    });
    this.parts = [...own, ...described];
    this.count = this.parts.length;
    this.inputOf = this.parts.map(({ input }) => input);
  }

  /** Length of an encoded row. */
  get d(): number {
    return this.columnsOf.length;
  }

  /** The features of `m` encoded rows, `m x count`. */
  of(rows: Float64Array, m: number): Float64Array {
    const { d, count } = this;
    const found = new Float64Array(m * count);
    this.parts.forEach(({ columns, values }, j) => {
      for (let i = 0; i < m; i++) {
        let sum = 0;
        for (let k = 0; k < columns.length; k++) sum += rows[i * d + columns[k]!]! * values[k]!;
        found[i * count + j] = sum;
      }
    });
    return found;
  }

  /** Derivatives with respect to encoded rows, `m x d`, from those with respect to features. */
  backward(gradient: Float64Array, m: number): Float64Array {
    const { d, count } = this;
    const found = new Float64Array(m * d);
    this.parts.forEach(({ columns, values }, j) => {
      for (let i = 0; i < m; i++) {
        for (let k = 0; k < columns.length; k++)
          found[i * d + columns[k]!]! += gradient[i * count + j]! * values[k]!;
      }
    });
    return found;
  }

  /** Relevance of each encoded column: that of its most relevant feature. */
  relevance(found: Float64Array): Float64Array {
    const relevance = new Float64Array(this.d);
    this.parts.forEach(({ columns }, j) => {
      for (const c of columns) relevance[c] = Math.max(relevance[c]!, found[j]!);
    });
    return relevance;
  }
}

/** A Gaussian process over features, as a model over encoded rows. */
class DescribedProcess implements FittedSurrogate {
  readonly d: number;
  readonly output: OutputMap;
  readonly noise: number;
  readonly relevance: Float64Array;
  readonly choices: Choices;
  readonly timedOut: boolean;

  constructor(
    private readonly process: GaussianProcess,
    private readonly features: Features,
  ) {
    this.d = features.d;
    this.output = process.output;
    this.noise = process.noise;
    this.relevance = features.relevance(process.relevance);
    this.choices = process.choices!;
    this.timedOut = process.timedOut;
  }

  posterior(points: Float64Array, m: number): Posterior {
    return this.mapped(this.process.posterior(this.features.of(points, m), m), m);
  }

  means(points: Float64Array, m: number): Float64Array {
    return this.process.means(this.features.of(points, m), m);
  }

  beside(stay: Float64Array, count: number): Beside {
    const { features } = this;
    const beside = this.process.beside(features.of(stay, count), count);
    return {
      posterior: (points, m) => this.mapped(beside.posterior(features.of(points, m), m), m),
      marginals: (points, m): Marginals => beside.marginals(features.of(points, m), m),
    };
  }

  leaveOneOut(): LeaveOneOut {
    return this.process.leaveOneOut();
  }

  private mapped(posterior: Posterior, m: number): Posterior {
    return {
      ...posterior,
      backward: (...slopes) => this.features.backward(posterior.backward(...slopes), m),
    };
  }
}
