import type { FileDescription, JsonObject, JsonValue, TaskParameters } from '@lab/contracts';
import {
  checkValue,
  dynamicParameters,
  type ParameterSpec,
  type ParameterSpecs,
  type ProtocolSnapshot,
  type TaskDefinition,
} from '@lab/definitions/model';

/** SHA-256 of an empty file. */
const ofNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Values that satisfy definitions. Simulated tasks do nothing, but the values that they pass on must be valid. */

/**
 * Values for declared parameters.
 *
 * @param given known values
 * @param alsoFor further specifications that a value must satisfy, by parameter
 */
export function valuesOf(
  specs: ParameterSpecs,
  given: JsonObject = {},
  alsoFor: (name: string) => ParameterSpec[] = () => [],
): JsonObject {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      Object.hasOwn(given, name) ? (given[name] as JsonValue) : fitting([spec, ...alsoFor(name)]),
    ]),
  );
}

/**
 * Outputs of a task of a protocol. Where possible each value also satisfies the parameters of later tasks that refer
 * to it.
 */
export function outputsOf(definition: TaskDefinition, task: string, protocol?: ProtocolSnapshot): JsonObject {
  return valuesOf(definition.output_parameters, {}, (name) =>
    protocol === undefined ? [] : usesOf(protocol, task, name),
  );
}

/** The empty files that later tasks need of a task. */
export function filesOf(task: string, snapshot?: ProtocolSnapshot): FileDescription[] {
  const wanted = (snapshot?.protocol.tasks ?? []).flatMap(({ files = {} }) => Object.values(files));
  const names = new Set(wanted.flatMap((file) => (file.task === task ? [file.name] : [])));
  return [...names].map((name) => ({ name, size: 0, sha256: ofNothing }));
}

/** The parameters of a run, with a value for every dynamic one. */
export function runParameters(protocol: ProtocolSnapshot, given: TaskParameters = {}): TaskParameters {
  const tasks = new Map<string, JsonObject>(
    Object.entries(given).map(([task, values]) => [task, { ...values }]),
  );
  for (const { task, parameter, spec } of dynamicParameters(protocol)) {
    const values = tasks.get(task) ?? {};
    if (!Object.hasOwn(values, parameter))
      values[parameter] = fitting([spec, ...usesOf(protocol, task, parameter)]);
    tasks.set(task, values);
  }
  return Object.fromEntries(tasks);
}

/** Specifications of later tasks for an output of a task. */
function usesOf({ protocol, tasks }: ProtocolSnapshot, task: string, parameter: string): ParameterSpec[] {
  return protocol.tasks.flatMap((later) =>
    Object.entries(later.parameters).flatMap(([name, binding]) => {
      if (binding.kind !== 'reference' || binding.task !== task || binding.parameter !== parameter) return [];
      return tasks[later.type]?.input_parameters[name] ?? [];
    }),
  );
}

/** A value that satisfies all specifications; if no tried value does, one that satisfies the first. */
function fitting(specs: readonly [ParameterSpec, ...ParameterSpec[]]): JsonValue {
  const candidates = specs.flatMap(examplesOf);
  const found = candidates.find((value) => specs.every((spec) => checkValue(spec, value, '').length === 0));
  const fallback = examplesOf(specs[0]).find((value) => checkValue(specs[0], value, '').length === 0);
  return found ?? fallback ?? null;
}

function examplesOf(spec: ParameterSpec): JsonValue[] {
  const first = spec.value === undefined ? [] : [spec.value];
  switch (spec.type) {
    case 'int':
    case 'float':
      return [...first, ...numbersOf(spec.min, spec.max)];
    case 'str':
      return [...first, 'simulated'];
    case 'bool':
      return [...first, false, true];
    case 'dict':
      return [...first, {}];
    case 'choice':
      return [...first, ...spec.choices];
    case 'list':
      return [
        ...first,
        Array.from({ length: spec.length ?? spec.min?.length ?? spec.max?.length ?? 0 }, (_, index) =>
          elementOf(spec.element_type, spec.min?.[index], spec.max?.[index]),
        ),
      ];
  }
}

function numbersOf(min = -Infinity, max = Infinity): number[] {
  return [min, max, 0, 1, min + (max - min) / 2, Math.ceil(min), Math.floor(max)].filter(Number.isFinite);
}

function elementOf(type: string, min?: number, max?: number): JsonValue {
  switch (type) {
    case 'int':
    case 'float':
      return min ?? (max !== undefined && max < 0 ? max : 0);
    case 'bool':
      return false;
    case 'dict':
      return {};
    default:
      return 'simulated';
  }
}
