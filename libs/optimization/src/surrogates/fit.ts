import { minimizeBounded, Rng } from '../numeric/index.js';
import { Evidence, type NoisePrior } from './evidence.js';
import { GaussianProcess } from './gp.js';
import type { Groups } from './matern.js';
import { checkObservations, hasConflicts, take, type Observations } from './observations.js';
import { isConstant, StandardisedOutput, unitOf } from './output-map.js';
import type { FitOptions } from './surrogate.js';
import { candidateWarps, type Warp } from './warping.js';

export interface GaussianProcessOptions extends FitOptions {
  /**
   * Input of each encoded column. Columns of one input share a lengthscale, unless lengthscales of their own predict
   * left-out observations better. Absent: each column has its own.
   */
  inputOf?: ArrayLike<number>;
  /** `automatic` (default): the warp with the best predictions of left-out observations. */
  warping?: 'automatic' | 'none';
}

/** Up to this number, all observations take part in the search for hyperparameters. */
const SEARCHED = 300;
/** Of more, this number refines the result of a random part of {@link SEARCHED}. */
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
/** Least variances of the noise of standardised observations: of measurements, and of outputs that look exact. */
const NOISE_FLOOR = 1e-4;
const EXACT_NOISE_FLOOR = 1e-6;
/** Logarithm of the noise variance that the prior expects: an output with more is hardly exact. */
const LOW_NOISE = -5;
/** Minimum gain in nats for an output to count as exact: 20 times as likely. */
const WORTH_EXACT = 3;

/**
 * Fits a Gaussian process to `n` observations: hyperparameters by maximum a posteriori ({@link Evidence}), from
 * several starts. The posterior is exact and uses every observation; with more than 300, hyperparameters come from a
 * random part of them.
 *
 * The noise variance is at least 1e-4 of the variance of the output. The prior of the noise is for measurements and
 * would hamper fits to few exact data. So where no replicates contradict each other, a noise from 1e-6 to 1e-4 is
 * tried as well, and used if the data are much likelier with it under the other priors.
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
  const order = Rng.seeded(options.seed).shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const part = (most: number) => (n <= most ? data : take(data, d, order.subarray(0, most)));

  const [first, ...others] = groupings(d, options.inputOf);
  const warp = chooseWarp(part(COMPARED), y, first!, options, stop);
  const output = new StandardisedOutput(y, warp);
  const replicated = hasConflicts(data, d, output);
  const problem = (some: Observations, groups: Groups): Problem => ({
    rows: some.rows,
    z: some.y.map((value) => output.toModel(value)),
    n: some.n,
    groups,
  });

  const searched = part(SEARCHED);
  const fit = (groups: Groups): Fit => {
    const g = groups.count;
    const here = problem(searched, groups);
    let theta = search(here, startsOf(groups), n <= SEARCHED ? 100 : 40, 'lognormal', stop);
    let exact = false;
    if (!replicated && theta[g + 1]! < LOW_NOISE) {
      const start = theta.slice();
      start[g + 1] = (Math.log(NOISE_FLOOR) + Math.log(EXACT_NOISE_FLOOR)) / 2;
      const noiseless = search(here, [start], 50, 'flat', stop);
      exact = densityWithoutNoise(here, noiseless) > densityWithoutNoise(here, theta) + WORTH_EXACT;
      if (exact) theta = noiseless;
    }
    return { groups, theta, noisePrior: exact ? 'flat' : 'lognormal' };
  };
  const density = ({ groups, theta }: Fit) =>
    new GaussianProcess(searched, groups, theta, output, false).logPredictiveDensity();

  let best = fit(first!);
  for (const groups of others) {
    if (stop()) break;
    const other = fit(groups);
    if (density(other) > density(best) + WORTH_LENGTHSCALES) best = other;
  }
  const { groups, noisePrior } = best;
  const theta =
    n <= SEARCHED ? best.theta : search(problem(part(REFINED), groups), [best.theta], 8, noisePrior, stop);
  return new GaussianProcess(data, groups, theta, output, timedOut);
}

interface Fit {
  groups: Groups;
  theta: Float64Array;
  noisePrior: NoisePrior;
}

interface Problem {
  rows: Float64Array;
  z: Float64Array;
  n: number;
  groups: Groups;
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
  const { groups } = problem;
  const g = groups.count;
  const lower = new Float64Array(g + 2).fill(Math.log(0.025), 0, g);
  const upper = new Float64Array(g + 2).fill(Math.log(1000), 0, g);
  [lower[g], upper[g]] = [Math.log(0.01), Math.log(1000)];
  lower[g + 1] = Math.log(noisePrior === 'flat' ? EXACT_NOISE_FLOOR : NOISE_FLOOR);
  upper[g + 1] = noisePrior === 'flat' ? Math.log(NOISE_FLOOR) : Math.log(4);

  const evidence = new Evidence(problem.rows, problem.z, problem.n, groups, noisePrior);
  let best: { x: Float64Array; value: number } | null = null;
  for (const start of starts) {
    const within = start.map((value, k) => Math.min(Math.max(value, lower[k]!), upper[k]!));
    if (stop()) return best?.x ?? within;
    const found = minimizeBounded((theta, gradient) => evidence.negative(theta, gradient), within, {
      lower,
      upper,
      maxIterations,
      gradientTolerance: 1e-4,
      valueTolerance: 1e-7,
      stop,
    });
    if (best === null || found.value < best.value) best = found;
  }
  return best!.x;
}

/** The logarithm of the posterior density without the prior of the noise. */
function densityWithoutNoise({ rows, z, n, groups }: Problem, theta: Float64Array): number {
  const evidence = new Evidence(rows, z, n, groups, 'flat');
  return -evidence.negative(theta, new Float64Array(theta.length));
}

/** The warp with the highest density of left-out observations, each after a short fit. */
function chooseWarp(
  data: Observations,
  y: Float64Array,
  groups: Groups,
  options: GaussianProcessOptions,
  stop: () => boolean,
): Warp {
  const unit = unitOf(y);
  const u = y.map((value) => value / unit);
  const [none, ...others] =
    isConstant(u) || options.warping === 'none' ? candidateWarps(u.subarray(0, 1)) : candidateWarps(u);
  if (others.length === 0) return none!;
  const density = (warp: Warp): number => {
    const output = new StandardisedOutput(y, warp);
    const z = data.y.map((value) => output.toModel(value));
    const start = startsOf(groups).slice(0, 1);
    const theta = search({ rows: data.rows, z, n: data.n, groups }, start, 15, 'lognormal', stop);
    const model = new GaussianProcess(data, groups, theta, output, false);
    return data.y.reduce((sum, value) => sum + output.logSlope(value), model.logPredictiveDensity());
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
