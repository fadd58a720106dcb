/**
 * Test functions with published optima, as BoTorch (test_functions) and Summit (benchmarks/snar) define them. Every function
 * takes an array of numbers in the units of its bounds.
 */

/** The values of the inputs. */
export type Inputs = readonly number[];

const { PI, abs, cos, exp, hypot, max, min, sin, sqrt } = Math;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;

export const branin = ([x = NaN, y = NaN]: Inputs): number =>
  (y - (5.1 / (4 * PI ** 2)) * x ** 2 + (5 / PI) * x - 6) ** 2 + 10 * (1 - 1 / (8 * PI)) * cos(x) + 10;

const hartmannAlpha = [1, 1.2, 3, 3.2];
const hartmannA = [
  [10, 3, 17, 3.5, 1.7, 8],
  [0.05, 10, 17, 0.1, 8, 14],
  [3, 3.5, 1.7, 10, 17, 8],
  [17, 8, 0.05, 10, 0.1, 14],
];
const hartmannP = [
  [1312, 1696, 5569, 124, 8283, 5886],
  [2329, 4135, 8307, 3736, 1004, 9991],
  [2348, 1451, 3522, 2883, 3047, 6650],
  [4047, 8828, 8732, 5743, 1091, 381],
];

export const hartmann6 = (x: Inputs): number =>
  -sum(
    hartmannAlpha.map((alpha, i) => {
      const weight = (j: number): number => hartmannA[i]?.[j] ?? NaN;
      const centre = (j: number): number => (hartmannP[i]?.[j] ?? NaN) / 1e4;
      return alpha * exp(-sum(x.map((v, j) => weight(j) * (v - centre(j)) ** 2)));
    }),
  );

export const ackley = (x: Inputs): number =>
  -20 * exp(-0.2 * sqrt(mean(x.map((v) => v * v)))) - exp(mean(x.map((v) => cos(2 * PI * v)))) + 20 + Math.E;

export function levy(x: Inputs): number {
  const w = x.map((v) => 1 + (v - 1) / 4);
  const [first = NaN] = w;
  const last = w.at(-1) ?? NaN;
  return (
    sin(PI * first) ** 2 +
    sum(w.slice(0, -1).map((v) => (v - 1) ** 2 * (1 + 10 * sin(PI * v + 1) ** 2))) +
    (last - 1) ** 2 * (1 + sin(2 * PI * last) ** 2)
  );
}

export const rosenbrock = (x: Inputs): number =>
  sum(x.slice(0, -1).map((v, i) => 100 * ((x[i + 1] ?? NaN) - v * v) ** 2 + (v - 1) ** 2));

export function braninCurrin([x = NaN, y = NaN]: Inputs): number[] {
  const currin =
    ((1 - exp(-1 / (2 * y))) * (2300 * x ** 3 + 1900 * x ** 2 + 2092 * x + 60)) /
    (100 * x ** 3 + 500 * x ** 2 + 4 * x + 20);
  return [branin([15 * x - 5, 15 * y]), currin];
}

/** Two objectives. */
export function dtlz2(x: Inputs): [number, number] {
  const [first = NaN] = x;
  const g = 1 + sum(x.slice(1).map((v) => (v - 0.5) ** 2));
  return [g * cos((first * PI) / 2), g * sin((first * PI) / 2)];
}

/** Two objectives, and a slack that is 0 or more at feasible points. */
export function c2dtlz2(x: Inputs): number[] {
  const f = dtlz2(x);
  const r2 = 0.2 ** 2;
  const [a, b] = f;
  const outer = min((a - 1) ** 2 + b ** 2 - r2, (b - 1) ** 2 + a ** 2 - r2);
  const inner = sum(f.map((v) => (v - 1 / sqrt(2)) ** 2 - r2));
  return [...f, -min(outer, inner)];
}

export function zdt1(x: Inputs): number[] {
  const [first = NaN] = x;
  const g = 1 + 9 * mean(x.slice(1));
  return [first, g * (1 - sqrt(first / g))];
}

export function zdt2(x: Inputs): number[] {
  const [first = NaN] = x;
  const g = 1 + 9 * mean(x.slice(1));
  return [first, g * (1 - (first / g) ** 2)];
}

const corners = [
  [0.2, 0.2, 0.2],
  [0.8, 0.8, 0.2],
  [0.8, 0.2, 0.8],
  [0.2, 0.8, 0.8],
];
/** Squared distances to four corners of a cube: every point between them is on the front, which so fills with points. */
export const cornerDistances = (x: Inputs): number[] =>
  corners.map((corner) => sum(corner.map((c, i) => ((x[i] ?? NaN) - c) ** 2)));

