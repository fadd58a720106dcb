/** The campaigns, with the published figures that they are compared with. */
import {
  axScore,
  failures,
  largest,
  optima,
  problems,
  ratio,
  regret,
  regretOfRecommended,
  volume,
  type Merit,
  type Problem,
} from './problems.js';

/** One campaign of a problem. */
export interface Piece {
  name: string;
  seed: number;
}

/** The outcome of a campaign, or of one timed proposal. */
export interface Played {
  /** Figure of merit; undefined for a timed proposal. */
  value?: number;
  /** Milliseconds of processor time for one proposal. */
  cpuMs?: number;
  /** Rows of the initial design. */
  spread?: Row[];
  /** Seconds of processor time for one proposal with its fit. */
  cpu?: number;
  /** Seconds by the wall clock for the same. */
  wall?: number;
  /** Seconds of processor time of BoTorch for the same; undefined: it is not installed, or not timed with this seed. */
  peerCpu?: number;
}

export type Row = Record<string, number | string>;

export interface Campaign {
  name: string;
  problem: Problem;
  /** Number of runs. */
  evals: number;
  /** Runs of the initial design. */
  initial: number;
  /** Runs that are proposed at once. Default 1. */
  batch?: number;
  /** Standard deviation of the measurement of each output. */
  noise?: number[];
  /** A wrong measurement of the first output: its value, and the run, counted from 0. */
  outlier?: { run: number; value: number };
  /** Number of runs that are always in progress and end in random order; undefined: runs end in order. */
  flight?: number;
  /** Probability that the hybrid optimizer asks its AI, which is an adversary; undefined: the Bayesian optimizer. */
  p_ai?: number;
  merit: Merit;
  /** The published figure. */
  published?: string;
  /** Bounds of the median figure of merit. */
  target?: { at_most?: number; at_least?: number };
  /** Least share of the seeds whose figure of merit fulfils `of`. */
  share?: { of: (value: number) => boolean; at_least: number; name: string };
  /** The median may be at most so many times that of another campaign. */
  compare?: { with: string; at_most: number };
}

const campaign = (
  name: string,
  problem: Problem,
  evals: number,
  initial: number,
  merit: Merit,
  more: Partial<Campaign> = {},
): Campaign => ({ name, problem, evals, initial, merit, ...more });

