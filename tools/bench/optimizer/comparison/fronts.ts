/** Two to four objectives. */
import { box, problems, several } from '../problems.js';
import { dtlz2Of, dtlz2Volume } from './functions.js';
import { inGroup, type ComparedProblem } from './problem.js';

const exact = inGroup('several objectives');
const noisy = inGroup('several objectives with noise');

const dtlz2 = (objectives: number, d: number) =>
  several(box(d, 0, 1), dtlz2Of(objectives), {
    reference: Array.from({ length: objectives }, () => 1.1),
    most: dtlz2Volume(objectives),
  });
/** The largest known volume is that of NSGA-II after 10,000 runs (Summit). */
const snar = { ...problems.snar, most: 9895 };

export const fronts: ComparedProblem[] = [
  exact('branin_currin', problems.braninCurrin, { evals: 30, initial: 6 }),
  exact('dtlz2_2', problems.dtlz2, { evals: 40, initial: 12 }),
  exact('c2dtlz2', problems.c2dtlz2, { evals: 40, initial: 10 }),
  exact('vehicle_safety', problems.vehicleSafety, { evals: 40, initial: 10 }),
  exact('dtlz2_3', dtlz2(3, 6), { evals: 40, initial: 12 }),
  exact('dtlz2_4', dtlz2(4, 6), { evals: 40, initial: 12 }),
  exact('snar', snar, { evals: 40, initial: 8 }),
  exact('dtlz2_2_batch4', problems.dtlz2, { evals: 48, initial: 12, batch: 4 }),
  noisy('branin_currin_noise5', problems.braninCurrin, {
    evals: 50,
    initial: 6,
    batch: 4,
    noise: { deviations: [15.19, 0.63] },
  }),
  noisy('c2dtlz2_noise2', problems.c2dtlz2, {
    evals: 50,
    initial: 10,
    batch: 2,
    noise: { deviations: [0.02, 0.02, 0.02] },
  }),
  noisy('dtlz2_3_noise5', dtlz2(3, 6), {
    evals: 50,
    initial: 12,
    noise: { deviations: [0.06, 0.06, 0.06] },
  }),
  // About 2 % of the ranges of the yield and of the waste.
  noisy('snar_noise2', snar, { evals: 40, initial: 8, noise: { deviations: [200, 0.5] } }),
];
