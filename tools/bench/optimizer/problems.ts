// What is optimized, and what the outcome of a campaign is worth. Of this the optimizer is told inputs, objectives and
// thresholds.
import { readFileSync } from 'node:fs';
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
} from './functions.ts';
import { hypervolume } from './hypervolume.ts';

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

/** Inputs from 0 to `tops[i]`, the first `whole` of them whole numbers, scaled to the bounds of a function (Daulton 2022). */
const stepped = (tops, whole, [lower, upper], evaluate) =>
  single(
    tops.map((top) => [0, top]),
    (x) => evaluate(x.map((value, i) => lower + ((upper - lower) * value) / tops[i])),
    0,
    tops.slice(0, whole).map(() => 1),
  );

const repeated = (value, times) => Array.from({ length: times }, () => value);

/** Measured yields of every combination of conditions: see data/README.md. */
function directArylation() {
  const text = readFileSync(new URL('data/direct-arylation.csv', import.meta.url), 'utf8');
  const [, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const distinct = (column) => [...new Set(rows.map((row) => row[column]))];
  const yields = new Map(rows.map((row) => [row.slice(0, 5).join(), Number(row[5])]));
  return {
    inputs: ['base', 'ligand', 'solvent', 'concentration', 'temperature'].map((name, column) =>
      column < 3
        ? { kind: 'categorical', key: `react.${name}`, categories: distinct(column) }
        : { kind: 'discrete', key: `react.${name}`, values: distinct(column).map(Number) },
    ),
    outputs: [{ key: 'react.yield', objective: maximize }],
    evaluate: (conditions) => [yields.get(conditions.join())],
    /** The 17th best of 1,728. */
    top: [...yields.values()].sort((a, b) => b - a)[16],
  };
}

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

export const regret =
  (optimum) =>
  ({ all }) =>
    least(all) - optimum;
export const regretOfRecommended =
  (optimum) =>
  ({ recommended }) =>
    Math.min(...recommended.map(([value]) => value)) - optimum;
/** The score of Ax: 100 at the optimum, 0 at the best of five Sobol points. */
export const axScore =
  (baseline, optimum) =>
  ({ all }) =>
    (100 * (baseline - least(all))) / (baseline - optimum);
/** What a maximum is like: the largest result. */
export const largest = ({ all }) => Math.max(...all.map(([value]) => value));
export const ratio =
  (optimum) =>
  ({ all }) =>
    least(all) / optimum;
/** Hypervolume above the reference point of a problem, as a share of the largest one. */
export const volume =
  ({ reference, most, maximized }) =>
  ({ all }) => {
    const m = reference.length;
    const signed = (values) => values.slice(0, m).map((value, i) => (maximized.includes(i) ? -value : value));
    return hypervolume(all.filter((values) => feasible(values, m)).map(signed), signed(reference)) / most;
  };

export const optima = { branin: 0.39788735772973816, hartmann6: -3.322368011391339 };
export const problems = {
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
  discreteHartmann: stepped([3, 3, 19, 19, 1, 1], 4, [0, 1], hartmann6),
  discreteAckley: stepped([...repeated(2, 5), ...repeated(4, 5), 1, 1, 1], 10, [0, 1], ackley),
  discreteRosenbrock: stepped([...repeated(3, 6), 1, 1, 1, 1], 6, [-5, 10], rosenbrock),
  directArylation: directArylation(),
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
