/** Further test functions. Those without another note are minimised and have the value 0 at the origin. */
import { randomNumbers } from '../campaign.js';
import type { Inputs } from '../functions.js';

const { PI, abs, cos, exp, max, sin, sqrt } = Math;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const vector = (d: number, at: (i: number) => number): number[] => Array.from({ length: d }, (_, i) => at(i));

export type TestFunction = (x: Inputs) => number;

export const rastrigin: TestFunction = (x) => sum(x.map((v) => v * v + 10 - 10 * cos(2 * PI * v)));

export const griewank: TestFunction = (x) =>
  sum(x.map((v) => (v * v) / 4000)) - x.reduce((product, v, i) => product * cos(v / sqrt(i + 1)), 1) + 1;

/** The axes of the ellipsoid have curvatures from 1 to `condition`. */
export const ellipsoid =
  (condition: number): TestFunction =>
  (x) =>
    sum(x.map((v, i) => condition ** (i / (x.length - 1)) * v * v));

/** Powers from 2 to 6: steep and flat in different directions (BBOB f14). */
export const differentPowers: TestFunction = (x) =>
  sqrt(sum(x.map((v, i) => abs(v) ** (2 + (4 * i) / (x.length - 1)))));

/** A ridge along the first axis, not smooth at its edge (BBOB f13). */
export const sharpRidge: TestFunction = ([first = NaN, ...rest]) =>
  first * first + 100 * sqrt(sum(rest.map((v) => v * v)));

/** The minimum is -39.166166 for each input, at -2.903534. */
export const styblinskiTang: TestFunction = (x) => sum(x.map((v) => v ** 4 - 16 * v * v + 5 * v)) / 2;

/** The minimum is 2.5e-5 for each input, at 420.968746. The second best basin is far away. */
export const schwefel: TestFunction = (x) => 418.9829 * x.length - sum(x.map((v) => v * sin(sqrt(abs(v)))));

/** Steep narrow valleys. The minimum for five inputs is -4.687658. */
export const michalewicz: TestFunction = (x) =>
  -sum(x.map((v, i) => sin(v) * sin(((i + 1) * v * v) / PI) ** 20));

const hartmannRows = [
  { alpha: 1, a: [3, 10, 30], p: [0.3689, 0.117, 0.2673] },
  { alpha: 1.2, a: [0.1, 10, 35], p: [0.4699, 0.4387, 0.747] },
  { alpha: 3, a: [3, 10, 30], p: [0.1091, 0.8732, 0.5547] },
  { alpha: 3.2, a: [0.1, 10, 35], p: [0.0381, 0.5743, 0.8828] },
];

/** The minimum is -3.86278. */
export const hartmann3: TestFunction = (x) =>
  -sum(
    hartmannRows.map(
      ({ alpha, a, p }) => alpha * exp(-sum(x.map((v, j) => (a[j] ?? NaN) * (v - (p[j] ?? NaN)) ** 2))),
    ),
  );

/** Peaks at random places, of which the first is the highest and lies at the origin (BBOB f21). */
export function gallagher(d: number, peaks: number, seed: number): TestFunction {
  const random = randomNumbers(seed);
  const all = vector(peaks, (i) => i).map((i) => ({
    height: i === 0 ? 10 : 1.1 + (8 * (i - 1)) / max(1, peaks - 2),
    centre: vector(d, () => (i === 0 ? 0 : 10 * random() - 5)),
    curvatures: vector(d, () => 10 ** (2 * random() - (i === 0 ? 0 : 1))),
  }));
  return (x) => {
    const heights = all.map(({ height, centre, curvatures }) => {
      const distance = sum(x.map((v, j) => (curvatures[j] ?? NaN) * (v - (centre[j] ?? NaN)) ** 2));
      return height * exp(-distance / (2 * d));
    });
    return (10 - max(...heights)) ** 2;
  };
}

/** DTLZ2 with a number of objectives. */
export const dtlz2Of =
  (objectives: number) =>
  (x: Inputs): number[] => {
    const g = 1 + sum(x.slice(objectives - 1).map((v) => (v - 0.5) ** 2));
    return vector(objectives, (k) => {
      const cosines = x.slice(0, objectives - 1 - k).reduce((product, v) => product * cos((v * PI) / 2), 1);
      return g * cosines * (k === 0 ? 1 : sin(((x[objectives - 1 - k] ?? NaN) * PI) / 2));
    });
  };

/** The volume that the front of {@link dtlz2Of} leaves below the reference point 1.1, 1.1 and so on. */
export function dtlz2Volume(objectives: number): number {
  const ball: Record<number, number> = { 2: PI, 3: (4 * PI) / 3, 4: PI ** 2 / 2 };
  return 1.1 ** objectives - (ball[objectives] ?? NaN) / 2 ** objectives;
}

/**
 * The weight of a spring (Belegundu 1982), and four slacks that must be 0 or more.
 *
 * @param x diameter of the wire, diameter of the coil, number of coils
 */
export const spring = ([wire = NaN, coil = NaN, count = NaN]: Inputs): number[] => [
  (count + 2) * coil * wire ** 2,
  (coil ** 3 * count) / (71_785 * wire ** 4) - 1,
  1 - (4 * coil ** 2 - wire * coil) / (12_566 * (coil * wire ** 3 - wire ** 4)) - 1 / (5108 * wire ** 2),
  (140.45 * wire) / (coil ** 2 * count) - 1,
  1 - (wire + coil) / 1.5,
];

/** A point from -3.5 to 3.5 in each input. */
export function somewhere(d: number, seed: number): number[] {
  const random = randomNumbers(seed);
  return vector(d, () => 7 * random() - 3.5);
}

/** The function with its origin moved to `place`, and turned around it unless `seed` is undefined. */
export function moved(f: TestFunction, place: Inputs, seed?: number): TestFunction {
  const axes = seed === undefined ? undefined : rotation(place.length, seed);
  return (x) => {
    const from = x.map((v, i) => v - (place[i] ?? NaN));
    return f(axes === undefined ? from : axes.map((axis) => dot(axis, from)));
  };
}

const dot = (a: Inputs, b: Inputs): number => sum(a.map((v, i) => v * (b[i] ?? NaN)));

/** Orthonormal axes from vectors at random (Gram and Schmidt). */
function rotation(d: number, seed: number): number[][] {
  const random = randomNumbers(seed);
  const axes: number[][] = [];
  while (axes.length < d) {
    let axis = vector(d, () => random() + random() + random() - 1.5);
    for (const other of axes) {
      const along = dot(axis, other);
      axis = axis.map((v, i) => v - along * (other[i] ?? NaN));
    }
    const length = sqrt(dot(axis, axis));
    axes.push(axis.map((v) => v / length));
  }
  return axes;
}
