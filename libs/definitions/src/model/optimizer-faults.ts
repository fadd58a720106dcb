import type { Fault, JsonObject, JsonValue, OptimizerDescription } from '@lab/contracts';
import { splitReference } from './bindings.js';
import { checkValue, fault, isObject } from './parameters.js';
import { dynamicParameters } from './run-parameters.js';
import { hintFor } from './suggest.js';
import type { ParameterSpec, ProtocolSnapshot } from './types.js';

/** Compares an optimizer with the parameters of its protocol. */

export type MadeOptimizer = Pick<
  OptimizerDescription,
  'input_names' | 'output_names' | 'additional_names' | 'arguments'
> & {
  /** The arguments that the submission gives; absent: all are those of the package. */
  overrides?: JsonObject;
};

/** An argument `inputs` or `outputs` in the usual form: a list of objects with `key`. */
interface Declared {
  path: string;
  entry: JsonObject;
}

/**
 * Finds what the optimizer proposes or expects, and its protocol does not have or accept.
 *
 * @returns all faults. Paths begin with `meta.optimizer_overrides` for an override, and with `optimizer` otherwise.
 *   Codes: those of {@link checkValue}, `missing`, `unknown_input`, `unknown_output`, `unknown_parameter`, `bounds`,
 *   `step`.
 */
export function optimizerFaults(snapshot: ProtocolSnapshot, optimizer: MadeOptimizer): Fault[] {
  const { type } = snapshot.protocol;
  const open = new Map(
    dynamicParameters(snapshot).map(({ task, parameter, spec }) => [`${task}.${parameter}`, spec]),
  );
  const outputs = numericOutputs(snapshot);
  const inputsAt = placesOf(optimizer, 'inputs', 'input_names');
  const outputsAt = placesOf(optimizer, 'outputs', 'output_names');
  return [
    ...none(optimizer, 'input_names'),
    ...none(optimizer, 'output_names'),
    ...optimizer.input_names.flatMap((name, index) => {
      const spec = open.get(name);
      if (spec !== undefined) return unproposable(name, spec, inputsAt(name, index));
      const message = `"${name}" is not a svc_dynamic parameter of the protocol ${type}`;
      return [fault(inputsAt(name, index), 'unknown_input', message, hintFor(name, open.keys()))];
    }),
    ...optimizer.output_names.flatMap((name, index) => {
      if (outputs.includes(name)) return [];
      const message = `"${name}" is not a numeric output parameter of the protocol ${type}`;
      return [fault(outputsAt(name, index), 'unknown_output', message, hintFor(name, outputs))];
    }),
    ...optimizer.additional_names.flatMap((name, index) => {
      if (isParameter(snapshot, name)) return [];
      const message = `"${name}" is not a parameter of a task of the protocol ${type}`;
      return [fault(`optimizer.additional_names[${index}]`, 'unknown_parameter', message)];
    }),
    ...declared(optimizer, 'inputs').flatMap(({ path, entry }) => {
      const spec = open.get(String(entry['key']));
      return spec === undefined || isComposite(spec) ? [] : domainFaults(entry, spec, path);
    }),
  ];
}

/**
 * The bounds that an optimizer declares for an input.
 *
 * @returns `[-Infinity, Infinity]` when it declares none
 */
export function declaredBounds(optimizer: MadeOptimizer, key: string): readonly [number, number] {
  const input = declared(optimizer, 'inputs').find(({ entry }) => entry['key'] === key);
  return boundsOf(input?.entry['bounds']) ?? [-Infinity, Infinity];
}

/** Faults of the bounds, the step and the values of a declared input. */
function domainFaults(entry: JsonObject, spec: ParameterSpec, path: string): Fault[] {
  const bounds = boundsOf(entry['bounds']);
  return [
    ...(bounds === undefined ? [] : boundFaults(bounds, spec, entry, path)),
    ...(['values', 'categories'] as const).flatMap((list) => {
      const values = entry[list];
      return Array.isArray(values)
        ? values.flatMap((value, i) => valueFaults(spec, value, `${path}.${list}[${i}]`))
        : [];
    }),
  ];
}

