import { isObject, type ElementKind, type Field, type Value } from './field.js';

/** The texts of a form by the names of its fields. A field without a text is empty. */
export type Texts = ReadonlyMap<string, string>;

export const fieldFaultCodes = [
  ...(['missing', 'int', 'inexact', 'float', 'str', 'bool', 'choice', 'below_min', 'above_max'] as const),
  ...(['length', 'json', 'object', 'list'] as const),
];

/** What is wrong with the text of a field. */
export interface FieldFault {
  code: (typeof fieldFaultCodes)[number];
  /** What the person wrote, cut to its beginning; for `json` why it is none; for `length` the number of elements. */
  given: string;
  /** The bound with its unit, or the number of elements that there must be. */
  bound: string;
  /** Position of the element of a list, from 1; 0: the whole value. */
  position: number;
}

/** The text with which a person gives a text without a sign, because an empty field gives nothing. */
export const emptyText = '""';

/**
 * Reads the values that a person wrote, by the rules of the service. An empty optional field gives no value.
 *
 * @returns the values of the sound fields by name, and the fault of each other field
 */
export function readFields(
  fields: readonly Field[],
  texts: Texts,
): { values: Record<string, Value>; faults: ReadonlyMap<string, FieldFault> } {
  const values: [string, Value][] = [];
  const faults = new Map<string, FieldFault>();
  for (const field of fields) {
    const text = texts.get(field.name) ?? '';
    const isEmpty = field.kind === 'str' ? text === '' : text.trim() === '';
    if (isEmpty) {
      if (field.isRequired) faults.set(field.name, fault('missing'));
      continue;
    }
    const read = readField(field, text);
    if ('fault' in read) faults.set(field.name, read.fault);
    else values.push([field.name, read.value]);
  }
  return { values: Object.fromEntries(values), faults };
}

type Read = { value: Value } | { fault: FieldFault };

/**
 * The text of a value, which {@link readFields} reads as the same value: for a field that begins with a value.
 *
 * @returns empty for a value that the field cannot have
 */
export function textOf(field: Field, value: Value): string {
  if (field.kind === 'choice') {
    const text = JSON.stringify(value);
    const index = field.choices.findIndex((choice) => JSON.stringify(choice) === text);
    return index === -1 ? '' : String(index);
  }
  if (field.kind === 'str') return typeof value !== 'string' ? '' : value === '' ? emptyText : value;
  return JSON.stringify(value);
}

function readField(field: Field, text: string): Read {
  switch (field.kind) {
    case 'choice': {
      const chosen = /^\d+$/.test(text) ? field.choices[Number(text)] : undefined;
      return chosen === undefined ? wrong('choice', text) : { value: chosen };
    }
    case 'list':
      return readList(field, text);
    default:
      return within(readPlain(field.kind, text), field.min, field.max, field.unit);
  }
}

function readPlain(kind: ElementKind, text: string): Read {
  const trimmed = text.trim();
  // U+2212 is the minus of printed texts.
  const digits = trimmed.replace('\u2212', '-');
  switch (kind) {
    case 'int':
      if (!/^[+-]?\d+$/.test(digits)) return wrong('int', trimmed);
      return Number.isSafeInteger(Number(digits)) ? number(digits) : wrong('inexact', trimmed);
    case 'float':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits) && Number.isFinite(Number(digits))
        ? number(digits)
        : wrong('float', trimmed);
    case 'bool':
      return trimmed === 'true' || trimmed === 'false'
        ? { value: trimmed === 'true' }
        : wrong('bool', trimmed);
    case 'str':
      return { value: text === emptyText ? '' : text };
    default: {
      const read = readJson(trimmed);
      if ('fault' in read || kind !== 'dict' || isObject(read.value)) return read;
      return wrong('object', trimmed);
    }
  }
}

const number = (digits: string): Read => ({ value: Number(digits) });

function within(read: Read, min: number | undefined, max: number | undefined, unit?: string): Read {
  if ('fault' in read || typeof read.value !== 'number') return read;
  const bound = (value: number): string => (unit === undefined ? String(value) : `${value} ${unit}`);
  const given = String(read.value);
  if (min !== undefined && read.value < min)
    return { fault: { ...fault('below_min', given), bound: bound(min) } };
  if (max !== undefined && read.value > max)
    return { fault: { ...fault('above_max', given), bound: bound(max) } };
  return read;
}

/** A list is written with one element a line, or as a list in JSON. Elements of other kinds than plain ones are JSON. */
function readList({ elements }: Field, text: string): Read {
  if (elements === undefined) return readJson(text);
  const { kind, length, min, max } = elements;
  const isJson = text.trim().startsWith('[') || kind === 'dict' || kind === 'any';
  const read = isJson ? readElements(kind, text) : readLines(kind, text);
  if ('fault' in read) return read;
  if (length !== undefined && read.values.length !== length)
    return { fault: { ...fault('length', String(read.values.length)), bound: String(length) } };
  for (const [index, value] of read.values.entries()) {
    const checked = within({ value }, min[index], max[index]);
    if ('fault' in checked) return { fault: { ...checked.fault, position: index + 1 } };
  }
  return { value: read.values };
}

type ReadAll = { values: Value[] } | { fault: FieldFault };

function readLines(kind: ElementKind, text: string): ReadAll {
  return readAll(text.replace(/[\r\n]+$/, '').split(/\r?\n/), (line) => readPlain(kind, line));
}

function readElements(kind: ElementKind, text: string): ReadAll {
  const read = readJson(text.trim());
  if ('fault' in read) return read;
  if (!Array.isArray(read.value)) return wrong('list', text.trim());
  return readAll(read.value, (value) => {
    if (kind === 'any') return { value };
    const given = JSON.stringify(value);
    if (kind === 'str') return typeof value === 'string' ? { value } : wrong('str', given);
    return readPlain(kind, given);
  });
}

function readAll<T>(elements: readonly T[], read: (element: T) => Read): ReadAll {
  const values: Value[] = [];
  for (const [index, element] of elements.entries()) {
    const found = read(element);
    if ('fault' in found) return { fault: { ...found.fault, position: index + 1 } };
    values.push(found.value);
  }
  return { values };
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as Value };
  } catch (error) {
    return wrong('json', error instanceof Error ? error.message : String(error));
  }
}

function fault(code: FieldFault['code'], given = ''): FieldFault {
  return { code, given: given.length > 40 ? `${given.slice(0, 40)}...` : given, bound: '', position: 0 };
}

const wrong = (code: FieldFault['code'], given: string): { fault: FieldFault } => ({
  fault: fault(code, given),
});
