import type { Fault } from '@lab/contracts';
import { shapeFaults } from './space-shape.js';
import type { CategoricalInput, Constraint, ContinuousInput, Input, Output, Space } from './space.js';

/** Relative difference below which two numbers of a declaration or a point count as equal. */
export const tolerance = 1e-9;

/**
 * All faults of a declaration that can be found without solving a program; `Domain.of` finds the others.
 *
 * @param space of any form: if it does not have the form of its type, only that is reported
 */
export function spaceFaults(space: Space): Fault[] {
  const faults: Fault[] = shapeFaults(space);
  if (faults.length > 0) return faults;
  const add: Add = (path, code, message, hint) => {
    faults.push({ path, code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const seen = new Map<string, string>();
  const checkKey = (path: string, key: string): void => {
    if (key === '') {
      add(`${path}.key`, 'key', 'The key is empty', 'Name it TASK.PARAMETER');
      return;
    }
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, path);
    else add(`${path}.key`, 'duplicate_key', `"${key}" is already the key of ${earlier}`, 'Declare it once');
  };
  if (space.inputs.length === 0) {
    add('inputs', 'no_inputs', 'There is nothing to vary', 'Declare at least one input');
  }
  space.inputs.forEach((input, i) => {
    checkKey(`inputs[${i}]`, input.key);
    checkInput(input, within(add, `inputs[${i}]`));
  });
  space.outputs.forEach((output, i) => {
    checkKey(`outputs[${i}]`, output.key);
    checkOutput(output, within(add, `outputs[${i}]`));
  });
  if (!space.outputs.some((output) => output.objective !== null)) {
    add('outputs', 'no_objective', 'No output has an objective', 'Give at least one output an objective');
  }
  const inputs = new Map(space.inputs.map((input) => [input.key, input]));
  space.constraints.forEach((constraint, i) =>
    checkConstraint(constraint, inputs, within(add, `constraints[${i}]`)),
  );
  return faults;
}

type Add = (path: string, code: string, message: string, hint?: string) => void;

function within(add: Add, place: string): Add {
  return (path, ...fault) => add(`${place}${path}`, ...fault);
}

function checkInput(input: Input, add: Add): void {
  switch (input.kind) {
    case 'continuous':
      return checkContinuous(input, add);
    case 'discrete':
      return checkList(input.values, '.values', 'value', Number.isFinite, 'finite numbers', add);
    case 'categorical': {
      const isName = (name: unknown): boolean => typeof name === 'string' && name !== '';
      checkList(input.categories, '.categories', 'category', isName, 'names that are not empty', add);
      return checkDescriptors(input, add);
    }
  }
}

function checkDescriptors({ categories, descriptors }: CategoricalInput, add: Add): void {
  if (descriptors === undefined) return;
  for (const name of Object.keys(descriptors).filter((each) => !categories.includes(each))) {
    const hint = `The categories are ${categories.join(', ')}`;
    add(`.descriptors.${name}`, 'unknown_category', `"${name}" is no category`, hint);
  }
  const first = categories.find((name) => (descriptors[name]?.length ?? 0) > 0) ?? '';
  const count = descriptors[first]?.length ?? 0;
  for (const name of categories) {
    const path = `.descriptors.${name}`;
    const given: unknown = Object.hasOwn(descriptors, name) ? descriptors[name] : undefined;
    const hint = 'Give as many finite numbers for each category';
    if (given === undefined) add(path, 'missing', `"${name}" has no descriptors`, hint);
    else if (!Array.isArray(given) || given.length === 0 || !given.every(Number.isFinite))
      add(path, 'descriptors', `${JSON.stringify(given)} is no list of finite numbers`, hint);
    else if (given.length !== count)
      add(path, 'length', `"${name}" has ${given.length} descriptors, and "${first}" has ${count}`, hint);
  }
}

function checkContinuous({ bounds, step }: ContinuousInput, add: Add): void {
  const [lower, upper] = bounds;
  if (Number.isNaN(lower) || Number.isNaN(upper))
    return add('.bounds', 'bounds', 'The bounds are not two numbers', 'Give [lower, upper]');
  if (!Number.isFinite(lower) || !Number.isFinite(upper)) {
    const hint = 'Give finite bounds: the range in which a run makes sense';
    return add('.bounds', 'unbounded', `[${lower}, ${upper}] leaves the input unbounded`, hint);
  }
  if (lower >= upper) {
    const hint =
      lower === upper ? 'Leave out an input that does not vary' : `Did you mean [${upper}, ${lower}]?`;
    return add('.bounds', 'bounds', `The lower bound ${lower} is not below the upper ${upper}`, hint);
  }
  if (!Number.isFinite(upper - lower))
    return add('.bounds', 'bounds', `${lower} and ${upper} are too far apart`, 'Use another unit');
  if (step === undefined) return;
  if (!Number.isFinite(step) || step <= 0)
    return add('.step', 'step', `A step of ${step} leads nowhere`, 'Give a number above 0');
  const steps = (upper - lower) / step;
  if (steps < 1 - tolerance || Math.abs(steps - Math.round(steps)) > tolerance * Math.max(1, steps)) {
    const fitting = lower + Math.max(1, Math.floor(steps)) * step;
    const message = `Steps of ${step} from ${lower} do not meet the upper bound ${upper}`;
    return add('.step', 'step', message, `The bounds [${lower}, ${fitting}] would fit`);
  }
  if (steps > 1e9) add('.step', 'step', `${steps} steps are too many`, 'Leave the step out');
}

function checkList<T>(
  list: readonly T[],
  path: string,
  what: string,
  right: (value: T) => boolean,
  wanted: string,
  add: Add,
): void {
  if (list.length === 0) add(path, 'empty', `There is no ${what}`, `Give ${wanted}`);
  list.forEach((value, i) => {
    if (!right(value)) add(`${path}[${i}]`, what, `${JSON.stringify(value)} is no ${what}`, `Give ${wanted}`);
    else if (list.indexOf(value) !== i)
      add(`${path}[${i}]`, 'duplicate', `${JSON.stringify(value)} stands here twice`, 'Give each once');
  });
}

function checkOutput({ objective, constraint }: Output, add: Add): void {
  if (objective !== null) {
    const { weight } = objective;
    if (!Number.isFinite(weight) || weight <= 0)
      add('.objective.weight', 'weight', `${weight} is no weight`, 'Give a finite number above 0');
    if (objective.kind === 'close_to_target' && !Number.isFinite(objective.target)) {
      const message = `${objective.target} cannot be reached`;
      add('.objective.target', 'target', message, 'Give a finite number');
    }
  }
  const { at_least, at_most } = constraint ?? {};
  if (objective === null && at_least === undefined && at_most === undefined) {
    const hint = 'Give it one of them, or leave it out';
    add('', 'no_purpose', 'The output has neither objective nor threshold', hint);
  }
  for (const [name, threshold] of Object.entries({ at_least, at_most })) {
    if (threshold === undefined || Number.isFinite(threshold)) continue;
    const hint = 'Give a finite number or leave it out';
    add(`.constraint.${name}`, 'threshold', `${threshold} is no threshold`, hint);
  }
  if (at_least !== undefined && at_most !== undefined && at_least > at_most) {
    const message = `Nothing is at least ${at_least} and at most ${at_most}`;
    add('.constraint', 'threshold', message, 'Exchange them?');
  }
}

function checkConstraint(constraint: Constraint, inputs: ReadonlyMap<string, Input>, add: Add): void {
  const { features } = constraint;
  if (features.length === 0) add('.features', 'empty', 'The constraint is about nothing');
  features.forEach((key, i) => {
    const at = `.features[${i}]`;
    const input = inputs.get(key);
    if (input === undefined) {
      const known = [...inputs.values()].flatMap((other) =>
        other.kind === 'categorical' ? [] : [other.key],
      );
      const hint = `Inputs that are numbers: ${known.join(', ') || 'none'}`;
      add(at, 'unknown_feature', `"${key}" is no input`, hint);
    } else if (input.kind === 'categorical') {
      const message = `"${key}" is categorical: it has no size`;
      add(at, 'categorical_feature', message, 'Use continuous or discrete inputs');
    } else if (features.indexOf(key) !== i)
      add(at, 'duplicate', `"${key}" stands here twice`, 'Name each feature once');
  });
  if (constraint.kind === 'n_choose_k') {
    const { min_count, max_count } = constraint;
    const whole = [min_count, max_count].every((count) => Number.isInteger(count) && count >= 0);
    if (!whole || min_count > max_count || max_count > features.length || max_count === 0) {
      const asked = `Between ${min_count} and ${max_count} of ${features.length} features`;
      const hint =
        'Give whole numbers 0 <= min_count <= max_count <= number of features, and max_count above 0';
      add('', 'count', `${asked} cannot be asked for`, hint);
    }
    return;
  }
  const { coefficients, rhs } = constraint;
  if (coefficients.length !== features.length) {
    const message = `${features.length} features have ${coefficients.length} coefficients`;
    add('.coefficients', 'length', message, 'Give one coefficient for each feature');
  }
  coefficients.forEach((coefficient, i) => {
    if (Number.isFinite(coefficient) && coefficient !== 0) return;
    const hint = 'Give a finite number that is not 0';
    add(`.coefficients[${i}]`, 'coefficient', `${coefficient} is no coefficient`, hint);
  });
  if (!Number.isFinite(rhs)) add('.rhs', 'rhs', `${rhs} is no right side`, 'Give a finite number');
}
