/** A value of JSON. */
export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

/** What a person writes for a value. */
export type FieldKind = 'int' | 'float' | 'str' | 'bool' | 'choice' | 'list' | 'dict' | 'any';
/** Kinds of the elements of a list. */
export type ElementKind = Exclude<FieldKind, 'list'>;

/** A declared parameter, as a field of a form. */
export interface Field {
  /** Name of the parameter. */
  name: string;
  kind: FieldKind;
  /** What the declaration says of it; empty: nothing. */
  desc: string;
  /** Unit of the value; undefined: it has none. */
  unit: string | undefined;
  min: number | undefined;
  max: number | undefined;
  /** False: the person may leave it empty. */
  isRequired: boolean;
  /** The value that the service takes for an empty field; undefined: none. */
  preset: Value | undefined;
  /** True: nobody beside the person may see the value. */
  isSecret: boolean;
  /** Values of a choice, else none. */
  choices: readonly Value[];
  /** The elements of a list; undefined: it is no list. */
  elements: Elements | undefined;
}

export interface Elements {
  kind: ElementKind;
  /** Number of elements; undefined: any. */
  length: number | undefined;
  /** Bounds by position; a position beyond them has none. */
  min: readonly number[];
  max: readonly number[];
}

const kinds: readonly string[] = ['int', 'float', 'str', 'bool', 'choice', 'list', 'dict'];

/**
 * Reads declarations of parameters: the inputs and outputs of a task type, or the parameters of a function of a device. They
 * come from the service as free JSON, and a newer service may declare more. A parameter of an unknown type becomes a field for any
 * JSON value.
 *
 * @param declarations by name, with the terms of `task.yml`
 * @returns in the order of the declarations; undefined for something that is no object of declarations
 */
export function fieldsOf(declarations: unknown): Field[] | undefined {
  if (!isObject(declarations)) return undefined;
  const fields: Field[] = [];
  for (const [name, declared] of Object.entries(declarations)) {
    if (!isObject(declared)) return undefined;
    fields.push(fieldOf(name, declared));
  }
  return fields;
}

function fieldOf(name: string, declared: Readonly<Record<string, unknown>>): Field {
  const { desc, unit, value: preset } = declared;
  const choices = Array.isArray(declared['choices']) ? (declared['choices'] as Value[]) : [];
  const kind = kindOf(declared['type'], 'any');
  const elements = kind !== 'list' ? undefined : elementsOf(declared);
  return {
    name,
    kind: kind === 'choice' && choices.length === 0 ? 'any' : kind,
    desc: typeof desc === 'string' ? desc : '',
    unit: typeof unit === 'string' && unit !== 'n/a' ? unit : undefined,
    min: elements === undefined ? numberOf(declared['min']) : undefined,
    max: elements === undefined ? numberOf(declared['max']) : undefined,
    isRequired: preset === undefined && declared['optional'] !== true,
    preset: preset as Value | undefined,
    isSecret: declared['secret'] === true,
    choices,
    elements,
  };
}

function elementsOf(declared: Readonly<Record<string, unknown>>): Elements {
  const kind = kindOf(declared['element_type'], 'any');
  return {
    // The elements of a list declare no choices and are no lists.
    kind: kind === 'list' || kind === 'choice' ? 'any' : kind,
    length: numberOf(declared['length']),
    min: numbersOf(declared['min']),
    max: numbersOf(declared['max']),
  };
}

const kindOf = (type: unknown, otherwise: FieldKind): FieldKind =>
  typeof type === 'string' && kinds.includes(type) ? (type as FieldKind) : otherwise;
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const numbersOf = (value: unknown): readonly number[] =>
  Array.isArray(value) && value.every((each): each is number => typeof each === 'number') ? value : [];

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
