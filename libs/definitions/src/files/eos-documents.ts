import type { JsonObject, JsonValue } from '@lab/contracts';
import { dynamicMarker, splitReference } from '../model/index.js';
import type { Path, SourceDocument, Translation } from '../documents/index.js';
import { serviceComputer } from './lab-file.js';
import { isMapping } from './shape.js';

/** The names of EOS in definition files. */
const eosComputer = 'eos_computer';
const eosDynamic = 'eos_dynamic';

type Faults = Translation['faults'][number][];
type Kind = 'lab' | 'device' | 'task' | 'protocol';

/** True when a document has a value that only EOS knows. */
export function hasEosNames(value: JsonValue): boolean {
  if (typeof value === 'string') return value === eosComputer || isEosDynamic(value);
  if (Array.isArray(value)) return value.some(hasEosNames);
  return isMapping(value) && Object.values(value).some(hasEosNames);
}

/**
 * Translates a document of EOS 0.9 to 0.30 after its parsing. What the formats share stays as it is, so that the checks of the
 * files find its faults. What EOS ignores is left out.
 */
export function fromEos(kind: Kind, value: JsonValue): Translation {
  const faults: Faults = [];
  if (!isMapping(value)) return { value, faults };
  const translate = { lab, device, task, protocol }[kind];
  return { value: translate(value, faults), faults };
}

/** The document in the terms of this service. Its places are those of the file. */
export function translatedFromEos(kind: Kind, source: SourceDocument): SourceDocument {
  return source.isBroken ? source : source.translated(fromEos(kind, source.value));
}

function lab(value: JsonObject, faults: Faults): JsonObject {
  oldForm(faults, ['containers'], value['containers'] !== undefined);
  const types = isMapping(value['resource_types']) ? value['resource_types'] : {};
  const resources = isMapping(value['resources']) ? value['resources'] : {};
  const used = Object.values(resources).flatMap((each) =>
    isMapping(each) && typeof each['type'] === 'string' ? [each['type']] : [],
  );
  return {
    ...described(only(value, ['name', 'desc', 'computers', 'devices'])),
    // EOS does not ask for the declaration of a type.
    resource_types: { ...Object.fromEntries(used.map((type) => [type, {}])), ...types },
    resources: each(resources, (entry) => only(entry, ['type', 'desc', 'meta'])),
    ...mapped(value, 'computers', (entry) => only(entry, ['ip', 'desc'])),
    ...mapped(value, 'devices', (entry) => {
      const device = only(entry, ['type', 'computer', 'desc', 'init_parameters', 'meta']);
      return device['computer'] === eosComputer ? { ...device, computer: serviceComputer.name } : device;
    }),
  };
}

function device(value: JsonObject): JsonObject {
  return described(only(value, ['type', 'desc', 'init_parameters']));
}

function task(value: JsonObject, faults: Faults): JsonObject {
  oldForm(faults, ['input_containers'], value['input_containers'] !== undefined);
  const typed = (entry: JsonObject): JsonObject => only(entry, ['type', 'desc']);
  const keys = ['type', 'desc', 'devices', 'input_resources', 'output_resources'];
  const [taken, given] = [value['input_resources'], value['output_resources']];
  return {
    ...described(only(value, [...keys, 'input_parameters', 'output_parameters', 'input_files'])),
    ...mapped(value, 'devices', typed),
    ...mapped(value, 'input_resources', typed),
    // A task of EOS always gives back what it takes.
    ...(isMapping(given)
      ? { output_resources: each({ ...(isMapping(taken) ? taken : {}), ...given }, typed) }
      : {}),
    ...mapped(value, 'input_parameters', (entry) =>
      isGroup(entry) ? each(entry, inputParameter) : inputParameter(entry),
    ),
    ...mapped(value, 'output_parameters', outputParameter),
    ...mapped(value, 'input_files', (entry) => described(only(entry, ['desc', 'required']))),
  };
}

const isGroup = (entry: JsonObject): boolean =>
  !Object.hasOwn(entry, 'type') && Object.values(entry).every(isMapping);

/** In EOS, an empty value stands for a missing one. */
function inputParameter(entry: JsonObject): JsonObject {
  const given = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
  return { ...(isNumeric(entry) ? { unit: 'n/a' } : {}), ...described(given) };
}

