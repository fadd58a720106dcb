import type { Fault, JsonObject, JsonValue } from '@lab/contracts';
import { jsonEqual } from '@lab/ports';
import { hintFor } from './suggest.js';
import type { ParameterSpec, ParameterSpecs } from './types.js';

export interface CheckedParameters {
  /** The valid values, with defaults for those that were not given. */
  values: JsonObject;
  faults: Fault[];
}

/**
 * Checks values against their specifications and fills in the defaults.
 *
 * @param specs declarations by parameter name
 * @param values given values by parameter name
 * @param options.path path of `values` in the input, put before the names in the faults
 * @returns all faults, not only the first. Codes: `unknown_parameter`, `missing_parameter`, `type`, `below_min`,
 *   `above_max`, `not_a_choice`, `length`. Never throws, for any values.
 */
export function checkParameters(
  specs: ParameterSpecs,
  values: Readonly<Record<string, unknown>>,
  options: { path?: string } = {},
): CheckedParameters {
  const base = options.path ?? '';
  const faults: Fault[] = [];
  const checked: [string, JsonValue][] = [];
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(specs, name)) continue;
    const hint = hintFor(name, Object.keys(specs));
    faults.push(fault(join(base, name), 'unknown_parameter', `there is no parameter "${name}"`, hint));
  }
  for (const [name, spec] of Object.entries(specs)) {
    const path = join(base, name);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) {
      if (spec.value !== undefined) checked.push([name, spec.value]);
      else faults.push(fault(path, 'missing_parameter', `the parameter "${name}" is required`));
      continue;
    }
    const found = checkValue(spec, value, path);
    if (found.length === 0) checked.push([name, value as JsonValue]);
    faults.push(...found);
  }
  return { values: Object.fromEntries(checked), faults };
}

/**
 * Checks one value against its specification.
 *
 * @param path path for the faults; the index of a list element is appended
 */
export function checkValue(spec: ParameterSpec, value: unknown, path: string): Fault[] {
  switch (spec.type) {
    case 'int':
    case 'float': {
      const wrong = typeFault(spec.type, value, path);
      return wrong ? [wrong] : boundFaults(value as number, spec.min, spec.max, path, spec.unit);
    }
    case 'choice': {
      if (spec.choices.some((choice) => jsonEqual(choice, value))) return [];
      const hint = `use one of ${shorten(spec.choices.map(show).join(', '), 200)}`;
      return [fault(path, 'not_a_choice', `${show(value)} is not one of the choices`, hint)];
    }
    case 'list':
      return listFaults(spec, value, path);
    default: {
      const wrong = typeFault(spec.type, value, path);
      return wrong ? [wrong] : [];
    }
  }
}

function listFaults(spec: ParameterSpec & { type: 'list' }, value: unknown, path: string): Fault[] {
  if (!Array.isArray(value)) {
    return [fault(path, 'type', `must be a list of ${spec.element_type}, not ${describe(value)}`)];
  }
  const faults: Fault[] = [];
  if (spec.length !== undefined && value.length !== spec.length) {
    faults.push(fault(path, 'length', `must have ${spec.length} elements, not ${value.length}`));
  }
  for (const [index, element] of (value as unknown[]).entries()) {
    const elementPath = `${path}[${index}]`;
    const wrong = typeFault(spec.element_type, element, elementPath);
    if (wrong) faults.push(wrong);
    else if (typeof element === 'number') {
      faults.push(...boundFaults(element, spec.min?.[index], spec.max?.[index], elementPath));
    }
  }
  return faults;
}

type PlainType = 'int' | 'float' | 'str' | 'bool' | 'dict' | 'choice';

function typeFault(type: PlainType, value: unknown, path: string): Fault | undefined {
  const wrong = (message: string, hint?: string): Fault => fault(path, 'type', message, hint);
  const mustBe = (what: string): string => `must be ${what}, not ${describe(value)}`;
  switch (type) {
    case 'int':
      if (Number.isSafeInteger(value)) return undefined;
      if (!Number.isInteger(value)) return wrong(mustBe('an integer'));
      return wrong(`${String(value)} is beyond the integers that are kept exactly`);
    case 'float':
      return Number.isFinite(value) ? undefined : wrong(mustBe('a finite number'));
    case 'str': {
      const isPlain = typeof value === 'number' || typeof value === 'boolean';
      if (typeof value !== 'string')
        return wrong(mustBe('a string'), isPlain ? `write "${value}"` : undefined);
      return storable(value)
        ? undefined
        : wrong('holds U+0000 or half of a surrogate pair, which cannot be stored');
    }
    case 'bool':
      return typeof value === 'boolean' ? undefined : wrong(mustBe('true or false'));
    case 'dict':
      if (!isObject(value)) return wrong(mustBe('an object'));
      return isJson(value) ? undefined : wrong('holds something that JSON cannot carry');
    case 'choice':
      return isJson(value) ? undefined : wrong(mustBe('a JSON value'));
  }
}

function boundFaults(
  value: number,
  min: number | undefined,
  max: number | undefined,
  path: string,
  unit?: string,
): Fault[] {
  const suffix = unit === undefined || unit === 'n/a' ? '' : ` ${unit}`;
  if (min !== undefined && value < min) {
    return [fault(path, 'below_min', `${value} is below the minimum of ${min}${suffix}`)];
  }
  if (max !== undefined && value > max) {
    return [fault(path, 'above_max', `${value} is above the maximum of ${max}${suffix}`)];
  }
  return [];
}

/** Deepest nesting of a parameter value. */
const maxDepth = 64;

function isJson(value: unknown, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return storable(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((element) => isJson(element, depth + 1));
  return isObject(value) && Object.values(value).every((element) => isJson(element, depth + 1));
}

/** False for text that the database cannot hold in a JSON column. */
function storable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the string ${show(value)}`;
  return show(value);
}

/** A value for a message, cut to its beginning. */
function show(value: unknown): string {
  if (typeof value === 'string') return shorten(JSON.stringify(value), 60);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
}

function join(base: string, name: string): string {
  return base === '' ? name : `${base}.${name}`;
}

/** A fault without a hint when there is none. */
export function fault(path: string, code: string, message: string, hint?: string): Fault {
  return hint === undefined ? { path, code, message } : { path, code, message, hint };
}
