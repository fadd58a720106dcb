// What is optimized, how often and against which published figure. Nothing here reaches the optimizer but bounds, objectives
// and thresholds.

import {
  ackley,
  branin,
  braninCurrin,
  c2dtlz2,
  dtlz2,
  gramacy,
  hartmann6,
  levy,
  pressureVessel,
  rosenbrock,
  snar,
  vehicleSafety,
  weldedBeam,
  zdt1,
  zdt2,
} from './functions.mjs';
import { hypervolume } from './hypervolume.mjs';

const box = (d, lower, upper) => Array.from({ length: d }, () => [lower, upper]);
const minimize = { kind: 'minimize', weight: 1 };
const maximize = { kind: 'maximize', weight: 1 };

const inputsOf = (bounds, steps = []) =>
  bounds.map((each, i) => ({
    kind: 'continuous',
    key: `run.x${i + 1}`,
    bounds: each,
    ...(steps[i] === undefined ? {} : { step: steps[i] }),
  }));

/** One objective that is minimised, then slacks that must be 0 or more. */
const single = (bounds, evaluate, slacks = 0, steps = []) => ({
  inputs: inputsOf(bounds, steps),
  outputs: [
    { key: 'run.loss', objective: minimize },
    ...Array.from({ length: slacks }, (_, i) => ({
      key: `run.slack${i + 1}`,
      objective: null,
      constraint: { at_least: 0 },
    })),
  ],
  evaluate: (x) => [evaluate(x)].flat(),
});

/**
 * Objectives of which each is minimised but those named, then slacks. `reference`: the worst values of interest, by which
 * hypervolumes are counted; `most`: the largest one that is known.
 */
const several = (bounds, evaluate, { reference, most, slacks = 0, maximized = [] }) => ({
  inputs: inputsOf(bounds),
  outputs: [
    ...reference.map((_, i) => ({
      key: `run.f${i + 1}`,
      objective: maximized.includes(i) ? maximize : minimize,
    })),
    ...Array.from({ length: slacks }, (_, i) => ({
      key: `run.slack${i + 1}`,
      objective: null,
      constraint: { at_least: 0 },
    })),
  ],
  reference_point: Object.fromEntries(reference.map((value, i) => [`run.f${i + 1}`, value])),
  evaluate,
  reference,
  most,
  maximized,
});

// Figures of merit: from the true results of all runs, and of the runs that the optimizer recommends.

const feasible = (values, first) => values.slice(first).every((slack) => slack >= 0);
const least = (results) =>
  results.reduce((best, values) => (feasible(values, 1) ? Math.min(best, values[0]) : best), Infinity);

const regret =
  (optimum) =>
  ({ all }) =>
    least(all) - optimum;
const regretOfRecommended =
  (optimum) =>
  ({ recommended }) =>
    Math.min(...recommended.map(([value]) => value)) - optimum;
/** The score of Ax: 100 at the optimum, 0 at the best of five Sobol points. */
const axScore =
  (baseline, optimum) =>
  ({ all }) =>
    (100 * (baseline - least(all))) / (baseline - optimum);
const ratio =
  (optimum) =>
  ({ all }) =>
    least(all) / optimum;
/** Hypervolume above the reference point of a problem, as a share of the largest one. */
const volume =
  ({ reference, most, maximized }) =>
  ({ all }) => {
    const m = reference.length;
    const signed = (values) => values.slice(0, m).map((value, i) => (maximized.includes(i) ? -value : value));
    return hypervolume(all.filter((values) => feasible(values, m)).map(signed), signed(reference)) / most;
  };

const optima = { branin: 0.39788735772973816, hartmann6: -3.322368011391339 };
const problems = {
  branin: single(
    [
      [-5, 10],
      [0, 15],
    ],
    branin,
  ),
  hartmann6: single(box(6, 0, 1), hartmann6),
  ackley4: single(box(4, -32.768, 32.768), ackley),
  levy4: single(box(4, -10, 10), levy),
  rosenbrock4: single(box(4, -5, 10), rosenbrock),
  gramacy: single(box(2, 0, 1), gramacy, 2),
  pressureVessel: single(
    [
      [0, 10],
      [0, 10],
      [10, 50],
      [150, 200],
    ],
    pressureVessel,
    4,
    [0.0625, 0.0625],
  ),
  weldedBeam: single([[0.125, 10], ...box(3, 0.1, 10)], weldedBeam, 6),
  braninCurrin: several(box(2, 0, 1), braninCurrin, { reference: [18, 6], most: 59.36011874867746 }),
  c2dtlz2: several(box(4, 0, 1), c2dtlz2, { reference: [1.1, 1.1], most: 0.3996406303723544, slacks: 1 }),
  dtlz2: several(box(6, 0, 1), dtlz2, { reference: [1.1, 1.1], most: 1.21 - Math.PI / 4 }),
  zdt1: several(box(6, 0, 1), zdt1, { reference: [11, 11], most: 120 + 2 / 3 }),
  zdt2: several(box(6, 0, 1), zdt2, { reference: [11, 11], most: 120 + 1 / 3 }),
  vehicleSafety: several(box(5, 1, 3), vehicleSafety, {
    reference: [1864.72022, 11.81993945, 0.2903999384],
    most: 246.81607081187002,
  }),
  snar: several(
    [
      [0.5, 2],
      [1, 5],
      [0.1, 0.5],
      [30, 120],
    ],
    snar,
    { reference: [2957, 10.7], most: 1, maximized: [0] },
  ),
};

/**
 * `evals` runs of which `initial` are spread; `batch` at a time. `noise`: standard deviations of what is measured. `flight`:
 * so many runs are always in progress, and end out of order. `target`: the worst median that passes.
 */
export const campaigns = [
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
    name: 'c2dtlz2',
    problem: problems.c2dtlz2,
    evals: 50,
    initial: 10,
    batch: 2,
    noise: [0.02, 0.02, 0.02],
    merit: volume(problems.c2dtlz2),
    published: '0.95 (BoTorch, 1 run)',
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

/** One proposal with its fit: `runs` results of `d` inputs are known, `batch` rows are wanted; `seconds`: at most, p95. */
export const latencies = [
  { name: 'latency_n50_d6_q1', runs: 50, d: 6, batch: 1, surrogate: 'gp', seconds: 0.15 },
  { name: 'latency_n200_d10_q1', runs: 200, d: 10, batch: 1, surrogate: 'gp', seconds: 0.4 },
  { name: 'latency_n200_d10_q4', runs: 200, d: 10, batch: 4, surrogate: 'gp', seconds: 1.5 },
  { name: 'latency_n500_d10_q4', runs: 500, d: 10, batch: 4, surrogate: 'gp', seconds: 4 },
  { name: 'latency_mlp_n200_d10_q1', runs: 200, d: 10, batch: 1, surrogate: 'mlp', seconds: 4 },
];
