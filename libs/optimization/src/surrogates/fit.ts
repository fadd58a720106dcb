import { ServiceError, type Fault } from '@lab/contracts';
import { minimizeBounded, Rng } from '../numeric/index.js';
import { Evidence, type NoisePrior } from './evidence.js';
import { GaussianProcess, type Observations } from './gp.js';
import type { Groups } from './matern.js';
import { isConstant, StandardisedOutput, unitOf } from './output-map.js';
import type { FitOptions } from './surrogate.js';
import { candidateWarps, type Warp } from './warping.js';

export interface GaussianProcessOptions extends FitOptions {
  /** Input that each encoded column belongs to; columns of one input share a lengthscale. Absent: each column has its own. */
  inputOf?: ArrayLike<number>;
  /** `automatic`: the warp is chosen that predicts left-out observations best. Default. */
  warping?: 'automatic' | 'none';
}

/** Up to so many observations all take part in the search for hyperparameters. */
const SEARCHED = 300;
/** With more, so many refine what a random part of {@link SEARCHED} found. */
const REFINED = 600;
/** So many compare warps. */
const COMPARED = 100;
/** What a warp must gain over none, in nats over all observations compared. */
const WORTH_WARPING = 2;
/** Variances of the noise, of standardised observations: least for what people measure, least for what looks exact. */
const NOISE_FLOOR = 1e-4;
const EXACT_NOISE_FLOOR = 1e-6;
/** Replicates that differ by more than this, in standard deviations of the output, contradict an exact output. */
const CONFLICT = 1e-3;

/**
 * Fits a Gaussian process to `n` observations: hyperparameters by maximum a posteriori ({@link Evidence}), from several
 * starts. Every observation takes part in the posterior, which is exact whatever `n` is; with more than 300, hyperparameters
 * come from a random part of them.
 *
 * The noise variance is at least 1e-4 of the variance of the output. When it comes to rest there and no replicates
 * contradict each other, the output is taken as exact and the floor is 1e-6.
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
  const groups = groupsOf(d, options.inputOf);
  const end = options.now() + options.timeLimitMs;
  let timedOut = false;
  const stop = () => (timedOut ||= options.now() >= end);
  const data: Observations = { rows, y, n };
  const order = Rng.seeded(options.seed).shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const part = (most: number) => (n <= most ? data : take(data, d, order.subarray(0, most)));

  const warp = chooseWarp(part(COMPARED), y, groups, options, stop);
  const output = new StandardisedOutput(y, warp);
  const standardised = (some: Observations): Problem => ({
    rows: some.rows,
    z: some.y.map((value) => output.toModel(value)),
    n: some.n,
    groups,
  });

  const searched = standardised(part(SEARCHED));
  const starts = startsOf(groups, warmOf(options.warm, groups));
  let best = search(searched, starts, n <= SEARCHED ? 100 : 40, 'lognormal', stop);
  const exact = best[groups.count + 1]! < Math.log(NOISE_FLOOR) + 0.05 && !hasConflicts(data, d, output);
  if (exact) {
    best[groups.count + 1] = Math.log(NOISE_FLOOR) / 2 + Math.log(EXACT_NOISE_FLOOR) / 2;
    best = search(searched, [best], 50, 'flat', stop);
  }
  if (n > SEARCHED) {
    best = search(standardised(part(REFINED)), [best], 8, exact ? 'flat' : 'lognormal', stop);
  }
  const hyperparameters = { theta: Array.from(best), warp: warp.name };
  return new GaussianProcess(data, groups, best, output, hyperparameters, timedOut);
}

/** @throws ServiceError `invalid` with one fault for each of the first ten numbers that are not finite */
export function checkObservations(rows: Float64Array, y: Float64Array, n: number, d: number): void {
  const refuse = (message: string, faults: Fault[] = []) => {
    throw new ServiceError('invalid', message, { faults });
  };
  if (!(Number.isInteger(n) && n >= 1)) refuse(`A model needs at least 1 observation, not ${n}`);
  if (!(Number.isInteger(d) && d >= 1)) refuse(`A model needs at least 1 column, not ${d}`);
  if (rows.length !== n * d || y.length !== n) {
    refuse(
      `${n} observations of ${d} columns are ${n * d} and ${n} numbers, not ${rows.length} and ${y.length}`,
    );
  }
  const faults: Fault[] = [];
  const look = (values: Float64Array, path: (i: number) => string) =>
    values.forEach((value, i) => {
      if (Number.isFinite(value) || faults.length === 10) return;
      faults.push({ path: path(i), code: 'not_finite', message: `${value} is not a finite number` });
    });
  look(y, (i) => `y[${i}]`);
  look(rows, (i) => `rows[${Math.floor(i / d)}][${i % d}]`);
  if (faults.length > 0)
    refuse(`A model is fitted to finite numbers alone: ${faults[0]!.path} is not`, faults);
}

