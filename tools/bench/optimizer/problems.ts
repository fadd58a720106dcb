import { readFileSync } from 'node:fs';
import type { Input, InputValue, Output } from '@lab/optimization';
import { inTools } from '../../shared/paths.js';
import {
  ackley,
  branin,
  braninCurrin,
  c2dtlz2,
  cornerDistances,
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
  type Inputs,
} from './functions.js';
import { hypervolume } from './hypervolume.js';

/** Problems, and the figures of merit of a campaign. The optimizer knows inputs, objectives and thresholds. */

export type Bounds = [lower: number, upper: number];

export interface Problem {
  inputs: Input[];
  outputs: Output[];
  /** The worst value of interest of each objective. */
  reference_point?: Record<string, number>;
  /** The true values of all outputs at a point; NaN: the run fails. */
  evaluate(values: readonly InputValue[]): number[];
}

/** A problem with several objectives, which hypervolumes compare. */
export interface ParetoProblem extends Problem {
  reference: number[];
  /** The largest known hypervolume. */
  most: number;
  /** Indices of the maximised objectives. */
  maximized: number[];
}

/** What a figure of merit is computed from: true values of all runs, and of the runs that the optimizer recommends. */
export interface CampaignResults {
  all: number[][];
  recommended: number[][];
}
export type Merit = (results: CampaignResults) => number;

export const box = (d: number, lower: number, upper: number): Bounds[] =>
  Array.from({ length: d }, () => [lower, upper]);
export const minimize = { kind: 'minimize' as const, weight: 1 };
export const maximize = { kind: 'maximize' as const, weight: 1 };

const inputsOf = (bounds: readonly Bounds[], steps: readonly number[] = []): Input[] =>
  bounds.map((each, i) => ({
    kind: 'continuous' as const,
    key: `run.x${i + 1}`,
    bounds: each,
    ...(steps[i] === undefined ? {} : { step: steps[i] }),
  }));

const slackOutputs = (slacks: number): Output[] =>
  Array.from({ length: slacks }, (_, i) => ({
    key: `run.slack${i + 1}`,
    objective: null,
    constraint: { at_least: 0 },
  }));

/** A minimised objective, then slacks that must be 0 or more. */
export const single = (
  bounds: Bounds[],
  evaluate: (x: Inputs) => number | number[],
  slacks = 0,
  steps: readonly number[] = [],
): Problem => ({
  inputs: inputsOf(bounds, steps),
  outputs: [{ key: 'run.loss', objective: minimize }, ...slackOutputs(slacks)],
  evaluate: (values) => [evaluate(values.map(Number))].flat(),
});

/** Inputs from 0 to `tops[i]`, the first `whole` of them whole numbers, scaled to the bounds of a function (Daulton 2022). */
const stepped = (
  tops: readonly number[],
  whole: number,
  [lower, upper]: Bounds,
  evaluate: (x: Inputs) => number,
): Problem =>
  single(
    tops.map((top) => [0, top]),
    (x) => evaluate(x.map((value, i) => lower + ((upper - lower) * value) / (tops[i] ?? NaN))),
    0,
    tops.slice(0, whole).map(() => 1),
  );

const repeated = (value: number, times: number): number[] => Array.from({ length: times }, () => value);

