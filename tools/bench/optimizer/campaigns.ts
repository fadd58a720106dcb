/** The campaigns, with the published figures that they are compared with. */
import {
  axScore,
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
  /** Number of runs that are always in progress and end in random order; undefined: runs end in order. */
  flight?: number;
  /** Probability that the hybrid optimizer asks its AI, which is an adversary; undefined: the Bayesian optimizer. */
  p_ai?: number;
  merit: Merit;
  published: string | null;
  /** Bounds of the median figure of merit. */
  target?: { at_most?: number; at_least?: number };
  /** Least share of the seeds whose figure of merit fulfils `of`. */
  share?: { of: (value: number) => boolean; at_least: number; name: string };
  /** The median may be at most so many times that of another campaign. */
  compare?: { with: string; at_most: number };
}

export const campaigns: Campaign[] = [
  {
    name: 'branin',
    problem: problems.branin,
    evals: 30,
    initial: 6,
    merit: regret(optima.branin),
    published: '0.022 (scikit-optimize, 200 evals, mean)',
    target: { at_most: 5e-3 },
  },
  {
    name: 'hartmann6',
    problem: problems.hartmann6,
    evals: 60,
    initial: 12,
    merit: regret(optima.hartmann6),
    published: '0.194 (scikit-optimize, 200 evals, mean)',
    target: { at_most: 2e-3 },
    share: { of: (value) => value < 0.05, at_least: 0.75, name: 'in_global_basin' },
  },
  {
    name: 'ax_branin',
    problem: problems.branin,
    evals: 30,
    initial: 5,
    merit: axScore(10.9305, optima.branin),
    published: null,
    target: { at_least: 99.5 },
  },
  {
    name: 'ax_hartmann6',
    problem: problems.hartmann6,
    evals: 35,
    initial: 5,
    merit: axScore(-0.79699, optima.hartmann6),
    published: null,
    target: { at_least: 95 },
  },
  {
    name: 'ax_levy4',
    problem: problems.levy4,
    evals: 40,
    initial: 5,
    merit: axScore(14.1988, 0),
    published: null,
    target: { at_least: 97 },
  },
  {
    name: 'ax_ackley4',
    problem: problems.ackley4,
    evals: 40,
    initial: 5,
    merit: axScore(19.8373, 0),
    published: null,
    target: { at_least: 85 },
  },
  {
    name: 'ax_rosenbrock4',
    problem: problems.rosenbrock4,
    evals: 40,
    initial: 5,
    merit: axScore(30143.77, 0),
    published: null,
    target: { at_least: 99.9 },
  },
  {
    name: 'ax_discrete_hartmann',
    problem: problems.discreteHartmann,
    evals: 50,
    initial: 5,
    // The optimum in the benchmark of Ax is -3, beyond the best known value -2.89.
    merit: axScore(-0.6755184773211834, -3),
    published: null,
  },
  {
    name: 'ax_discrete_ackley',
    problem: problems.discreteAckley,
    evals: 50,
    initial: 5,
    merit: axScore(3.1869268815137968, 0),
    published: null,
  },
  {
    name: 'ax_discrete_rosenbrock',
    problem: problems.discreteRosenbrock,
    evals: 50,
    initial: 5,
    merit: axScore(705714.2851460224, 0),
    published: null,
  },
  {
    name: 'direct_arylation',
    problem: problems.directArylation,
    evals: 50,
    initial: 5,
    batch: 5,
    merit: largest,
    published: null,
    share: { of: (value) => value >= problems.directArylation.top, at_least: 0.9, name: 'in_top_percent' },
  },
  {
    name: 'rosenbrock4',
    problem: problems.rosenbrock4,
    evals: 50,
    initial: 8,
    merit: regret(0),
    published: null,
    target: { at_most: 30 },
  },
  {
    name: 'noisy_hartmann6',
    problem: problems.hartmann6,
    evals: 60,
    initial: 12,
    noise: [0.1],
    merit: regretOfRecommended(optima.hartmann6),
    published: null,
    target: { at_most: 0.25 },
  },
  {
    name: 'async_hartmann6',
    problem: problems.hartmann6,
    evals: 60,
    initial: 12,
    flight: 4,
    merit: regret(optima.hartmann6),
    published: null,
    compare: { with: 'hartmann6', at_most: 3 },
  },
  {
    name: 'hartmann6_half',
    problem: problems.hartmann6,
    evals: 30,
    initial: 12,
    merit: regret(optima.hartmann6),
    published: null,
  },
  {
    name: 'hybrid_hartmann6_adversary',
    problem: problems.hartmann6,
    evals: 60,
    initial: 12,
    p_ai: 0.5,
    merit: regret(optima.hartmann6),
    published: null,
    compare: { with: 'hartmann6_half', at_most: 1 },
  },
  {
    name: 'branin_currin',
    problem: problems.braninCurrin,
    evals: 30,
    initial: 6,
    merit: volume(problems.braninCurrin),
    published: null,
    target: { at_least: 0.96 },
  },
  {
    name: 'noisy_branin_currin',
    problem: problems.braninCurrin,
    evals: 86,
    initial: 6,
    batch: 4,
    noise: [15.19, 0.63],
    merit: volume(problems.braninCurrin),
    published: '0.973 (BoTorch, 1 run)',
    target: { at_least: 0.97 },
  },
  {
    // Without noise, as in the BoTorch tutorial with the published figure.
    name: 'c2dtlz2_exact',
    problem: problems.c2dtlz2,
    evals: 50,
    initial: 10,
    batch: 2,
    merit: volume(problems.c2dtlz2),
    published: '0.95 (BoTorch, 1 run)',
    target: { at_least: 0.95 },
  },
  {
    name: 'c2dtlz2',
    problem: problems.c2dtlz2,
    evals: 50,
    initial: 10,
    batch: 2,
    noise: [0.02, 0.02, 0.02],
    merit: volume(problems.c2dtlz2),
    published: null,
    target: { at_least: 0.95 },
  },
  {
    name: 'dtlz2',
    problem: problems.dtlz2,
    evals: 60,
    initial: 14,
    merit: volume(problems.dtlz2),
    published: null,
    target: { at_least: 0.93 },
  },
  {
    name: 'zdt1',
    problem: problems.zdt1,
    evals: 40,
    initial: 14,
    merit: volume(problems.zdt1),
    published: null,
    target: { at_least: 0.999 },
  },
  {
    name: 'zdt2',
    problem: problems.zdt2,
    evals: 40,
    initial: 14,
    merit: volume(problems.zdt2),
    published: null,
    target: { at_least: 0.999 },
  },
  {
    name: 'vehicle_safety',
    problem: problems.vehicleSafety,
    evals: 60,
    initial: 12,
    merit: volume(problems.vehicleSafety),
    published: null,
    target: { at_least: 0.95 },
  },
  {
    name: 'snar',
    problem: problems.snar,
    evals: 50,
    initial: 8,
    merit: volume(problems.snar),
    published: '6255 (TSEMO, Summit)',
    target: { at_least: 9300 },
  },
  {
    name: 'pressure_vessel',
    problem: problems.pressureVessel,
    evals: 50,
    initial: 10,
    merit: ratio(6059.946341),
    published: 'optimum 6059.946',
    target: { at_most: 1.1 },
    share: { of: Number.isFinite, at_least: 1, name: 'feasible' },
  },
  {
    name: 'welded_beam',
    problem: problems.weldedBeam,
    evals: 100,
    initial: 10,
    merit: ratio(1.728226),
    published: 'optimum 1.728226',
    target: { at_most: 1.25 },
    share: { of: Number.isFinite, at_least: 1, name: 'feasible' },
  },
  {
    name: 'gramacy',
    problem: problems.gramacy,
    evals: 50,
    initial: 6,
    merit: regret(0.5998),
    published: 'optimum 0.5998',
    target: { at_most: 0.02 },
    share: { of: Number.isFinite, at_least: 1, name: 'feasible' },
  },
];

/** Random domains for each seed. The figure is the number of proposed points that break a constraint, repeat or are missing. */
export const feasibility = { name: 'feasibility', domains: 50 };

/** One proposal with its fit. */
export interface Latency {
  name: string;
  /** Number of known results. */
  runs: number;
  /** Number of inputs. */
  d: number;
  /** Number of proposed rows. */
  batch: number;
  surrogate: 'gp' | 'mlp';
  /** Upper bound of the p95 of the processor time. */
  seconds: number;
}

export const latencies: Latency[] = [
  { name: 'latency_n50_d6_q1', runs: 50, d: 6, batch: 1, surrogate: 'gp', seconds: 0.15 },
  { name: 'latency_n200_d10_q1', runs: 200, d: 10, batch: 1, surrogate: 'gp', seconds: 0.4 },
  { name: 'latency_n200_d10_q4', runs: 200, d: 10, batch: 4, surrogate: 'gp', seconds: 1.5 },
  { name: 'latency_n500_d10_q4', runs: 500, d: 10, batch: 4, surrogate: 'gp', seconds: 4 },
  { name: 'latency_mlp_n200_d10_q1', runs: 200, d: 10, batch: 1, surrogate: 'mlp', seconds: 4 },
];
