import { Rng } from '../numeric/index.js';
import { checkObservations } from './observations.js';
import { leaveOneOutOf } from './leave-one-out.js';
import { Network, Training, type Activation } from './network.js';
import { StandardisedOutput } from './output-map.js';
import type {
  Beside,
  FitOptions,
  FittedSurrogate,
  LeaveOneOut,
  Marginals,
  OutputMap,
  Posterior,
} from './surrogate.js';

const MEMBERS = 6;
/** Units of the hidden layer. */
const HIDDEN = 64;
const BATCH = 16;
/** Learning rate, which falls to 0 along a half wave, and decay of the weights; smaller ones underfit. */
const RATE = 0.02;
const DECAY = 0.1;

/**
 * Ensemble of multi-layer perceptrons: its mean is the prediction, the spread of its members the uncertainty
 * (Lakshminarayanan et al. 2017). Each network has another start, and two of them leave out each observation, every
 * pair equally often. Their errors on it scale the spread.
 */
export class MlpEnsemble implements FittedSurrogate {
  readonly relevance = null;

  constructor(
    readonly d: number,
    private readonly networks: readonly Network[],
    private readonly calibration: Calibration,
    readonly output: OutputMap,
    private readonly y: Float64Array,
    readonly timedOut: boolean,
  ) {}

  get noise(): number {
    return this.calibration.noise;
  }

  posterior(points: Float64Array, m: number): Posterior {
    return this.beside(new Float64Array(0), 0).posterior(points, m);
  }

  means(points: Float64Array, m: number): Float64Array {
    return this.beside(new Float64Array(0), 0).marginals(points, m).mean;
  }

  beside(stay: Float64Array, count: number): Beside {
    return new EnsembleBeside(this.networks, this.calibration, stay, count);
  }

  leaveOneOut(): LeaveOneOut {
    return leaveOneOutOf(this.y, this.calibration.leftOut, this.calibration.deviation, this.output);
  }
}

/** Results of the members at some points, and their differences from the mean. */
interface Answers {
  activations: Activation[];
  mean: Float64Array;
  deviations: Float64Array[];
}

class EnsembleBeside implements Beside {
  private readonly atStay: readonly Float64Array[];
  /** Factor of the product of two deviations in a covariance. */
  private readonly weight: number;

  /** @param stay `f x d` */
  constructor(
    private readonly networks: readonly Network[],
    private readonly calibration: Calibration,
    stay: Float64Array,
    private readonly f: number,
  ) {
    this.weight = calibration.scale ** 2 / (networks.length - 1);
    this.atStay = this.answers(stay, f).deviations;
  }

  marginals(points: Float64Array, m: number): Marginals {
    const { mean, deviations } = this.answers(points, m);
    const variance = new Float64Array(m).fill(this.calibration.floor);
    for (const deviation of deviations) {
      for (let a = 0; a < m; a++) variance[a]! += this.weight * deviation[a]! * deviation[a]!;
    }
    return { mean, variance, cross: this.cross(deviations, m) };
  }

  posterior(points: Float64Array, m: number): Posterior {
    const { networks, weight, f, atStay } = this;
    const { activations, mean, deviations } = this.answers(points, m);
    const covariance = new Float64Array(m * m);
    for (let a = 0; a < m; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (const deviation of deviations) sum += deviation[a]! * deviation[b]!;
        covariance[a * m + b] = covariance[b * m + a] = weight * sum + (a === b ? this.calibration.floor : 0);
      }
    }

    const backward = (dMean: Float64Array, dCovariance: Float64Array, dCross?: Float64Array) => {
      const gradient = new Float64Array(points.length);
      networks.forEach((network, k) => {
        const dResults = new Float64Array(m);
        for (let a = 0; a < m; a++) {
          let sum = 0;
          for (let b = 0; b < m; b++) {
            sum += (dCovariance[a * m + b]! + dCovariance[b * m + a]!) * deviations[k]![b]!;
          }
          for (let b = 0; b < f && dCross !== undefined; b++) sum += dCross[a * f + b]! * atStay[k]![b]!;
          // The mean inside the deviations needs no term: deviations add up to zero.
          dResults[a] = dMean[a]! / networks.length + weight * sum;
        }
        const dInputs = network.backwardToInputs(activations[k]!, dResults);
        for (let at = 0; at < gradient.length; at++) gradient[at]! += 2 * dInputs[at]!;
      });
      return gradient;
    };
    return { mean, covariance, cross: this.cross(deviations, m), backward };
  }

  private answers(points: Float64Array, m: number): Answers {
    const { networks } = this;
    const inputs = centred(points);
    const activations = networks.map((network) => network.forward(inputs, m));
    const mean = new Float64Array(m);
    for (const { results } of activations) {
      for (let a = 0; a < m; a++) mean[a]! += results[a]! / networks.length;
    }
    const deviations = activations.map(({ results }) => results.map((value, a) => value - mean[a]!));
    return { activations, mean, deviations };
  }

  private cross(deviations: readonly Float64Array[], m: number): Float64Array {
    const { f, atStay, weight } = this;
    const cross = new Float64Array(m * f);
    deviations.forEach((deviation, k) => {
      for (let a = 0, at = 0; a < m; a++) {
        for (let b = 0; b < f; b++, at++) cross[at]! += weight * deviation[a]! * atStay[k]![b]!;
      }
    });
    return cross;
  }
}

