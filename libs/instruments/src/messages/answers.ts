import type { JsonObject, JsonValue } from '@lab/sdk';
import { z } from 'zod';
import { objectWith, valueAt } from '../twins/index.js';

/** What a function takes from an answer. */
export const answerEntry = z.strictObject({
  /** Leads to the value, as in `channels.0.weight`; absent: the whole answer. */
  path: z.string().default(''),
  type: z.enum(['int', 'float', 'str', 'bool', 'json']).default('json'),
  unit: z.string().optional(),
  /** The value is multiplied by it, to get the unit. */
  factor: z.number().default(1),
});

export type AnswerEntry = z.output<typeof answerEntry>;

/** One value, or values by name. */
export const answerSpec = z.union([answerEntry, z.strictObject({ each: z.record(z.string(), answerEntry) })]);

export type AnswerSpec = z.output<typeof answerSpec>;

/**
 * Takes the declared values from an answer.
 *
 * @throws Error that names the path, what stands there and what was declared
 */
export function takeAnswer(spec: AnswerSpec | undefined, answer: JsonValue): JsonValue {
  if (spec === undefined) return answer;
  if (!('each' in spec)) return take(spec, answer);
  return Object.fromEntries(Object.entries(spec.each).map(([name, entry]) => [name, take(entry, answer)]));
}

function take({ path, type, factor }: AnswerEntry, answer: JsonValue): JsonValue {
  const found = valueAt(answer, path);
  const where = path === '' ? 'the answer' : `the answer at ${path}`;
  if (found === undefined) throw new Error(`${where} is missing in ${excerpt(answer)}`);
  const wrong = (): Error =>
    new Error(`${where} is ${excerpt(found)}, and a value of type ${type} was declared`);
  switch (type) {
    case 'json':
      return found;
    case 'str':
      return typeof found === 'string' ? found : excerpt(found);
    case 'bool': {
      const truth = new Map<JsonValue, boolean>([
        ...[true, 1, 'true', '1', 'on', 'ON', 'True'].map((each) => [each, true] as const),
        ...[false, 0, 'false', '0', 'off', 'OFF', 'False'].map((each) => [each, false] as const),
      ]).get(found);
      if (truth === undefined) throw wrong();
      return truth;
    }
    default: {
      const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
      if (typeof number !== 'number' || !Number.isFinite(number)) throw wrong();
      const scaled = number * factor;
      if (type === 'int' && !Number.isSafeInteger(scaled)) throw wrong();
      return scaled;
    }
  }
}

/**
 * An answer from which {@link takeAnswer} takes values of the state of a twin: that with the name of the value, else that with the name
 * at the end of its path.
 *
 * @param name of the function: the name of its value if it has one value
 */
export function answerFrom(spec: AnswerSpec, name: string, state: JsonObject): JsonValue {
  const entries = 'each' in spec ? Object.entries(spec.each) : [[name, spec] as const];
  return entries.reduce<JsonValue>((answer, [own, { path, type, factor }]) => {
    const value = state[own] ?? state[path.split('.').at(-1) ?? ''] ?? nothing[type];
    return objectWith(path, typeof value === 'number' ? value / factor : value, answer);
  }, {});
}

const nothing = { int: 0, float: 0, str: '', bool: false, json: null };

/** The units of an answer for the description of its function; '' without units. */
export function unitsOf(spec: AnswerSpec | undefined): string {
  if (spec === undefined) return '';
  if (!('each' in spec)) return spec.unit === undefined ? '' : `Returns ${spec.unit}.`;
  const units = Object.entries(spec.each).flatMap(([name, { unit }]) =>
    unit === undefined ? [] : [`${name} in ${unit}`],
  );
  return units.length === 0 ? '' : `Returns ${units.join(', ')}.`;
}

/** A short form of a value for messages. */
export function excerpt(value: JsonValue, length = 200): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** A condition on an answer: the value at a path is one of some values. */
export const condition = z.strictObject({
  path: z.string().default(''),
  equals: z
    .union([z.json(), z.array(z.json())])
    .transform((value): JsonValue[] => (Array.isArray(value) ? value : [value]) as JsonValue[]),
});

export type Condition = z.output<typeof condition>;

export function holds({ path, equals }: Condition, answer: JsonValue): boolean {
  const found = JSON.stringify(valueAt(answer, path) ?? null);
  return equals.some((each) => JSON.stringify(each) === found);
}
