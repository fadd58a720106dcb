import type { JsonValue } from './json.js';

interface Common {
  /** A description for people, at most 500 characters. */
  readonly desc?: string;
  /** The caller may leave the parameter out. The function then does not get it. */
  readonly optional?: boolean;
  /** The service shows and stores `***` instead of the value. Only the device gets it. */
  readonly secret?: boolean;
}

interface Numeric extends Common {
  /** `n/a` if the number has no unit. */
  readonly unit: string;
  readonly min?: number;
  readonly max?: number;
  readonly value?: number;
}

/** A parameter of a device function, in the vocabulary of `task.yml`. A parameter with a default, `value`, may be left out. */
export type ParameterDeclaration =
  | ({ readonly type: 'int' } & Numeric)
  | ({ readonly type: 'float' } & Numeric)
  | ({ readonly type: 'str'; readonly value?: string } & Common)
  | ({ readonly type: 'bool'; readonly value?: boolean } & Common)
  | ({ readonly type: 'dict'; readonly value?: object } & Common)
  | ({
      readonly type: 'choice';
      readonly choices: readonly (JsonValue | object)[];
      readonly value?: JsonValue | object;
    } & Common)
  | ({
      readonly type: 'list';
      readonly element_type: 'int' | 'float' | 'str' | 'bool' | 'dict' | 'choice';
      readonly length?: number;
      /** Bound of each element, by position. */
      readonly min?: readonly number[];
      readonly max?: readonly number[];
      readonly value?: readonly unknown[];
    } & Common);

export type ParameterDeclarations = Readonly<Record<string, ParameterDeclaration>>;

// A dict may have any shape, so the compiler does not check it: `never` fits every shape.
interface Plain {
  int: number;
  float: number;
  str: string;
  bool: boolean;
  dict: never;
  choice: never;
}

type ValueOf<Spec extends ParameterDeclaration> = Spec extends { type: 'list' }
  ? Plain[Spec['element_type']][]
  : Spec extends { type: 'choice' }
    ? Mutable<Spec['choices'][number]>
    : Plain[Exclude<Spec['type'], 'list' | 'choice'>];

type Mutable<Value> = Value extends object ? { -readonly [Key in keyof Value]: Mutable<Value[Key]> } : Value;

type MaybeLeftOut<Specs> = {
  [Name in keyof Specs]: Specs[Name] extends { value: unknown }
    ? never
    : Specs[Name] extends { optional: true }
      ? Name
      : never;
}[keyof Specs];

/** The argument that a method with these parameters must accept; any argument if none are declared. */
export type ArgumentsOf<Specs extends ParameterDeclarations | undefined> = Specs extends ParameterDeclarations
  ? { [Name in Exclude<keyof Specs, MaybeLeftOut<Specs>>]: ValueOf<Specs[Name]> } & {
      [Name in MaybeLeftOut<Specs>]?: ValueOf<Specs[Name]>;
    }
  : never;

type NamesOf<Method> = Method extends (this: never, ...parameters: infer Given) => unknown
  ? Given extends []
    ? never
    : keyof NonNullable<Given[0]>
  : never;

/** Refuses a declared parameter that the method does not accept. */
export type OnlyNamesOf<
  Specs extends ParameterDeclarations | undefined,
  Method,
> = Specs extends ParameterDeclarations
  ? Exclude<keyof Specs, NamesOf<Method>> extends never
    ? unknown
    : { readonly [declaredButNotTaken]: Exclude<keyof Specs, NamesOf<Method>> }
  : unknown;

declare const declaredButNotTaken: unique symbol;

/** Characters of a description, and bytes of the JSON of all parameters of a function. */
const longestText = 500;
const largestDeclaration = 16_000;

const commonKeys = ['type', 'desc', 'value', 'optional', 'secret'];
const keysOf: Record<string, readonly string[]> = {
  int: [...commonKeys, 'unit', 'min', 'max'],
  float: [...commonKeys, 'unit', 'min', 'max'],
  str: commonKeys,
  bool: commonKeys,
  dict: commonKeys,
  choice: [...commonKeys, 'choices'],
  list: [...commonKeys, 'element_type', 'length', 'min', 'max'],
};

/**
 * Finds all faults of a declaration, as sentences without a full stop. Authors of plain JavaScript have no compiler, so every
 * type is checked here.
 */
export function declarationFaults(description: unknown, parameters: unknown): string[] {
  const faults: string[] = [];
  if (description !== undefined && !isText(description)) {
    faults.push(`description must be a text of at most ${longestText} characters`);
  }
  if (parameters === undefined) return faults;
  if (!isObject(parameters)) return [...faults, 'parameters must be an object of declarations by name'];
  for (const [name, spec] of Object.entries(parameters)) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) faults.push(`parameters.${name}: that is no parameter name`);
    faults.push(...specFaults(`parameters.${name}`, spec));
  }
  if (faults.length > 0) return faults;
  const size = Buffer.byteLength(JSON.stringify(parameters));
  return size <= largestDeclaration
    ? []
    : [`parameters are ${size} bytes of JSON: at most ${largestDeclaration} are kept`];
}