function boundFaults(
  bounds: readonly [number, number],
  spec: ParameterSpec,
  { key, step }: JsonObject,
  path: string,
): Fault[] {
  if (spec.type !== 'int' && spec.type !== 'float') {
    const message = `${String(key)} is of type ${spec.type}, and an input with bounds proposes numbers`;
    return [fault(`${path}.bounds`, 'type', message, 'give a list of values instead of bounds')];
  }
  // The service proposes only the whole numbers within the bounds of an integer parameter.
  const [lower, upper] = spec.type === 'int' ? [Math.ceil(bounds[0]), Math.floor(bounds[1])] : bounds;
  const { min = -Infinity, max = Infinity } = spec;
  const isWhole = spec.type === 'int' && bounds[0] < bounds[1];
  if (isWhole && lower >= upper) {
    const message = `there are no two integers from ${bounds[0]} to ${bounds[1]}, and ${String(key)} is an integer`;
    const hint = 'widen the bounds, or leave the input out and give its value in global_parameters';
    return [fault(`${path}.bounds`, 'bounds', message, hint)];
  }
  const faults: Fault[] = [];
  if (lower < min || upper > max) {
    const message = `[${bounds.join(', ')}] is not within the limits of ${String(key)}: ${limits(spec)}`;
    const within = [Math.max(lower, min), Math.min(upper, max)] as const;
    const hint =
      within[0] < within[1] ? `use [${within.join(', ')}]` : 'use bounds within the limits of the parameter';
    faults.push(fault(`${path}.bounds`, 'bounds', message, hint));
  }
  if (isWhole && typeof step === 'number' && !(Number.isInteger(step) && Number.isInteger(bounds[0]))) {
    const message = `steps of ${step} from ${bounds[0]} are not all integers, and ${String(key)} is an integer`;
    faults.push(fault(`${path}.step`, 'step', message, 'leave the step out: the service proposes integers'));
  }
  return faults;
}

function valueFaults(spec: ParameterSpec, value: JsonValue, path: string): Fault[] {
  return checkValue(spec, value, path).map((each) => ({
    hint: `remove it, or use a value of type ${spec.type}${limits(spec) === '' ? '' : ` ${limits(spec)}`}`,
    ...each,
  }));
}

function limits(spec: ParameterSpec): string {
  if (spec.type !== 'int' && spec.type !== 'float') return '';
  const { min, max } = spec;
  return [min === undefined ? '' : `from ${min}`, max === undefined ? '' : `to ${max}`]
    .filter(Boolean)
    .join(' ');
}

/** Parameters whose values are lists or objects, which no row of an optimizer can hold. */
function unproposable(name: string, spec: ParameterSpec, path: string): Fault[] {
  if (!isComposite(spec)) return [];
  const message = `"${name}" is of type ${spec.type}, and an optimizer proposes numbers, texts, true or false`;
  return [fault(path, 'type', message, 'leave the input out and give its value in global_parameters')];
}

function isComposite({ type }: ParameterSpec): boolean {
  return type === 'list' || type === 'dict';
}

function none(optimizer: MadeOptimizer, list: 'input_names' | 'output_names'): Fault[] {
  if (optimizer[list].length > 0) return [];
  return [fault(`optimizer.${list}`, 'missing', 'the optimizer of the protocol declares none')];
}

function numericOutputs({ protocol, tasks }: ProtocolSnapshot): string[] {
  return protocol.tasks.flatMap(({ name, type }) =>
    Object.entries(tasks[type]?.output_parameters ?? {}).flatMap(([parameter, spec]) =>
      spec.type === 'int' || spec.type === 'float' ? [`${name}.${parameter}`] : [],
    ),
  );
}

function isParameter({ protocol, tasks }: ProtocolSnapshot, reference: string): boolean {
  const { task: taskName, name = '' } = splitReference(reference) ?? {};
  const type = tasks[protocol.tasks.find((task) => task.name === taskName)?.type ?? ''];
  return (
    type !== undefined &&
    (Object.hasOwn(type.output_parameters, name) || Object.hasOwn(type.input_parameters, name))
  );
}

/** Returns the path of a name: its entry in the overrides, if it comes from there. */
function placesOf(
  optimizer: MadeOptimizer,
  list: 'inputs' | 'outputs',
  names: 'input_names' | 'output_names',
): (name: string, index: number) => string {
  const overridden = isOverridden(optimizer, list) ? declared(optimizer, list) : [];
  return (name, index) => {
    const found = overridden.find(({ entry }) => entry['key'] === name);
    return found === undefined ? `optimizer.${names}[${index}]` : `${found.path}.key`;
  };
}

function isOverridden({ overrides = {} }: MadeOptimizer, list: string): boolean {
  return Object.hasOwn(overrides, list);
}

/** The entries of an argument that is a list of objects; another form belongs to the optimizer alone. */
function declared(optimizer: MadeOptimizer, list: 'inputs' | 'outputs'): Declared[] {
  const [path, from] = isOverridden(optimizer, list)
    ? ['meta.optimizer_overrides', optimizer.overrides ?? {}]
    : ['optimizer.arguments', optimizer.arguments];
  const entries = from[list];
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry, index) =>
    isObject(entry) ? [{ path: `${path}.${list}[${index}]`, entry: entry as JsonObject }] : [],
  );
}

function boundsOf(value: JsonValue | undefined): readonly [number, number] | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [lower, upper] = value;
  return typeof lower === 'number' && typeof upper === 'number' ? [lower, upper] : undefined;
}
