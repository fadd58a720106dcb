import type { Fault } from '@lab/contracts';

/** Checks that a declaration has the form of its types, because it may come from plain JavaScript or JSON. */

type Kind = 'list' | 'number' | 'text' | 'boolean' | 'object' | 'object or null' | 'list of two numbers';

/** Field to its kind; fields that end in `?` may be absent. */
type Fields = Readonly<Record<string, Kind>>;

const inputFields: Readonly<Record<string, Fields>> = {
  continuous: { key: 'text', bounds: 'list of two numbers', 'step?': 'number' },
  discrete: { key: 'text', values: 'list' },
  categorical: { key: 'text', categories: 'list', 'descriptors?': 'object' },
};
const outputFields: Fields = { key: 'text', objective: 'object or null', 'constraint?': 'object' };
const thresholdFields: Fields = { 'at_least?': 'number', 'at_most?': 'number' };
const objectiveFields: Readonly<Record<string, Fields>> = {
  minimize: { weight: 'number' },
  maximize: { weight: 'number' },
  close_to_target: { target: 'number', weight: 'number' },
};
const linear: Fields = { features: 'list', coefficients: 'list', rhs: 'number' };
const constraintFields: Readonly<Record<string, Fields>> = {
  linear_equality: linear,
  linear_inequality: linear,
  n_choose_k: { features: 'list', min_count: 'number', max_count: 'number', none_also_valid: 'boolean' },
};

/** @returns a fault for everything without the form of a `Space`; empty when the values can be checked */
export function shapeFaults(space: unknown): Fault[] {
  const faults: Fault[] = [];
  if (!isObject(space)) {
    return [wrong('', 'type', 'The declaration is no object', 'Give { inputs, outputs, constraints }')];
  }
  const each = (name: string, check: (value: unknown, path: string) => Fault[]): void => {
    const list = space[name];
    if (Array.isArray(list)) list.forEach((value, i) => faults.push(...check(value, `${name}[${i}]`)));
    else faults.push(wrong(name, 'type', `"${name}" is ${described(list)}, not a list`, 'Give a list'));
  };
  each('inputs', (value, path) => variantFaults(value, path, 'input', inputFields));
  each('outputs', outputFaults);
  each('constraints', (value, path) => variantFaults(value, path, 'constraint', constraintFields));
  return faults;
}

function outputFaults(value: unknown, path: string): Fault[] {
  const faults = fieldFaults(value, path, 'output', outputFields);
  if (faults.length > 0 || !isObject(value)) return faults;
  const { objective, constraint } = value;
  return [
    ...(objective === null
      ? []
      : variantFaults(objective, `${path}.objective`, 'objective', objectiveFields)),
    ...(constraint === undefined
      ? []
      : fieldFaults(constraint, `${path}.constraint`, 'threshold', thresholdFields)),
  ];
}

/** For an object whose `kind` decides its fields. */
function variantFaults(
  value: unknown,
  path: string,
  what: string,
  variants: Readonly<Record<string, Fields>>,
): Fault[] {
  if (!isObject(value)) return fieldFaults(value, path, what, {});
  const { kind, ...rest } = value;
  const fields = typeof kind === 'string' && Object.hasOwn(variants, kind) ? variants[kind] : undefined;
  if (fields !== undefined) return fieldFaults(rest, path, what, fields);
  const kinds = Object.keys(variants);
  const hint = `Use ${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}`;
  const shown = kind === undefined ? 'The kind is missing' : `${described(kind)} is no kind of ${what}`;
  return [wrong(`${path}.kind`, 'kind', shown, hint)];
}

function fieldFaults(value: unknown, path: string, what: string, fields: Fields): Fault[] {
  if (!isObject(value)) {
    return [
      wrong(path, 'type', `The ${what} is ${described(value)}, not an object`, 'Use the builder for it'),
    ];
  }
  const names = Object.keys(fields).map((field) => field.replace('?', ''));
  const unknown = Object.keys(value)
    .filter((name) => !names.includes(name))
    .map((name) =>
      wrong(
        `${path}.${name}`,
        'unknown_field',
        `There is no "${name}" in this ${what}`,
        `Fields: ${names.join(', ')}`,
      ),
    );
  const mistaken = Object.entries(fields).flatMap(([field, kind]) => {
    const name = field.replace('?', '');
    const given = value[name];
    if ((given === undefined && field.endsWith('?')) || isOf(kind, given)) return [];
    const code = name === 'key' || name === 'bounds' ? name : 'type';
    const message = given === undefined ? `"${name}" is missing` : `"${name}" is ${described(given)}`;
    return [wrong(`${path}.${name}`, code, message, hintOf(name, kind))];
  });
  return [...unknown, ...mistaken];
}

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'list':
      return Array.isArray(value);
    case 'list of two numbers':
      return Array.isArray(value) && value.length === 2 && value.every((bound) => typeof bound === 'number');
    case 'number':
      return typeof value === 'number';
    case 'text':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'object':
      return isObject(value);
    case 'object or null':
      return value === null || isObject(value);
  }
}

function hintOf(name: string, kind: Kind): string {
  if (name === 'key') return 'Name it TASK.PARAMETER';
  if (name === 'bounds') return 'Give [lower, upper]';
  return kind === 'boolean' ? 'Give true or false' : `Give ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function described(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, code: string, message: string, hint: string): Fault {
  return { path, code, message, hint };
}
