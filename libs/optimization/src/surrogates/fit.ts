import { minimizeBounded, Rng, type Shape } from '../numeric/index.js';
import type { Groups } from './covariance.js';
import {
  Evidence,
  EXACT_NOISE_FLOOR,
  limitsOf,
  NOISE_FLOOR,
  type NoisePrior,
  type Problem,
} from './evidence.js';
import { GaussianProcess, type Hyperparameters } from './gp.js';
import {
  checkObservations,
  hasConflicts,
  positionsWithout,
  take,
  type Observations,
} from './observations.js';
import { isConstant, StandardisedOutput, unitOf } from './output-map.js';
import type { Choices, FitOptions } from './surrogate.js';
import { candidateWarps, moments, type Warp } from './warping.js';

export interface GaussianProcessOptions extends FitOptions {
  /**
   * Input of each encoded column. Columns of one input share a lengthscale, unless lengthscales of their own predict
   * left-out observations better. Absent: each column has its own.
   */
  inputOf?: ArrayLike<number>;
  /** `automatic` (default): the warp with the best predictions of left-out observations. */
  warping?: 'automatic' | 'none';
  /**
   * Errors of left-out observations below this share of the standard deviation of the output do not matter when warps
   * are compared. Default 0.
   */
  resolution?: number;
  /** `automatic` (default): chosen by the noise and the predictions of left-out observations. */
  kernel?: 'automatic' | Shape;
  /** `automatic` (default): observations that all others contradict are left out. */
  outliers?: 'automatic' | 'keep';
}

/** Up to this number, all observations take part in the searches for hyperparameters from several starts. */
const SEARCHED_WIDELY = 150;
/** Of more, a random part of this number at most continues the search, and decides about noise and kernel. */
const SEARCHED = 300;
/** Of more than that, this number at most refines the result. */
const REFINED = 600;
/** Number of observations that compare warps. */
const COMPARED = 100;
/**
 * Minimum gain of a warp over none, in nats for each observation compared: predictions that are 40 % sharper. A
 * smaller gain does not help a search near the optimum.
 */
const WORTH_WARPING = 0.5;
/** Minimum gain of lengthscales for each category over one for all, in nats over all observations. */
const WORTH_LENGTHSCALES = 2;
/** Logarithm of the noise variance that the prior expects: an output with more is hardly exact. */
const LOW_NOISE = -5;
/** Minimum gain in nats for an output to count as exact: 20 times as likely. */
const WORTH_EXACT = 3;
/** Minimum gain in nats of noise over none for an output to count as clearly noisy. */
const WORTH_NOISE = 1;
/** Minimum gain of Matern-5/2 over the squared exponential with noise, in nats over all observations. */
const WORTH_MATERN = 3;
/** An error this many deviations above the largest to expect of normal errors raises a doubt. */
const CONTRADICTION = 0.6;
/** Share of measurements that are expected to be wrong. */
const DOUBT = 0.01;
/** Minimum gain of a doubt, in nats for each observation: predictions of all others that are 20 % sharper. */
const WORTH_DOUBT = 0.2;
/** Fewer observations cannot contradict one. */
const LEAST_TO_DOUBT = 10;
/** Most fits that look for the observations to doubt. */
const ROUNDS_OF_DOUBT = 2;

/**
 * Fits a Gaussian process to `n` observations: hyperparameters by maximum a posteriori ({@link Evidence}), from
 * several starts. The posterior is exact and uses every observation that is not in doubt; with more than 150, the
 * searches from several starts see a random part of them, and with more than 300 all searches but a short last one.
 *
 * The noise variance is at least 1e-4 of the variance of the output. The prior of the noise is for measurements and
 * would hamper fits to few exact data. So where no replicates contradict each other, a noise from 1e-6 to 1e-4 is
 * tried as well, and used if the data are much likelier with it under the other priors.
 *
 * If the data are likelier with noise than without, the covariance is the squared exponential, whose functions are
 * smoother, so that it averages more measurements; unless Matern-5/2 predicts left-out observations clearly better.
 * Without noise Matern-5/2 searches better, because it never trusts far extrapolations.
 *
 * Observations that all others contradict are left out if the rest is much likelier without them: relevance pursuit
 * with unlimited noise of the points it doubts (S. Ament et al.: Robust Gaussian processes via relevance pursuit,
 * 2024).
 *
 * @param rows `n x d`, encoded
 * @param y measured values in the unit of the output, length `n`
 * @throws ServiceError `invalid` when there is nothing to fit, lengths do not match, or a number is not finite
 */