/** An output of EOS has only a type and a unit, and nothing is checked against it. */
function outputParameter(entry: JsonObject): JsonObject {
  const { type } = entry;
  const known = described(only(entry, isNumeric(entry) ? ['type', 'desc', 'unit'] : ['type', 'desc']));
  if (isNumeric(entry)) return { unit: 'n/a', ...known };
  if (type === 'list') return { ...known, element_type: 'float' };
  return type === 'choice' ? { ...known, type: 'str' } : known;
}

const isNumeric = ({ type }: JsonObject): boolean => type === 'int' || type === 'float';

const taskKeys = ['name', 'type', 'desc', 'duration', 'group', 'devices', 'resources', 'parameters', 'files'];

function protocol(value: JsonObject, faults: Faults): JsonObject {
  const tasks = Array.isArray(value['tasks']) ? value['tasks'] : [];
  const names = new Set(tasks.flatMap((entry) => (isMapping(entry) ? [entry['name']] : [])));
  return {
    ...described(only(value, ['type', 'desc', 'labs', 'tasks'])),
    ...mapped(value, 'resources', (entry) => only(entry, ['desc', 'meta'])),
    ...(tasks.length === 0
      ? {}
      : {
          tasks: tasks.map((entry, index) =>
            isMapping(entry) ? protocolTask(entry, ['tasks', index], names, faults) : entry,
          ),
        }),
  };
}

function protocolTask(
  entry: JsonObject,
  path: Path,
  names: ReadonlySet<JsonValue | undefined>,
  faults: Faults,
): JsonObject {
  oldForm(faults, [...path, 'devices'], Array.isArray(entry['devices']));
  oldForm(faults, [...path, 'containers'], entry['containers'] !== undefined);
  if ((entry['run_if'] ?? null) !== null)
    faults.push({
      ...{ path: [...path, 'run_if'], code: 'eos_run_if' },
      message: 'this service has no conditions on tasks, so run_if cannot be obeyed',
      hint: 'put the decision into the code of one task, or write one protocol for each branch',
    });
  const isReference = (item: JsonValue): boolean => {
    const reference = typeof item === 'string' ? splitReference(item) : undefined;
    return reference !== undefined && names.has(reference.task);
  };
  const bound = ([name, value]: [string, JsonValue]): [string, JsonValue] => {
    const [first] = Array.isArray(value) && value.every(isReference) ? value : [];
    if (first === undefined) return [name, isEosDynamic(value) ? dynamicMarker : value];
    faults.push({
      ...{ path: [...path, 'parameters', name], code: 'eos_fan_in' },
      message: 'a list of references takes the branch that ran, and this service has no branches',
      hint: 'refer to one task',
    });
    return [name, first];
  };
  const { parameters } = entry;
  return {
    ...only(entry, [...taskKeys, 'dependencies']),
    ...(isMapping(parameters)
      ? { parameters: Object.fromEntries(Object.entries(parameters).map(bound)) }
      : {}),
  };
}

const isEosDynamic = (value: JsonValue): boolean =>
  typeof value === 'string' && value.toLowerCase() === eosDynamic;

/** Before version 0.9, EOS had other names and another API, which no package of today uses. */
function oldForm(faults: Faults, path: Path, isOld: boolean): void {
  if (!isOld) return;
  faults.push({
    ...{ path, code: 'eos_too_old' },
    message: 'this is the form of EOS before version 0.9',
    hint: 'bring the package to EOS 0.9 or later, where devices have names in a task and containers are resources',
  });
}

function described(entry: JsonObject): JsonObject {
  return { ...entry, desc: entry['desc'] ?? '' };
}

function only(entry: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key)));
}

/** What is no mapping stays as it is, so that the checks of the files find it. */
function each(entries: JsonObject, translate: (entry: JsonObject) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, isMapping(entry) ? translate(entry) : entry]),
  );
}

/** The translation of the mapping under a key; nothing if the key has none. */
function mapped(value: JsonObject, key: string, translate: (entry: JsonObject) => JsonValue): JsonObject {
  const entries = value[key];
  return isMapping(entries) ? { [key]: each(entries, translate) } : {};
}