interface Problem {
  rows: Float64Array;
  z: Float64Array;
  n: number;
  groups: Groups;
}

function groupsOf(d: number, inputOf: ArrayLike<number> | undefined): Groups {
  if (inputOf === undefined) return { of: Int32Array.from({ length: d }, (_, c) => c), count: d };
  const numbers = new Map<number, number>();
  const of = new Int32Array(d);
  for (let c = 0; c < d; c++) {
    const input = inputOf[c]!;
    if (!numbers.has(input)) numbers.set(input, numbers.size);
    of[c] = numbers.get(input)!;
  }
  return { of, count: numbers.size };
}

function take(data: Observations, d: number, indices: Int32Array): Observations {
  const rows = new Float64Array(indices.length * d);
  const y = new Float64Array(indices.length);
  indices.forEach((from, to) => {
    rows.set(data.rows.subarray(from * d, (from + 1) * d), to * d);
    y[to] = data.y[from]!;
  });
  return { rows, y, n: indices.length };
}

/** The mode of the priors, and the lengthscales of a smooth function; an earlier fit first. */
function startsOf(groups: Groups, warm: Float64Array | null): Float64Array[] {
  const g = groups.count;
  const start = (logLengthscale: number, logNoise: number) => {
    const theta = new Float64Array(g + 2).fill(logLengthscale, 0, g);
    theta[g + 1] = logNoise;
    return theta;
  };
  const cold = [start(Math.SQRT2 + Math.log(g) / 2 - 3, -5), start(Math.log(Math.sqrt(g) / 2), -7)];
  return warm === null ? cold : [warm, ...cold];
}

/** Hyperparameters of an earlier fit, when they are of the same shape. */
function warmOf(warm: FitOptions['warm'], groups: Groups): Float64Array | null {
  const theta = warm?.['theta'];
  if (!Array.isArray(theta) || theta.length !== groups.count + 2) return null;
  const values = Float64Array.from(theta, Number);
  return values.every(Number.isFinite) ? values : null;
}

/** The best end of a search from each start; the first start itself when there is no time. */
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

/** The warp under which left-out observations are the likeliest, each by a short fit of its own. */
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
    const theta = search(
      { rows: data.rows, z, n: data.n, groups },
      startsOf(groups, null).slice(0, 1),
      15,
      'lognormal',
      stop,
    );
    const model = new GaussianProcess(data, groups, theta, output, {}, false);
    return data.y.reduce((sum, value) => sum + output.logSlope(value), model.logPredictiveDensity());
  };
  let best = none!;
  let most = density(best) + WORTH_WARPING;
  for (const warp of others) {
    if (stop()) break;
    const found = density(warp);
    if (found > most) [best, most] = [warp, found];
  }
  return best;
}

/** Whether equal points were measured with results that differ by more than {@link CONFLICT}. */
function hasConflicts(data: Observations, d: number, output: StandardisedOutput): boolean {
  const seen = new Map<string, number>();
  for (let i = 0; i < data.n; i++) {
    const key = Array.from(data.rows.subarray(i * d, (i + 1) * d), (value) => value.toFixed(9)).join();
    const z = output.toModel(data.y[i]!);
    const before = seen.get(key);
    if (before === undefined) seen.set(key, z);
    else if (Math.abs(before - z) > CONFLICT) return true;
  }
  return false;
}
