/** Categories, steps and discrete numbers beside continuous inputs, and measured yields. */
import type { Input, InputValue } from '@lab/optimization';
import { ackley, type Inputs } from '../functions.js';
import { minimize, problems, type Problem } from '../problems.js';
import { rastrigin } from './functions.js';
import { inGroup, known, type ComparedProblem } from './problem.js';

const mixed = inGroup('mixed');
const chemistry = inGroup('measured yields');

const real = (key: string, lower: number, upper: number, step?: number): Input => ({
  kind: 'continuous',
  key: `mix.${key}`,
  bounds: [lower, upper],
  ...(step !== undefined && { step }),
});
const category = (key: string, ...categories: string[]): Input => ({
  kind: 'categorical',
  key: `mix.${key}`,
  categories,
});
const discrete = (key: string, ...values: number[]): Input => ({
  kind: 'discrete',
  key: `mix.${key}`,
  values,
});

const loss = (inputs: Input[], evaluate: (values: readonly InputValue[]) => number): Problem => ({
  inputs,
  outputs: [{ key: 'mix.loss', objective: minimize }],
  evaluate: (values) => [evaluate(values)],
});
const numbers = (values: readonly InputValue[]): number[] => values.map(Number);
const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const indexOf = (value: InputValue | undefined): number => letters.indexOf(String(value));
const at = (list: Inputs, value: InputValue | undefined): number => list[indexOf(value)] ?? NaN;

/**
 * Each category alone makes the loss worse from `a` to `e`; only `d` and `e` together are the best. The place of the optimum in
 * the numbers differs between categories.
 */
const trap = loss(
  [
    category('first', ...letters.slice(0, 5)),
    category('second', ...letters.slice(0, 5)),
    real('x', 0, 1),
    real('y', 0, 1),
  ],
  ([first, second, x, y]) => {
    const [a, b] = [indexOf(first), indexOf(second)];
    const place = [0.1 + 0.2 * a, 0.9 - 0.2 * b] as const;
    const distance = (Number(x) - place[0]) ** 2 + (Number(y) - place[1]) ** 2;
    return 0.25 * (a + b) - (a === 3 && b === 4 ? 3 : 0) + 4 * distance + 1.25;
  },
);

/** A property of each category that the optimizer does not know, and on which the loss depends smoothly. */
const solvent = [0.62, 0.11, 0.95, 0.38, 0.29, 0.8, 0.05, 0.5];
const base = [0.7, 0.2, 0.45, 0.9, 0.3];
const solvents = loss(
  [
    category('solvent', ...letters),
    category('base', ...letters.slice(0, 5)),
    real('temperature', 0, 1),
    real('time', 0, 1),
  ],
  ([s, b, temperature, time]) => {
    const [u, v, t] = [at(solvent, s), at(base, b), Number(temperature)];
    return (
      4 * (u - 0.38) ** 2 +
      3 * (v - 0.45 + 0.5 * (u - 0.38)) ** 2 +
      2 * (t - 0.8 * u) ** 2 +
      (Number(time) - v) ** 2
    );
  },
);

/** Two categories, two inputs with steps and three continuous ones, which act together; waves over a bowl. */
const shiftOf = [0.4, -0.3, 0.1, -0.1];
const seven = loss(
  [
    category('catalyst', ...letters.slice(0, 4)),
    category('vessel', ...letters.slice(0, 3)),
    real('cycles', 0, 10, 1),
    real('rate', 0, 2, 0.25),
    real('x', -1, 1),
    real('y', -1, 1),
    real('z', -1, 1),
  ],
  ([catalyst, vessel, cycles, rate, ...rest]) => {
    const [c, v] = [at(shiftOf, catalyst), indexOf(vessel)];
    const [n, r] = [Number(cycles) / 10, Number(rate) / 2];
    const from = numbers(rest).map((x, i) => x - c * (i === 1 ? -1 : 1));
    const waves = rastrigin(from.map((x) => 1.5 * x)) / 20;
    return (
      waves +
      3 * (c - 0.1) ** 2 +
      (n - 0.7) ** 2 +
      (r - 0.375 - 0.2 * (n - 0.7)) ** 2 +
      0.3 * Math.abs(v - 1) * (1 + r)
    );
  },
);

/** Three inputs with steps and three continuous ones. The optimum lies on the steps. */
const steppedPlace = [1.5, -2, 3, 0.7, -1.3, 2.2];
const steps = loss(
  steppedPlace.map((_, i) => real(`x${i + 1}`, -5, 5, i < 3 ? 0.5 : undefined)),
  (values) => ackley(numbers(values).map((x, i) => x - (steppedPlace[i] ?? NaN))),
);

/** Only the inputs of the chosen reactor count. The better reactor has the narrower basin. */
const conditional = loss(
  [
    category('reactor', 'batch', 'flow'),
    real('time', 0, 10),
    real('stirring', 0, 10),
    real('rate', 0, 10),
    real('length', 0, 10),
    discrete('temperature', 20, 40, 60, 80, 100),
  ],
  ([reactor, time, stirring, rate, length, temperature]) => {
    const heat = ((Number(temperature) - (reactor === 'batch' ? 40 : 80)) / 40) ** 2;
    const bowl = (a: InputValue | undefined, b: InputValue | undefined, width: number): number =>
      ((Number(a) - 3) / width) ** 2 + ((Number(b) - 7) / width) ** 2;
    const distance = reactor === 'batch' ? bowl(time, stirring, 5) : bowl(rate, length, 2);
    return reactor === 'batch' ? 1 + heat + distance : 3 * (1 - Math.exp(-distance)) + heat;
  },
);

const yields = known(problems.directArylation, 100, [
  'Cesium pivalate',
  'SCHEMBL15068049',
  'DMAc',
  0.153,
  105,
]);
const zeros = (d: number): number[] => Array.from({ length: d }, () => 0);

export const mixtures: ComparedProblem[] = [
  mixed('category_trap', known(trap, 0, ['d', 'e', 0.7, 0.1]), { evals: 50, initial: 8 }),
  mixed('hidden_descriptors', known(solvents, 0, ['d', 'c', 0.304, 0.45]), { evals: 50, initial: 8 }),
  mixed('seven_kinds', known(seven, 0, ['c', 'b', 7, 0.75, 0.1, -0.1, 0.1]), { evals: 50, initial: 14 }),
  mixed('seven_kinds_noise5', known(seven, 0, ['c', 'b', 7, 0.75, 0.1, -0.1, 0.1]), {
    evals: 60,
    initial: 14,
    noise: { deviations: [0.15] },
  }),
  mixed('ackley6_steps', known(steps, 0, steppedPlace), { evals: 40, initial: 12 }),
  mixed('conditional_reactor', known(conditional, 0, ['flow', 5, 5, 3, 7, 80]), { evals: 40, initial: 12 }),
  mixed('ackley13_binary', known(problems.discreteAckley, 0, zeros(13)), { evals: 50, initial: 20 }),
  chemistry('direct_arylation', yields, { evals: 40, initial: 10 }),
  chemistry('direct_arylation_batch4', yields, { evals: 50, initial: 10, batch: 4 }),
  chemistry('direct_arylation_batch5', yields, {
    ...{ evals: 50, initial: 5, batch: 5 },
    // Yields are measured to 0.01 %.
    goal: { what: 'in the top 1 %', regret: Number((100 - problems.directArylation.top).toFixed(2)) },
  }),
  chemistry('direct_arylation_batch8', yields, { evals: 58, initial: 10, batch: 8 }),
  chemistry('direct_arylation_noise5', yields, { evals: 60, initial: 10, noise: { deviations: [5] } }),
];
