/** One objective with conditions: on inputs, which are known, and on outputs, which runs reveal. */
import { linearEquality, linearInequality, nChooseK } from '@lab/optimization';
import { hartmann6, rosenbrock, type Inputs } from '../functions.js';
import { box, optima, problems, single } from '../problems.js';
import { spring } from './functions.js';
import { inGroup, known, type ComparedProblem } from './problem.js';

const keys = (d: number): string[] => Array.from({ length: d }, (_, i) => `run.x${i + 1}`);
const all = (d: number, value: number): number[] => Array.from({ length: d }, () => value);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A recipe: waves over a bowl, with the value 0 at `target`. */
const recipe =
  (target: Inputs) =>
  (x: Inputs): number =>
    sum(
      x.map((share, i) => {
        const from = share - (target[i] ?? NaN);
        return (1 + i) * from ** 2 + 0.05 * (1 - Math.cos(6 * Math.PI * from));
      }),
    );

const mixture = [0.35, 0.15, 0.05, 0.25, 0.2];
const choice = [0, 0.55, 0, 0, 0.3, 0, 0.15, 0];
const band = [0.9, 0.9, 0.5, 0.3, 0.25, 0.15];

const knownOnes = inGroup('known constraints');
const unknownOnes = inGroup('unknown constraints');

/** A ball in a box from 0 to 1, which is less than 1 % of it. */
const ball = { centre: [0.7, 0.3, 0.6, 0.25], radius: 0.2 };
const inBall = (x: Inputs): number =>
  ball.radius - Math.hypot(...x.map((v, i) => v - (ball.centre[i] ?? NaN)));
/** The least sum of the inputs in the ball. */
const ballPoint = ball.centre.map((v) => v - ball.radius / 2);

const hartmann6At = [0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730054];

const gramacyProblem = known(problems.gramacy, 0.599788, [0.19541, 0.40437]);

export const constrained: ComparedProblem[] = [
  knownOnes('mixture5', known(single(box(5, 0, 1), recipe(mixture)), 0, mixture), {
    evals: 40,
    initial: 10,
    constraints: [linearEquality(keys(5), all(5, 1), 1), linearInequality(['run.x1', 'run.x2'], [1, 1], 0.5)],
  }),
  knownOnes('mixture8_choose3', known(single(box(8, 0, 1), recipe(choice)), 0, choice), {
    evals: 50,
    initial: 16,
    constraints: [linearEquality(keys(8), all(8, 1), 1), nChooseK(keys(8), { min_count: 1, max_count: 3 })],
  }),
  // About 1 % of the box.
  knownOnes('thin_band6', known(single(box(6, 0, 1), recipe(band)), 0, band), {
    evals: 40,
    initial: 12,
    constraints: [
      linearInequality(keys(6), all(6, 1), 3.02),
      linearInequality(keys(6), all(6, -1), -2.98),
      linearInequality(['run.x1', 'run.x2'], [1, -1], 0.05),
      linearInequality(['run.x1', 'run.x2'], [-1, 1], 0.05),
    ],
  }),
  knownOnes('rosenbrock4_slope', known(single(box(4, -5, 10), rosenbrock), 0, all(4, 1)), {
    evals: 40,
    initial: 8,
    // The optimum lies on the boundary.
    constraints: [linearInequality(keys(4), all(4, 1), 4)],
  }),

  unknownOnes('gramacy', gramacyProblem, { evals: 40, initial: 6 }),
  unknownOnes('gramacy_noise2', gramacyProblem, {
    evals: 40,
    initial: 6,
    noise: { deviations: [0.04, 0.06, 0.04] },
  }),
  unknownOnes(
    'hartmann6_ball',
    known(
      single(box(6, 0, 1), (x) => [hartmann6(x), 1 - Math.hypot(...x)], 1),
      optima.hartmann6,
      hartmann6At,
    ),
    { evals: 40, initial: 12 },
  ),
  unknownOnes(
    'spring',
    known(
      single(
        [
          [0.05, 1],
          [0.25, 1.3],
          [2, 15],
        ],
        spring,
        4,
      ),
      0.0126652327,
      [0.05168906, 0.35671773, 11.28896595],
    ),
    { evals: 50, initial: 10 },
  ),
  unknownOnes(
    'pressure_vessel',
    known(problems.pressureVessel, 6059.714335, [0.8125, 0.4375, 42.0984455958549, 176.6365958424394]),
    { evals: 50, initial: 10 },
  ),
  unknownOnes(
    'welded_beam',
    known(problems.weldedBeam, 1.7248523, [0.2057296398, 3.4704886656, 9.03662391, 0.2057296398]),
    { evals: 60, initial: 10 },
  ),
  unknownOnes(
    'ball4_slack',
    known(
      single(box(4, 0, 1), (x) => [sum(x), inBall(x)], 1),
      sum(ballPoint),
      ballPoint,
    ),
    { evals: 40, initial: 10 },
  ),
  // The slack only says yes or no.
  unknownOnes(
    'ball4_yes_no',
    known(
      single(box(4, 0, 1), (x) => [sum(x), inBall(x) >= -1e-9 ? 1 : -1], 1),
      sum(ballPoint),
      ballPoint,
    ),
    { evals: 60, initial: 10 },
  ),
];
