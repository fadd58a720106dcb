/** One objective over numbers: without noise, with noise, in batches and with runs in progress. */
import { branin, hartmann6, levy, rosenbrock, ackley, type Inputs } from '../functions.js';
import { box, optima, single, type Bounds } from '../problems.js';
import {
  differentPowers,
  ellipsoid,
  gallagher,
  griewank,
  hartmann3,
  michalewicz,
  moved,
  rastrigin,
  schwefel,
  sharpRidge,
  somewhere,
  styblinskiTang,
  type TestFunction,
} from './functions.js';
import { inGroup, known, type ComparedProblem } from './problem.js';

const ones = (d: number): number[] => Array.from({ length: d }, () => 1);
const braninBounds: Bounds[] = [
  [-5, 10],
  [0, 15],
];
const hartmann6At = [0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054];
const hartmann3At = [0.11461434, 0.55564884, 0.85254695];

/** A function with the value 0 at its origin, which lies at a random place, in a box from -5 to 5. */
function hidden(f: TestFunction, d: number, seed: number, isTurned = true) {
  const place = somewhere(d, seed);
  return known(single(box(d, -5, 5), moved(f, place, isTurned ? seed : undefined)), 0, place);
}

const problems = {
  branin: known(single(braninBounds, branin), optima.branin, [Math.PI, 2.275]),
  hartmann3: known(single(box(3, 0, 1), hartmann3), -3.862779787332661, hartmann3At),
  hartmann6: known(single(box(6, 0, 1), hartmann6), optima.hartmann6, hartmann6At),
  hartmann6Among20: known(
    single(box(20, 0, 1), (x: Inputs) => hartmann6(x.slice(0, 6))),
    optima.hartmann6,
    [...hartmann6At, ...ones(14)],
  ),
  rosenbrock: (d: number) => known(single(box(d, -5, 10), rosenbrock), 0, ones(d)),
  levy: (d: number) => known(single(box(d, -10, 10), levy), 0, ones(d)),
  ackley5: hidden(ackley, 5, 11, false),
  ackley10: hidden(ackley, 10, 12),
  rastrigin3: hidden(rastrigin, 3, 13),
  rastrigin5: hidden(rastrigin, 5, 14, false),
  griewank5: hidden((x) => griewank(x.map((v) => 4 * v)), 5, 15),
  ellipsoid10: hidden(ellipsoid(1e4), 10, 16),
  powers6: hidden(differentPowers, 6, 17),
  ridge4: hidden(sharpRidge, 4, 18),
  gallagher3: hidden(gallagher(3, 21, 19), 3, 19, false),
  styblinskiTang4: known(
    single(box(4, -5, 5), styblinskiTang),
    -39.16616570377142 * 4,
    ones(4).map(() => -2.903534027771177),
  ),
  schwefel3: known(
    single(box(3, -500, 500), schwefel),
    3.8183e-5,
    ones(3).map(() => 420.968746),
  ),
  michalewicz5: known(
    single(box(5, 0, Math.PI), michalewicz),
    -4.687658179,
    [2.20290552, 1.57079633, 1.28499157, 1.92305847, 1.72046977],
  ),
};

const exact = inGroup('without noise');
const noisy = inGroup('noise');
const batches = inGroup('batches');
const flights = inGroup('runs in progress');

/** Noise of a standard deviation for the first output. */
const sd = (deviation: number) => ({ noise: { deviations: [deviation] } });

