import {
  BayesianSequentialOptimizer,
  linearEquality,
  linearInequality,
  nChooseK,
  type Constraint,
  type ContinuousInput,
  type Input,
  type Point,
  type Space,
} from '@lab/optimization';
import { cpuMs, randomNumbers } from './campaign.js';
import type { Played, Row } from './campaigns.js';

/** Random domains, and a check of points by their declaration alone, independent of the checks of the optimizer. */

/** Relative to the range of an input, and to the largest possible size of the terms of a constraint. */
const tolerance = 1e-9;
const initial = 4;

/**
 * Proposes points in random domains of every kind: first of the initial design, then of a model with results, batches and
 * runs in progress. The figure of merit is the number of impossible, repeated or missing points.
 */
export function playDomains({ domains }: { domains: number }, seed: number): Played {
  const random = randomNumbers(1000 + seed);
  const before = cpuMs();
  let wrong = 0;
  let proposals = 0;
  for (let k = 0; k < domains; k += 1) {
    const space = randomSpace(random);
    const rows: Point[] = [];
    try {
      propose(space, `${seed}.${k}`, rows);
    } catch {
      // Missing rows count as wrong: the domain has infinitely many points.
    }
    const distinct = new Set(rows.map((row) => JSON.stringify(Object.entries(row).sort())));
    wrong += wanted - distinct.size + rows.filter((row) => !belongs(row, space)).length;
    proposals += rows.length;
  }
  return { value: wrong, cpuMs: (cpuMs() - before) / proposals };
}

/** Number of rows that {@link propose} asks for. */
const wanted = initial + 5;

function propose(space: Space, seed: string, rows: Point[]): void {
  const optimizer = new BayesianSequentialOptimizer({ ...space, num_initial_samples: initial, seed });
  const take = (count: number): Point[] => {
    const taken = optimizer.sample(count);
    rows.push(...taken);
    return taken;
  };
  const measure = (taken: Point[]): void => {
    optimizer.report(
      taken,
      taken.map((row) => ({ 'measure.cost': cost(row) })),
    );
  };
  measure(take(initial));
  const pair = take(2);
  measure(pair.slice(1));
  measure(take(2));
  measure(pair.slice(0, 1));
  take(1);
}

const cost = (row: Point): number =>
  Object.values(row).reduce<number>(
    (sum, value, i) => sum + (typeof value === 'string' ? value.length * i : Math.sin(value) + 0.01 * value),
    0,
  );