export function fitGaussianProcess(
  rows: Float64Array,
  y: Float64Array,
  n: number,
  d: number,
  options: GaussianProcessOptions,
): GaussianProcess {
  checkObservations(rows, y, n, d);
  const end = options.now() + options.timeLimitMs;
  let timedOut = false;
  const stop = () => (timedOut ||= options.now() >= end);
  const data: Observations = { rows, y, n };
  const attempt = (doubted: readonly number[]) => {
    const kept = doubted.length === 0 ? data : take(data, d, positionsWithout(doubted, n));
    const { hyperparameters, output, noise, reason } = fitTo(kept, d, options, stop);
    const { shape: kernel } = hyperparameters;
    const warping = output.warp.name;
    const choices = { kernel, kernelReason: reason, warping, noise, doubted };
    return {
      exact: noise === 'none',
      model: new GaussianProcess(data, hyperparameters, output, timedOut, doubted, choices),
    };
  };
  const all = attempt([]);
  let best = all.model;
  if (options.outliers === 'keep' || all.exact || n < LEAST_TO_DOUBT) return best;
  let doubted = doubtful(best, n);
  for (let round = 0; round < ROUNDS_OF_DOUBT && doubted.length > 0 && !stop(); round++) {
    const { model } = attempt(doubted);
    const again = doubtful(model, n);
    if (again.join() === doubted.join()) {
      if (densityWith(model, data) > densityWith(best, data) + WORTH_DOUBT * n) best = model;
      break;
    }
    doubted = again;
  }
  best.timedOut = timedOut;
  return best;
}

interface Fitted {
  hyperparameters: Hyperparameters;
  output: StandardisedOutput;
  noise: Choices['noise'];
  /** Of the kernel. */
  reason: string;
}

function fitTo(data: Observations, d: number, options: GaussianProcessOptions, stop: () => boolean): Fitted {
  const { y, n } = data;
  const { kernel = 'automatic' } = options;
  const order = Rng.seeded(options.seed).shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const part = (most: number) => (n <= most ? data : take(data, d, order.subarray(0, most)));

  const [first, ...others] = groupings(d, options.inputOf);
  const usual: Shape = kernel === 'automatic' ? 'matern52' : kernel;
  const warp = chooseWarp(part(COMPARED), y, { shape: usual, groups: first! }, options, stop);
  const output = new StandardisedOutput(y, warp);
  const replicated = hasConflicts(data, d, output);
  const problem = (some: Observations, shape: Shape, groups: Groups): Problem => ({
    rows: some.rows,
    z: some.y.map((value) => output.toModel(value)),
    n: some.n,
    shape,
    groups,
  });

  const searched = part(SEARCHED);
  const isLarge = n > SEARCHED_WIDELY;
  const fit = (groups: Groups): Fit => {
    const g = groups.count;
    const here = problem(searched, usual, groups);
    let theta = search(
      problem(part(SEARCHED_WIDELY), usual, groups),
      startsOf(groups),
      100,
      'lognormal',
      stop,
    );
    if (isLarge) theta = search(here, [theta], 20, 'lognormal', stop);
    if (replicated) return { shape: usual, groups, theta, noise: 'some' };
    const start = theta.slice();
    start[g + 1] = (Math.log(NOISE_FLOOR) + Math.log(EXACT_NOISE_FLOOR)) / 2;
    const noiseless = search(here, [start], isLarge ? 20 : 50, 'flat', stop);
    const gain = densityWithoutNoise(here, noiseless) - densityWithoutNoise(here, theta);
    const exact = gain > WORTH_EXACT && theta[g + 1]! < LOW_NOISE;
    if (exact) theta = noiseless;
    const noise = exact ? 'none' : gain < -WORTH_NOISE ? 'some' : gain < 0 ? 'likely' : 'unclear';
    return { shape: usual, groups, theta, noise };
  };
  const density = (found: Fit) => new GaussianProcess(searched, found, output, false).logPredictiveDensity();

  let best = fit(first!);
  for (const groups of others) {
    if (stop()) break;
    const other = fit(groups);
    if (density(other) > density(best) + WORTH_LENGTHSCALES) best = other;
  }
  let reason = kernel === 'automatic' ? REASONS.exact : REASONS.setting;
  if (kernel === 'automatic' && best.noise === 'some' && !stop()) {
    const { groups } = best;
    const shape = 'squared_exponential';
    const here = problem(searched, shape, groups);
    const smooth: Fit = {
      ...best,
      shape,
      theta: search(here, [best.theta], isLarge ? 20 : 40, 'lognormal', stop),
    };
    const isRough = density(best) > density(smooth) + WORTH_MATERN;
    reason = isRough ? REASONS.rough : REASONS.smooth;
    if (!isRough) best = smooth;
  }
  const { shape, groups, noise } = best;
  const noisePrior: NoisePrior = noise === 'none' ? 'flat' : 'lognormal';
  const theta =
    n <= SEARCHED
      ? best.theta
      : search(problem(part(REFINED), shape, groups), [best.theta], 8, noisePrior, stop);
  return { hyperparameters: { shape, groups, theta }, output, noise, reason };
}

const REASONS = {
  setting: 'The setting "kernel" asks for it.',
  exact: 'The results show no clear noise, and this kernel searches best then.',
  smooth: 'The results are noisy, and Matern 5/2 does not predict left-out results clearly better.',
  rough: 'The results are noisy, and this kernel predicts left-out results clearly better.',
};

interface Fit extends Hyperparameters {
  noise: Choices['noise'];
}