export const smooth: ComparedProblem[] = [
  exact('branin', problems.branin, { evals: 25, initial: 6 }),
  exact('hartmann3', problems.hartmann3, { evals: 30, initial: 6 }),
  exact('hartmann6', problems.hartmann6, { evals: 40, initial: 12 }),
  exact('hartmann6_60', problems.hartmann6, {
    ...{ evals: 60, initial: 12 },
    // The second best minimum has a regret of 0.12.
    goal: { what: 'in the basin of the optimum', regret: 0.05 },
  }),
  exact('rosenbrock4', problems.rosenbrock(4), { evals: 40, initial: 8 }),
  exact('levy6', problems.levy(6), { evals: 40, initial: 12 }),
  exact('ackley5', problems.ackley5, { evals: 40, initial: 10 }),
  exact('rastrigin3', problems.rastrigin3, { evals: 40, initial: 6 }),
  exact('griewank5', problems.griewank5, { evals: 40, initial: 10 }),
  exact('styblinski_tang4', problems.styblinskiTang4, { evals: 40, initial: 8 }),
  exact('gallagher3', problems.gallagher3, { evals: 40, initial: 6 }),
  exact('schwefel3', problems.schwefel3, { evals: 40, initial: 6 }),
  exact('michalewicz5', problems.michalewicz5, { evals: 60, initial: 10 }),
  exact('different_powers6', problems.powers6, { evals: 40, initial: 12 }),
  exact('sharp_ridge4', problems.ridge4, { evals: 40, initial: 8 }),
  exact('ellipsoid10', problems.ellipsoid10, { evals: 60, initial: 20 }),
  exact('ackley10', problems.ackley10, { evals: 60, initial: 20 }),
  exact('rosenbrock20', problems.rosenbrock(20), { evals: 80, initial: 20 }),
  exact('hartmann6_among20', problems.hartmann6Among20, { evals: 80, initial: 20 }),

  // Ranges: branin 308, hartmann6 3.3, ackley5 16, rastrigin5 150, levy6 300.
  noisy('branin_noise2', problems.branin, { evals: 30, initial: 6, ...sd(6) }),
  noisy('hartmann6_noise2', problems.hartmann6, { evals: 40, initial: 12, ...sd(0.066) }),
  noisy('hartmann6_noise10', problems.hartmann6, { evals: 60, initial: 12, ...sd(0.33) }),
  noisy('ackley5_noise10', problems.ackley5, { evals: 40, initial: 10, ...sd(1.6) }),
  noisy('rastrigin5_noise5', problems.rastrigin5, { evals: 60, initial: 10, ...sd(7.5) }),
  noisy('levy6_heteroscedastic', problems.levy(6), {
    evals: 40,
    initial: 12,
    // A tenth of the value, and 1 at the optimum.
    noise: { deviations: [1], growth: ([value = NaN]) => 1 + 0.1 * value },
  }),
  noisy('hartmann6_heteroscedastic', problems.hartmann6, {
    evals: 50,
    initial: 12,
    // More noise near the optimum, as where a yield is high.
    noise: { deviations: [0.02], growth: ([value = NaN]) => 1 - 4 * value },
  }),
  noisy('branin_outliers', problems.branin, {
    evals: 40,
    initial: 6,
    noise: { deviations: [1], outliers: { share: 0.08, by: 3000, sides: 'worse' } },
  }),
  noisy('hartmann6_outliers', problems.hartmann6, {
    evals: 50,
    initial: 12,
    noise: { deviations: [0.03], outliers: { share: 0.08, by: 6, sides: 'both' } },
  }),

  batches('hartmann6_batch4', problems.hartmann6, { evals: 44, initial: 12, batch: 4 }),
  batches('rastrigin3_batch4', problems.rastrigin3, { evals: 46, initial: 6, batch: 4 }),
  batches('rosenbrock4_batch4', problems.rosenbrock(4), { evals: 48, initial: 8, batch: 4 }),
  batches('ackley5_batch8', problems.ackley5, { evals: 58, initial: 10, batch: 8 }),
  batches('hartmann6_batch8_noise2', problems.hartmann6, { evals: 60, initial: 12, batch: 8, ...sd(0.066) }),

  flights('hartmann6_flight4', problems.hartmann6, { evals: 40, initial: 12, flight: 4 }),
  flights('griewank5_flight4', problems.griewank5, { evals: 40, initial: 10, flight: 4 }),
  flights('levy6_flight4_noise2', problems.levy(6), { evals: 40, initial: 12, flight: 4, ...sd(6) }),
  // The first input is a time: runs near its upper bound take five times as long.
  flights('rosenbrock4_durations', problems.rosenbrock(4), {
    evals: 60,
    initial: 8,
    flight: 4,
    duration: ([time]) => 1 + (4 * (Number(time) + 5)) / 15,
    time: 25,
  }),
];