export const vehicleSafety = ([a = NaN, b = NaN, c = NaN, d = NaN, e = NaN]: Inputs): number[] => [
  1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e,
  6.5856 +
    1.15 * a -
    1.0427 * b +
    0.9738 * c +
    0.8364 * d -
    0.3695 * a * d +
    0.0861 * a * e +
    0.3628 * b * d -
    0.1106 * a ** 2 -
    0.3437 * c ** 2 +
    0.1764 * d ** 2,
  -0.0551 +
    0.0181 * a +
    0.1024 * b +
    0.0421 * c -
    0.0073 * a * b +
    0.024 * b * c -
    0.0118 * b * d -
    0.0204 * c * d -
    0.008 * c * e -
    0.0241 * b ** 2 +
    0.0109 * d ** 2,
];

/** One objective, and two slacks that are 0 or more at feasible points. */
export const gramacy = ([x = NaN, y = NaN]: Inputs): number[] => [
  x + y,
  x + 2 * y + 0.5 * sin(2 * PI * (x ** 2 - 2 * y)) - 1.5,
  1.5 - x ** 2 - y ** 2,
];

/** One objective, and four slacks. */
export const pressureVessel = ([a = NaN, b = NaN, c = NaN, d = NaN]: Inputs): number[] => [
  0.6224 * a * c * d + 1.7781 * b * c ** 2 + 3.1661 * a ** 2 * d + 19.84 * a ** 2 * c,
  a - 0.0193 * c,
  b - 0.00954 * c,
  PI * c ** 2 * d + (4 / 3) * PI * c ** 3 - 1_296_000,
  240 - d,
];

/** One objective, and six slacks. */
export function weldedBeam([a = NaN, b = NaN, c = NaN, d = NaN]: Inputs): number[] {
  const [load, length, young, shear] = [6000, 14, 30e6, 12e6] as const;
  const moment = load * (length + b / 2);
  const radius = 0.5 * hypot(b, a + c);
  const inertia = 2 * sqrt(2) * a * b * (b ** 2 / 12 + 0.25 * (a + c) ** 2);
  const buckling =
    ((4.013 * young * c * d ** 3) / 6 / length ** 2) * (1 - (0.25 * c * sqrt(young / shear)) / length);
  const first = load / (sqrt(2) * a * b);
  const second = (moment * radius) / inertia;
  const stress = sqrt(first ** 2 + (first * second * b) / radius + second ** 2);
  return [
    1.10471 * a ** 2 * b + 0.04811 * c * d * (14 + b),
    13_600 - stress,
    30_000 - (6 * load * length) / (d * c ** 2),
    d - a,
    5 - 0.10471 * a ** 2 - 0.04811 * c * d * (14 + b),
    0.25 - (4 * load * length ** 3) / (young * c ** 3 * d),
    buckling - load,
  ];
}

/**
 * Nucleophilic aromatic substitution in a plug flow reactor (Hone 2017, as in Summit).
 *
 * @param inputs residence time in min, equivalents, concentration in mol/l, temperature in Celsius
 * @returns space-time yield in kg/m3/h and E-factor, as in the published table
 */
export function snar([tau = NaN, equivalents = NaN, concentration = NaN, celsius = NaN]: Inputs): number[] {
  const kelvin = celsius + 273.71;
  const rate = (reference: number, energy: number): number =>
    0.6 * reference * exp((-energy / 0.008314) * (1 / kelvin - 1 / (90 + 273.71)));
  const [ka, kb, kc, kd] = [rate(57.9, 33.3), rate(2.7, 35.3), rate(0.865, 38.9), rate(1.63, 44.8)] as const;
  type State = [number, number, number, number, number];
  const slope = ([a, b, c, d]: State): State => [
    -(ka + kb) * a * b,
    -(ka + kb) * a * b - kc * b * c - kd * b * d,
    ka * a * b - kc * b * c,
    // The reference implementation uses k_a here as well.
    ka * a * b - kd * b * d,
    kc * b * c + kd * b * d,
  ];
  let state: State = [concentration, equivalents * concentration, 0, 0, 0];
  const steps = 2000;
  const h = tau / steps;
  const moved = (from: State, by: State, factor: number): State =>
    from.map((value, i) => value + factor * (by[i] ?? NaN)) as State;
  for (let step = 0; step < steps; step++) {
    const k1 = slope(state);
    const k2 = slope(moved(state, k1, h / 2));
    const k3 = slope(moved(state, k2, h / 2));
    const k4 = slope(moved(state, k3, h));
    const both = moved(moved(moved(k1, k2, 2), k3, 2), k4, 1);
    state = moved(state, both, h / 6);
  }
  const mass: State = [159.09, 71.12, 210.21, 210.21, 261.33];
  const flow = 3 / tau;
  const product = max(state[2], 0);
  const spaceTimeYield = max(1e-6, (60 * mass[2] * product * flow) / 3);
  const waste =
    flow * 0.789 + 1e-3 * flow * sum([0, 1, 3, 4].map((i) => (mass[i] ?? NaN) * (state[i] ?? NaN)));
  const eFactor = abs(product) < 1e-8 ? 1e3 : min(1e3, waste / (1e-3 * mass[2] * product * flow));
  return [spaceTimeYield, eFactor];
}
