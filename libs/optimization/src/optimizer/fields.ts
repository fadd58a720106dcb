import type { Fault } from '@lab/contracts';
import type { ParameterField } from '@lab/sdk';

/** Fields of forms, and checks of the values that belong to them. */

export function numberField(
  key: string,
  value: number | null,
  runtime: boolean,
  [min, max]: readonly [number, number],
  description: string,
): ParameterField {
  return { key, type: 'number', default: value, runtime, min, max, description };
}

export function selectField(
  key: string,
  value: string | null,
  runtime: boolean,
  options: readonly string[],
  description: string,
): ParameterField {
  return { key, type: 'select', default: value, runtime, options, description };
}

export function textField(
  key: string,
  value: string | null,
  runtime: boolean,
  description: string,
): ParameterField {
  return { key, type: 'text', default: value, runtime, description };
}

/** Longest text, in characters. */
const LONGEST_TEXT = 100_000;

const wholeNumbers = ['ai_history_size', 'ai_retries'];

/** The fault of a value, by its field; empty: the value is allowed. */
export function faultOf(field: ParameterField, value: unknown): Fault[] {
  const { key: path, type, min = -Infinity, max = Infinity, options = [] } = field;
  // A key is a secret even if it has the wrong type.
  const secret = path === 'ai_api_key';
  const given = secret ? 'The value' : typeof value === 'number' ? String(value) : JSON.stringify(value);
  const wrong = (message: string, hint?: string): Fault[] => [
    { path, code: 'value', message, ...(hint === undefined ? {} : { hint }) },
  ];
  if (value === null && field.default === null) return [];
  switch (type) {
    case 'checkbox':
      return typeof value === 'boolean' ? [] : wrong(`${given} is neither true nor false`);
    case 'select':
      return options.includes(value as string)
        ? []
        : wrong(`${given} is not possible`, `Use one of ${options.join(', ')}`);
    case 'text':
      if (typeof value !== 'string') return wrong(`${given} is no text`);
      if (secret && value === '') return wrong('The key is empty');
      return value.length <= LONGEST_TEXT
        ? []
        : wrong(`The text has ${value.length} characters, and at most ${LONGEST_TEXT} are possible`);
    case 'number':
      if (typeof value !== 'number' || !(value >= min && value <= max))
        return wrong(`${given} is not a number from ${min} to ${max}`);
      return wholeNumbers.includes(path) && !Number.isInteger(value)
        ? wrong(`${value} is not a whole number`)
        : [];
  }
}

/** Faults of a part of something, with the place of that part before their paths. */
export function under(place: string, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, path: fault.path === '' ? place : `${place}.${fault.path}` }));
}