export const campaigns: Campaign[] = [
  campaign('branin', problems.branin, 30, 6, regret(optima.branin), {
    published: '0.022 (scikit-optimize, 200 evals, mean)',
    target: { at_most: 5e-3 },
  }),
  campaign('hartmann6', problems.hartmann6, 60, 12, regret(optima.hartmann6), {
    published: '0.194 (scikit-optimize, 200 evals, mean)',
    target: { at_most: 2e-3 },
    share: { of: (value) => value < 0.05, at_least: 0.75, name: 'in_global_basin' },
  }),
  campaign('ax_branin', problems.branin, 30, 5, axScore(10.9305, optima.branin), {
    target: { at_least: 99.5 },
  }),
  campaign('ax_hartmann6', problems.hartmann6, 35, 5, axScore(-0.79699, optima.hartmann6), {
    target: { at_least: 95 },
  }),
  campaign('ax_levy4', problems.levy4, 40, 5, axScore(14.1988, 0), { target: { at_least: 97 } }),
  campaign('ax_ackley4', problems.ackley4, 40, 5, axScore(19.8373, 0), { target: { at_least: 85 } }),
  campaign('ax_rosenbrock4', problems.rosenbrock4, 40, 5, axScore(30143.77, 0), {
    target: { at_least: 99.9 },
  }),
  // The optimum in the benchmark of Ax is -3, beyond the best known value -2.89.
  campaign('ax_discrete_hartmann', problems.discreteHartmann, 50, 5, axScore(-0.6755184773211834, -3)),
  campaign('ax_discrete_ackley', problems.discreteAckley, 50, 5, axScore(3.1869268815137968, 0)),
  campaign('ax_discrete_rosenbrock', problems.discreteRosenbrock, 50, 5, axScore(705714.2851460224, 0)),
  campaign('direct_arylation', problems.directArylation, 50, 5, largest, {
    batch: 5,
    share: { of: (value) => value >= problems.directArylation.top, at_least: 0.9, name: 'in_top_percent' },
  }),
  campaign('rosenbrock4', problems.rosenbrock4, 50, 8, regret(0), { target: { at_most: 30 } }),
  campaign('noisy_hartmann6', problems.hartmann6, 60, 12, regretOfRecommended(optima.hartmann6), {
    noise: [0.1],
    target: { at_most: 0.25 },
  }),
  campaign('outlier_branin', problems.branin, 30, 6, regret(optima.branin), {
    outlier: { run: 8, value: 1e9 },
    target: { at_most: 5e-2 },
  }),
  campaign('low_outlier_branin', problems.branin, 30, 6, regret(optima.branin), {
    outlier: { run: 8, value: -1e9 },
    target: { at_most: 5e-2 },
  }),
  campaign('outlier_hartmann6', problems.hartmann6, 60, 12, regret(optima.hartmann6), {
    outlier: { run: 20, value: 1e9 },
    target: { at_most: 0.2 },
  }),
  campaign('async_hartmann6', problems.hartmann6, 60, 12, regret(optima.hartmann6), {
    flight: 4,
    compare: { with: 'hartmann6', at_most: 3 },
  }),
  campaign('hartmann6_half', problems.hartmann6, 30, 12, regret(optima.hartmann6)),
  campaign('hybrid_hartmann6_adversary', problems.hartmann6, 60, 12, regret(optima.hartmann6), {
    p_ai: 0.5,
    compare: { with: 'hartmann6_half', at_most: 1 },
  }),
  campaign('branin_currin', problems.braninCurrin, 30, 6, volume(problems.braninCurrin), {
    target: { at_least: 0.96 },
  }),
  campaign('noisy_branin_currin', problems.braninCurrin, 86, 6, volume(problems.braninCurrin), {
    batch: 4,
    noise: [15.19, 0.63],
    published: '0.973 (BoTorch, 1 run)',
    target: { at_least: 0.97 },
  }),
  // Without noise, as in the BoTorch tutorial with the published figure.
  campaign('c2dtlz2_exact', problems.c2dtlz2, 50, 10, volume(problems.c2dtlz2), {
    batch: 2,
    published: '0.95 (BoTorch, 1 run)',
    target: { at_least: 0.95 },
  }),
  campaign('c2dtlz2', problems.c2dtlz2, 50, 10, volume(problems.c2dtlz2), {
    batch: 2,
    noise: [0.02, 0.02, 0.02],
    target: { at_least: 0.95 },
  }),
  campaign('dtlz2', problems.dtlz2, 60, 14, volume(problems.dtlz2), { target: { at_least: 0.93 } }),
  campaign('zdt1', problems.zdt1, 40, 14, volume(problems.zdt1), { target: { at_least: 0.999 } }),
  campaign('zdt2', problems.zdt2, 40, 14, volume(problems.zdt2), { target: { at_least: 0.999 } }),
  campaign('four_objectives', problems.cornerDistances, 44, 8, volume(problems.cornerDistances), {
    target: { at_least: 0.84 },
  }),
  campaign('vehicle_safety', problems.vehicleSafety, 60, 12, volume(problems.vehicleSafety), {
    target: { at_least: 0.95 },
  }),
  campaign('snar', problems.snar, 50, 8, volume(problems.snar), {
    published: '6255 (TSEMO, Summit)',
    target: { at_least: 9300 },
  }),
  campaign('pressure_vessel', problems.pressureVessel, 50, 10, ratio(6059.946341), {
    published: 'optimum 6059.946',
    target: { at_most: 1.1 },
    share: { of: Number.isFinite, at_least: 1, name: 'feasible' },
  }),
  campaign('welded_beam', problems.weldedBeam, 100, 10, ratio(1.728226), {
    published: 'optimum 1.728226',
    target: { at_most: 1.25 },
    share: { of: Number.isFinite, at_least: 1, name: 'feasible' },
  }),
  campaign('gramacy', problems.gramacy, 50, 6, regret(0.5998), {
    published: 'optimum 0.5998',
    target: { at_most: 0.02 },
    share: { of: Number.isFinite, at_least: 1, name: 'feasible' },
  }),
  campaign('hidden_ball', problems.hiddenBall, 80, 8, regret(0), {
    target: { at_most: 1e-4 },
    share: { of: Number.isFinite, at_least: 0.9, name: 'feasible' },
  }),
  campaign('failing_branin', problems.failingBranin, 40, 6, failures(optima.branin, 0.01), {
    target: { at_most: 20 },
  }),
];

/** Random domains for each seed. The figure is the number of proposed points that break a constraint, repeat or are missing. */
export const feasibility = { name: 'feasibility', domains: 50 };