/** Measured yields of every combination of conditions: see data/README.md. */
function directArylation(): Problem & { top: number } {
  const text = readFileSync(inTools('bench/optimizer/data/direct-arylation.csv'), 'utf8');
  const [, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const distinct = (column: number): string[] => [...new Set(rows.map((row) => row[column] ?? ''))];
  const yields = new Map(rows.map((row) => [row.slice(0, 5).join(), Number(row[5])]));
  return {
    inputs: ['base', 'ligand', 'solvent', 'concentration', 'temperature'].map((name, column) =>
      column < 3
        ? { kind: 'categorical' as const, key: `react.${name}`, categories: distinct(column) }
        : { kind: 'discrete' as const, key: `react.${name}`, values: distinct(column).map(Number) },
    ),
    outputs: [{ key: 'react.yield', objective: maximize }],
    evaluate: (conditions) => [yields.get(conditions.join()) ?? NaN],
    /** The 17th best of 1,728. */
    top: [...yields.values()].sort((a, b) => b - a)[16] ?? NaN,
  };
}

/** Several objectives, minimised unless `maximized` names them, then slacks. */
export const several = (
  bounds: Bounds[],
  evaluate: (x: Inputs) => number[],
  {
    reference,
    most,
    slacks = 0,
    maximized = [],
  }: { reference: number[]; most: number; slacks?: number; maximized?: number[] },
): ParetoProblem => ({
  inputs: inputsOf(bounds),
  outputs: [
    ...reference.map((_, i) => ({
      key: `run.f${i + 1}`,
      objective: maximized.includes(i) ? maximize : minimize,
    })),
    ...slackOutputs(slacks),
  ],
  reference_point: Object.fromEntries(reference.map((value, i) => [`run.f${i + 1}`, value])),
  evaluate: (values) => evaluate(values.map(Number)),
  reference,
  most,
  maximized,
});

/** @param first index of the first slack */
const feasible = (values: readonly number[], first: number): boolean =>
  values.every((value) => !Number.isNaN(value)) && values.slice(first).every((slack) => slack >= 0);
const least = (results: readonly number[][]): number =>
  results.reduce((best, values) => (feasible(values, 1) ? Math.min(best, values[0] ?? NaN) : best), Infinity);

export const regret =
  (optimum: number): Merit =>
  ({ all }) =>
    least(all) - optimum;
export const regretOfRecommended =
  (optimum: number): Merit =>
  ({ recommended }) =>
    Math.min(...recommended.map(([value = NaN]) => value)) - optimum;
/** The score of Ax: 100 at the optimum, 0 at the best of five Sobol points. */
export const axScore =
  (baseline: number, optimum: number): Merit =>
  ({ all }) =>
    (100 * (baseline - least(all))) / (baseline - optimum);
/** The largest result, for a maximised objective. */
export const largest: Merit = ({ all }) => Math.max(...all.map(([value = NaN]) => value));
/** The number of runs that failed, of a campaign that came near to the optimum; of another one, all of them. */
export const failures =
  (optimum: number, near: number): Merit =>
  ({ all }) =>
    least(all) - optimum <= near ? all.filter((values) => values.some(Number.isNaN)).length : all.length;
export const ratio =
  (optimum: number): Merit =>
  ({ all }) =>
    least(all) / optimum;
/** Hypervolume above the reference point of a problem, as a share of the largest one. */
export const volume =
  ({ reference, most, maximized }: ParetoProblem): Merit =>
  ({ all }) => {
    const m = reference.length;
    const signed = (values: readonly number[]): number[] =>
      values.slice(0, m).map((value, i) => (maximized.includes(i) ? -value : value));
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
  /** A bowl of which only a ball of radius 0.3 is allowed, and a slack that says no more than that. */
  hiddenBall: single(
    box(4, 0, 1),
    (x) => {
      const away = Math.hypot(...[0.63, 0.31, 0.44, 0.7].map((centre, i) => (x[i] ?? NaN) - centre));
      return [(away - 0.1) ** 2, away <= 0.3 ? 1 : -1];
    },
    1,
  ),
  /** Runs fail on three fifths of the domain, with two of the three optima of Branin. */
  failingBranin: single(
    [
      [-5, 10],
      [0, 15],
    ],
    (x) => ((x[0] ?? NaN) > 5 || (x[0] ?? NaN) < -1 ? NaN : branin(x)),
  ),
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
  // The largest volume by 40,000 random points, with a standard error of 0.0024.
  cornerDistances: several(box(3, 0, 1), cornerDistances, { reference: [1, 1, 1, 1], most: 0.6624 }),
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