/** Positions of the observations that a model contradicts: the furthest off, at most a tenth of all. */
function doubtful(model: GaussianProcess, n: number): number[] {
  const { squares } = model.leftOut();
  const most = (Math.sqrt(2 * Math.log(n)) + CONTRADICTION) ** 2;
  const far = Array.from(squares.keys()).filter((i) => squares[i]! > most);
  far.sort((a, b) => squares[b]! - squares[a]! || a - b);
  return far.slice(0, Math.floor(n / 10)).sort((a, b) => a - b);
}

/**
 * Logarithm of the density of left-out observations in a common unit. One in doubt counts as a normal variable with
 * the variance that fits it best, and as rare as {@link DOUBT}.
 */
export function densityWith(model: GaussianProcess, data: Observations): number {
  const { doubted } = model.choices!;
  const { mean } = model.leftOut();
  const output = model.output as StandardisedOutput;
  const errors = doubted.map((i) => output.toModel(data.y[i]!) - mean[i]!);
  const beyond = errors.reduce(
    (sum, error) => sum + Math.log(DOUBT) - 0.5 * (1 + Math.log(2 * Math.PI * error * error)),
    0,
  );
  return data.y.reduce((sum, value) => sum + output.logSlope(value), model.logPredictiveDensity() + beyond);
}

/** Ways to share lengthscales: one for each input and, if different, one for each column. */
function groupings(d: number, inputOf: ArrayLike<number> | undefined): Groups[] {
  const separate = { of: Int32Array.from({ length: d }, (_, c) => c), count: d };
  if (inputOf === undefined) return [separate];
  const inputs = [...new Set(Array.from(inputOf))];
  if (inputs.length === d) return [separate];
  const of = Int32Array.from({ length: d }, (_, c) => inputs.indexOf(inputOf[c]!));
  return [{ of, count: inputs.length }, separate];
}

/** The mode of the priors, and the lengthscales of a smooth function. */
function startsOf(groups: Groups): Float64Array[] {
  const g = groups.count;
  const start = (logLengthscale: number, logNoise: number) => {
    const theta = new Float64Array(g + 2).fill(logLengthscale, 0, g);
    theta[g + 1] = logNoise;
    return theta;
  };
  return [start(Math.SQRT2 + Math.log(g) / 2 - 3, -5), start(Math.log(Math.sqrt(g) / 2), -7)];
}

/** The best end of a search from each start; without time, the first start. */
function search(
  problem: Problem,
  starts: readonly Float64Array[],
  maxIterations: number,
  noisePrior: NoisePrior,
  stop: () => boolean,
): Float64Array {
  const { lower, upper } = limitsOf(problem.groups, noisePrior);
  const evidence = new Evidence(problem, noisePrior);
  let best: { x: Float64Array; value: number } | null = null;
  for (const start of starts) {
    const within = start.map((value, k) => Math.min(Math.max(value, lower[k]!), upper[k]!));
    if (stop()) return best?.x ?? within;
    const found = minimizeBounded((theta, gradient) => evidence.negative(theta, gradient), within, {
      lower,
      upper,
      maxIterations,
      gradientTolerance: 1e-4,
      valueTolerance: problem.n <= SEARCHED_WIDELY ? 1e-7 : 1e-5,
      stop,
    });
    if (best === null || found.value < best.value) best = found;
  }
  return best!.x;
}

/** The logarithm of the posterior density without the prior of the noise. */
function densityWithoutNoise(problem: Problem, theta: Float64Array): number {
  return -new Evidence(problem, 'flat').negative(theta);
}

/** The warp with the highest density of left-out observations, each after a short fit. */
function chooseWarp(
  data: Observations,
  y: Float64Array,
  { shape, groups }: { shape: Shape; groups: Groups },
  options: GaussianProcessOptions,
  stop: () => boolean,
): Warp {
  const unit = unitOf(y);
  const u = y.map((value) => value / unit);
  const resolution = (options.resolution ?? 0) * moments(u).deviation * unit;
  const [none, ...others] =
    isConstant(u) || options.warping === 'none' ? candidateWarps(u.subarray(0, 1)) : candidateWarps(u);
  if (others.length === 0) return none!;
  const density = (warp: Warp): number => {
    const output = new StandardisedOutput(y, warp);
    const z = data.y.map((value) => output.toModel(value));
    const start = startsOf(groups).slice(0, 1);
    const { rows, n } = data;
    const theta = search({ rows, z, n, shape, groups }, start, 15, 'lognormal', stop);
    const model = new GaussianProcess(data, { shape, groups, theta }, output, false);
    const blur = data.y.map((value) => (resolution * Math.exp(output.logSlope(value))) ** 2);
    return data.y.reduce((sum, value) => sum + output.logSlope(value), model.logPredictiveDensity(blur));
  };
  let best = none!;
  let most = density(best) + WORTH_WARPING * data.n;
  for (const warp of others) {
    if (stop()) break;
    const found = density(warp);
    if (found > most) [best, most] = [warp, found];
  }
  return best;
}
