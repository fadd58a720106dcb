/**
 * The functions that templates may call. Every helper is pure. A wrong argument ends the rendering with a sentence
 * that names it.
 */

/** Longest string, in characters, and longest list of a helper or a template. */
export const maxString = 1_000;
export const maxList = 1_000;

export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';

  /** @param hint what would be right */
  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

export type TemplateValue = string | number | boolean | null | TemplateValue[];
type ValueHelper = (...values: unknown[]) => TemplateValue;

/**
 * Helpers that compute values, by name: numbers `add subtract multiply divide modulo min max abs floor ceil round
 * fixed`; comparison `eq ne lt le gt ge`; logic `and or not`; strings `concat upper lower trim replace pad join
 * quote`; lists `range list length`.
 */
export const valueHelpers: Readonly<Record<string, ValueHelper>> = {
  add: (...values) =>
    finite(
      'add',
      numbers('add', values, 2, 99).reduce((sum, value) => sum + value, 0),
    ),
  subtract: (...values) => arithmetic('subtract', values, (a, b) => a - b),
  multiply: (...values) =>
    finite(
      'multiply',
      numbers('multiply', values, 2, 99).reduce((product, value) => product * value, 1),
    ),
  divide: (...values) => arithmetic('divide', values, (a, b) => a / b),
  modulo: (...values) => arithmetic('modulo', values, (a, b) => ((a % b) + b) % b),
  min: (...values) => Math.min(...numbers('min', values, 1, 99)),
  max: (...values) => Math.max(...numbers('max', values, 1, 99)),
  abs: (...values) => Math.abs(one('abs', values)),
  floor: (...values) => Math.floor(one('floor', values)),
  ceil: (...values) => Math.ceil(one('ceil', values)),
  round: (...values) => {
    const [value = 0, digits = 0] = numbers('round', values, 1, 2);
    return Number(value.toFixed(decimals('round', digits)));
  },
  fixed: (...values) => {
    const [value = 0, digits = 0] = numbers('fixed', values, 2, 2);
    return value.toFixed(decimals('fixed', digits));
  },

  eq: (...values) => pair('eq', values, (a, b) => a === b),
  ne: (...values) => pair('ne', values, (a, b) => a !== b),
  lt: (...values) => compare('lt', values, (order) => order < 0),
  le: (...values) => compare('le', values, (order) => order <= 0),
  gt: (...values) => compare('gt', values, (order) => order > 0),
  ge: (...values) => compare('ge', values, (order) => order >= 0),
  and: (...values) => values.every(isTrue),
  or: (...values) => values.some(isTrue),
  not: (...values) => {
    count('not', values, 1, 1);
    return !isTrue(values[0]);
  },

  concat: (...values) => bounded('concat', values.map((value) => scalar('concat', value)).join('')),
  upper: (...values) => bounded('upper', text('upper', values).toUpperCase()),
  lower: (...values) => bounded('lower', text('lower', values).toLowerCase()),
  trim: (...values) => text('trim', values).trim(),
  replace: (...values) => {
    count('replace', values, 3, 3);
    const [where, what, by] = values.map((value) => scalar('replace', value));
    if (what === '') throw new TemplateFault('replace: the text to replace is empty');
    return bounded('replace', (where ?? '').split(what ?? '').join(by ?? ''));
  },
  pad: (...values) => {
    count('pad', values, 2, 3);
    const width = one('pad', [values[1]]);
    return bounded(
      'pad',
      scalar('pad', values[0]).padStart(Math.min(width, maxString + 1), scalar('pad', values[2] ?? '0')),
    );
  },
  join: (...values) => {
    count('join', values, 1, 2);
    return bounded(
      'join',
      listOf('join', values[0])
        .map((value) => scalar('join', value))
        .join(scalar('join', values[1] ?? ', ')),
    );
  },
  quote: (...values) => {
    count('quote', values, 1, 1);
    return bounded('quote', JSON.stringify(scalar('quote', values[0])));
  },

  range: (...values) => range(values),
  list: (...values) => {
    if (values.length > maxList) throw new TemplateFault(`list: at most ${maxList} elements`);
    return values.map((value) => templateValue('list', value));
  },
  length: (...values) => {
    count('length', values, 1, 1);
    return typeof values[0] === 'string' ? values[0].length : listOf('length', values[0]).length;
  },
};

/**
 * The numbers of a range, as in Python: `range end`, `range start end`, `range start end step`; the end is not included.
 */
export function range(values: unknown[]): number[] {
  const given = numbers('range', values, 1, 3);
  const [start, end, step] = given.length === 1 ? [0, given[0]!, 1] : [given[0]!, given[1]!, given[2] ?? 1];
  if (step === 0) throw new TemplateFault('range: the step must not be 0');
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > maxList)
    throw new TemplateFault(`range: ${length} elements, but at most ${maxList} are allowed`);
  return Array.from({ length }, (_, index) => start + index * step);
}

/** A value that a template may keep in a variable. */
export function templateValue(name: string, value: unknown): TemplateValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return bounded(name, value);
  return listOf(name, value);
}

function listOf(name: string, value: unknown): TemplateValue[] {
  if (Array.isArray(value)) return value as TemplateValue[];
  throw new TemplateFault(`${name}: expects a list, not ${show(value)}`);
}

function scalar(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TemplateFault(`${name}: expects text or a number, not ${show(value)}`);
}

function text(name: string, values: unknown[]): string {
  count(name, values, 1, 1);
  return scalar(name, values[0]);
}

function bounded(name: string, value: string): string {
  if (value.length > maxString) throw new TemplateFault(`${name}: makes more than ${maxString} characters`);
  return value;
}

function numbers(name: string, values: unknown[], least: number, most: number): number[] {
  count(name, values, least, most);
  return values.map((value) => {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw new TemplateFault(`${name}: expects a number, not ${show(value)}`);
  });
}

function one(name: string, values: unknown[]): number {
  return numbers(name, values, 1, 1)[0] ?? 0;
}

function arithmetic(name: string, values: unknown[], apply: (a: number, b: number) => number): number {
  const [a = 0, b = 0] = numbers(name, values, 2, 2);
  return finite(name, apply(a, b));
}

function finite(name: string, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new TemplateFault(`${name}: the result is not a finite number`);
}

function decimals(name: string, digits: number): number {
  if (Number.isInteger(digits) && digits >= 0 && digits <= 15) return digits;
  throw new TemplateFault(`${name}: the number of decimals must be an integer from 0 to 15`);
}

function pair(name: string, values: unknown[], apply: (a: unknown, b: unknown) => boolean): boolean {
  count(name, values, 2, 2);
  return apply(values[0], values[1]);
}

function compare(name: string, values: unknown[], test: (order: number) => boolean): boolean {
  count(name, values, 2, 2);
  const [a, b] = values;
  if (typeof a === 'number' && typeof b === 'number') return test(a - b);
  if (typeof a === 'string' && typeof b === 'string') return test(a < b ? -1 : a > b ? 1 : 0);
  throw new TemplateFault(`${name}: expects two numbers or two texts, not ${show(a)} and ${show(b)}`);
}

function count(name: string, values: unknown[], least: number, most: number): void {
  if (values.length >= least && values.length <= most) return;
  const wanted = least === most ? String(least) : `${least} to ${most}`;
  throw new TemplateFault(
    `${name}: expects ${wanted} argument${most === 1 ? '' : 's'}, not ${values.length}`,
  );
}

/** Truth in the sense of `#if`. */
function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function show(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