/** A domain whose constraints leave room for at least two continuous inputs, so that it has infinitely many points. */
function randomSpace(random: () => number): Space {
  const below = (n: number): number => Math.floor(random() * n);
  const some = (list: readonly string[], least: number): string[] => {
    const rest = [...list];
    const count = Math.min(list.length, least + below(list.length));
    return Array.from({ length: count }, () => rest.splice(below(rest.length), 1)).flat();
  };
  const scale = 10 ** (below(5) - 2);
  const free: ContinuousInput[] = Array.from({ length: 2 + below(4) }, (_, i) => ({
    kind: 'continuous',
    key: `mix.part${i}`,
    bounds: [0, (1 + below(20)) * scale],
  }));
  const others: Input[] = Array.from({ length: below(4) }, (_, i): Input => {
    const key = `mix.other${i}`;
    const kind = below(3);
    if (kind === 0) {
      const step = ([0.1, 0.25, 1, 1 / 3][below(4)] ?? 1) * scale;
      return { kind: 'continuous', key, bounds: [-2 * step, (1 + below(30)) * step], step };
    }
    if (kind === 1) {
      const values = Array.from({ length: 1 + below(6) }, () => (below(41) - 20) * scale);
      return { kind: 'discrete', key, values: [...new Set(values)] };
    }
    return {
      kind: 'categorical',
      key,
      categories: Array.from({ length: 1 + below(4) }, (_, c) => `kind ${c}`),
    };
  });
  /** A point inside the domain. */
  const inside = new Map(free.map(({ key, bounds }) => [key, bounds[1] * (0.2 + 0.6 * random())]));
  for (const input of others) {
    if (input.kind === 'discrete') inside.set(input.key, input.values[below(input.values.length)] ?? NaN);
    if (input.kind === 'continuous') inside.set(input.key, input.bounds[0] + (input.step ?? NaN) * below(3));
  }
  const at = (key: string): number => inside.get(key) ?? NaN;
  const constraints: Constraint[] = [];
  let moving = free.map(({ key }) => key);
  if (free.length >= 3 && random() < 0.4) {
    const features = some(moving, 3);
    const used = 2 + below(features.length - 1);
    for (const key of features.slice(used)) inside.set(key, 0);
    moving = moving.filter((key) => at(key) !== 0);
    const min_count = below(used + 1);
    const none_also_valid = random() < 0.3;
    constraints.push(nChooseK(features, { min_count, max_count: used, none_also_valid }));
  }
  const coefficient = (): number => (random() < 0.7 ? 1 : (1 + below(4)) / 2) * (random() < 0.8 ? 1 : -1);
  for (let k = below(3); k > 0; k -= 1) {
    const features = [
      ...some(moving, 2),
      ...some(
        others.filter(({ kind }) => kind !== 'categorical').map(({ key }) => key),
        0,
      ),
    ];
    const coefficients = features.map(coefficient);
    const value = features.reduce((sum, key, i) => sum + (coefficients[i] ?? NaN) * at(key), 0);
    const hasEquality = constraints.some(({ kind }) => kind === 'linear_equality');
    // Two equalities could leave only one point.
    if (!hasEquality && random() < 0.5) constraints.push(linearEquality(features, coefficients, value));
    else constraints.push(linearInequality(features, coefficients, value + (0.01 + random()) * scale));
  }
  return {
    inputs: [...free, ...others],
    outputs: [{ key: 'measure.cost', objective: { kind: 'minimize', weight: 1 } }],
    constraints,
  };
}

/** Whether a row is a point of a domain. */
export function belongs(
  row: Row,
  { inputs, constraints = [] }: Pick<Space, 'inputs' | 'constraints'>,
): boolean {
  const keys = inputs.map(({ key }) => key);
  if (Object.keys(row).sort().join() !== keys.sort().join()) return false;
  return (
    inputs.every((input) => allows(input, row[input.key])) &&
    constraints.every((each) => holds(each, row, inputs))
  );
}

function allows(input: Input, value: unknown): boolean {
  if (input.kind === 'categorical') return input.categories.some((each) => each === value);
  if (input.kind === 'discrete') return input.values.some((each) => each === value);
  const { bounds, step } = input;
  const [lower, upper] = bounds;
  if (typeof value !== 'number' || !(value >= lower && value <= upper)) return false;
  if (step === undefined) return true;
  return Math.abs(value - lower - step * Math.round((value - lower) / step)) <= tolerance * (upper - lower);
}

function holds(constraint: Constraint, row: Row, inputs: readonly Input[]): boolean {
  const values = constraint.features.map((key) => Number(row[key]));
  if (constraint.kind === 'n_choose_k') {
    const used = values.filter((value) => value !== 0).length;
    const { min_count, max_count, none_also_valid } = constraint;
    return (used >= min_count && used <= max_count) || (none_also_valid && used === 0);
  }
  const { coefficients } = constraint;
  const terms = values.map((value, i) => value * (coefficients[i] ?? NaN));
  const size = constraint.features.reduce(
    (sum, key, i) =>
      sum + Math.abs(coefficients[i] ?? NaN) * largest(inputs.find((each) => each.key === key)),
    Math.abs(constraint.rhs),
  );
  const excess = terms.reduce((sum, term) => sum + term, -constraint.rhs);
  return (constraint.kind === 'linear_equality' ? Math.abs(excess) : excess) <= tolerance * size;
}

/** The largest absolute value of an input. */
function largest(input: Input | undefined): number {
  if (input?.kind === 'continuous') return Math.max(...input.bounds.map(Math.abs));
  return input?.kind === 'discrete' ? Math.max(...input.values.map(Math.abs)) : NaN;
}