function specFaults(path: string, spec: unknown): string[] {
  if (!isObject(spec)) return [`${path} must be an object with a type`];
  const { type, desc, optional, secret, value } = spec;
  const keys = typeof type === 'string' && Object.hasOwn(keysOf, type) ? keysOf[type] : undefined;
  if (keys === undefined) {
    return [`${path}.type is ${show(type)}: it is one of ${Object.keys(keysOf).join(', ')}`];
  }
  const faults = Object.keys(spec)
    .filter((key) => !keys.includes(key))
    .map((key) => `${path}.${key} means nothing for type ${String(type)}: possible are ${keys.join(', ')}`);
  const must = (holds: boolean, text: string): void => {
    if (!holds) faults.push(`${path}${text}`);
  };
  must(desc === undefined || isText(desc), `.desc must be a text of at most ${longestText} characters`);
  must(optional === undefined || typeof optional === 'boolean', '.optional must be true or false');
  must(secret === undefined || typeof secret === 'boolean', '.secret must be true or false');
  must(!(optional === true && value !== undefined), ' has a default, so it is optional anyway: keep one');
  if (type === 'int' || type === 'float') {
    must(isText(spec['unit']) && spec['unit'].trim() !== '', '.unit must be a unit; n/a when it has none');
    faults.push(...boundFaults(path, spec['min'], spec['max'], type === 'int'));
  }
  if (type === 'choice') {
    const { choices } = spec;
    must(Array.isArray(choices) && choices.length > 0, '.choices must be a list of at least one value');
    must(isJson(choices), '.choices must be values that JSON can carry');
  }
  if (type === 'list') faults.push(...listFaults(path, spec));
  if (faults.length === 0 && value !== undefined) faults.push(...defaultFaults(path, spec, value));
  return faults;
}

function boundFaults(path: string, min: unknown, max: unknown, whole: boolean): string[] {
  const faults: string[] = [];
  for (const [key, bound] of Object.entries({ min, max })) {
    if (bound === undefined) continue;
    if (!(whole ? Number.isSafeInteger(bound) : Number.isFinite(bound))) {
      faults.push(`${path}.${key} is ${show(bound)}: it must be ${whole ? 'an integer' : 'a finite number'}`);
    }
  }
  if (faults.length === 0 && Number(min) > Number(max)) {
    faults.push(`${path}.min is ${String(min)}, above the maximum ${String(max)}`);
  }
  return faults;
}

function listFaults(path: string, spec: Record<string, unknown>): string[] {
  const { element_type: element, length } = spec;
  const elements = Object.keys(keysOf).filter((each) => each !== 'list');
  if (typeof element !== 'string' || !elements.includes(element)) {
    return [`${path}.element_type is ${show(element)}: it is one of ${elements.join(', ')}`];
  }
  if (length !== undefined && !(Number.isSafeInteger(length) && Number(length) >= 0)) {
    return [`${path}.length is ${show(length)}: it must be a whole number from 0 on`];
  }
  const faults: string[] = [];
  for (const key of ['min', 'max']) {
    const bounds = spec[key];
    if (bounds === undefined) continue;
    if (element !== 'int' && element !== 'float') faults.push(`${path}.${key}: a ${element} has no bounds`);
    else if (!Array.isArray(bounds) || bounds.length !== length) {
      faults.push(`${path}.${key} must be a list of one bound per element, with "length" beside it`);
    }
  }
  if (faults.length > 0) return faults;
  const { min, max } = spec as { min?: unknown[]; max?: unknown[] };
  return (min ?? max ?? []).flatMap((_, index) =>
    boundFaults(`${path}[${index}]`, min?.[index], max?.[index], element === 'int'),
  );
}

function defaultFaults(path: string, spec: Record<string, unknown>, value: unknown): string[] {
  const { type, element_type: element, choices, length } = spec;
  const wrong = (what: string): string[] => [`${path}.value is ${show(value)}: it must be ${what}`];
  if (!isJson(value)) return wrong('a value that JSON can carry');
  if (type === 'choice') {
    const all = choices as unknown[];
    return all.some((each) => JSON.stringify(each) === JSON.stringify(value))
      ? []
      : wrong('one of the choices');
  }
  if (type !== 'list') {
    const { min, max } = spec;
    return fits(String(type), value, min, max) ? [] : wrong(`of type ${String(type)} and within the bounds`);
  }
  const { min, max } = spec as { min?: unknown[]; max?: unknown[] };
  const right =
    Array.isArray(value) &&
    (length === undefined || value.length === length) &&
    value.every((each, index) => fits(String(element), each, min?.[index], max?.[index]));
  return right ? [] : wrong(`a list of ${String(element)} that keeps the length and the bounds`);
}

function fits(type: string, value: unknown, min: unknown, max: unknown): boolean {
  switch (type) {
    case 'int':
    case 'float':
      return (
        (type === 'int' ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        !(Number(value) < Number(min)) &&
        !(Number(value) > Number(max))
      );
    case 'str':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'dict':
      return isObject(value);
    default:
      return true;
  }
}

function isJson(value: unknown, depth = 0): boolean {
  if (depth > 64) return false;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((each) => isJson(each, depth + 1));
  return isObject(value) && Object.values(value).every((each) => isJson(each, depth + 1));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestText;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'object' && value !== null ? 'an object or list' : String(value).slice(0, 60);
}