/** Conclusions from left-out observations, in the scale of the model. */
interface Calibration {
  /** Factor of the spread of the members. */
  scale: number;
  /** Variance at a point on which all members agree. */
  floor: number;
  /** Standard deviation of a measurement about the mean of the ensemble. */
  noise: number;
  /** Prediction of each observation by the networks that left it out, and its standard deviation. */
  leftOut: Float64Array;
  deviation: Float64Array;
}

/**
 * Fits an ensemble of six networks with one hidden layer of 64 units, by AdamW on the squared error of standardised
 * results. At the time limit, all members have had equal training.
 *
 * @param rows `n x d`, encoded
 * @param y measured values in the unit of the output, length `n`
 * @throws ServiceError `invalid` when there is nothing to fit, lengths do not match, or a number is not finite
 */
export function fitMlpEnsemble(
  rows: Float64Array,
  y: Float64Array,
  n: number,
  d: number,
  options: FitOptions,
): MlpEnsemble {
  checkObservations(rows, y, n, d);
  const end = options.now() + options.timeLimitMs;
  const output = new StandardisedOutput(y);
  const z = y.map((value) => output.toModel(value));
  const inputs = centred(rows);
  const rng = Rng.seeded(options.seed);
  const order = rng.shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const leftOutBy = leavingOut(order);

  const members = Array.from({ length: MEMBERS }, (_, k) => {
    const own = rng.fork(`network ${k}`);
    const network = new Network(d, HIDDEN, own);
    return {
      network,
      rng: own,
      training: new Training(network, DECAY),
      kept: order.filter((i) => !leftOutBy[i]!.includes(k)),
    };
  });
  const epochs = Math.round(Math.min(400, Math.max(40, 40_000 / n)));
  let timedOut = false;
  for (let epoch = 0; epoch < epochs; epoch++) {
    timedOut = epoch > 0 && options.now() >= end;
    if (timedOut) break;
    const rate = RATE * 0.5 * (1 + Math.cos((Math.PI * epoch) / epochs));
    for (const member of members) train(member, inputs, z, d, rate);
  }
  const networks = members.map((member) => member.network);
  return new MlpEnsemble(d, networks, calibrate(networks, inputs, z, leftOutBy), output, y, timedOut);
}

/**
 * The two members that leave out each observation: the rounds of a tournament of six, so that every member leaves out
 * a third and all pairs equally many. No member leaves out a single observation.
 */
function leavingOut(order: Int32Array): number[][] {
  const pairs: number[][] = [];
  order.forEach((i, position) => {
    const round = Math.floor(position / 3) % 5;
    const table = position % 3;
    pairs[i] = table === 0 ? [5, round] : [(round + table) % 5, (round - table + 5) % 5];
  });
  return order.length === 1 ? [[]] : pairs;
}

interface Member {
  rng: Rng;
  training: Training;
  /** Indices of the observations it learns from. */
  kept: Int32Array;
}

/** One pass over the observations of a member, in a new order. */
function train(member: Member, inputs: Float64Array, z: Float64Array, d: number, rate: number): void {
  const kept = member.rng.shuffle(member.kept);
  const rows = new Float64Array(kept.length * d);
  kept.forEach((i, s) => rows.set(inputs.subarray(i * d, (i + 1) * d), s * d));
  const targets = Float64Array.from(kept, (i) => z[i]!);
  member.training.epoch(rows, targets, BATCH, rate);
}

function calibrate(
  networks: readonly Network[],
  inputs: Float64Array,
  z: Float64Array,
  leftOutBy: readonly (readonly number[])[],
): Calibration {
  const n = z.length;
  const results = networks.map((network) => network.forward(inputs, n).results);
  const leftOut = new Float64Array(n);
  const spread = new Float64Array(n);
  let errors = 0;
  let spreads = 0;
  let residuals = 0;
  for (let i = 0; i < n; i++) {
    const without = n === 1 ? results : leftOutBy[i]!.map((k) => results[k]!);
    const mean = without.reduce((sum, result) => sum + result[i]!, 0) / without.length;
    const squares = without.reduce((sum, result) => sum + (result[i]! - mean) ** 2, 0);
    leftOut[i] = mean;
    spread[i] = squares / (without.length - 1);
    errors += (z[i]! - mean) ** 2 / n;
    spreads += spread[i]! / n;
    const all = results.reduce((sum, result) => sum + result[i]!, 0) / results.length;
    residuals += (z[i]! - all) ** 2 / n;
  }
  // A single observation was never left out: the spread stays as it is.
  const scale = n === 1 ? 1 : Math.sqrt(Math.min(Math.max(errors / Math.max(spreads, 1e-12), 1e-2), 1e4));
  const floor = Math.max(1e-6, 0.01 * errors);
  const noise = Math.sqrt(Math.max(residuals, 1e-6));
  const deviation = spread.map((value) => Math.sqrt(scale * scale * value + floor + noise * noise));
  return { scale, floor, noise, leftOut, deviation };
}

/** Encoded columns, moved from [0, 1] to [-1, 1]. */
function centred(rows: Float64Array): Float64Array {
  return rows.map((value) => 2 * value - 1);
}
