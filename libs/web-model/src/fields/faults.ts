import type { Fault } from '@lab/api-client';
import type { Field } from './field.js';

/** The faults that the service found, by the field that they concern. */
export interface FaultsByField {
  /** What is wrong and what would be right, by the name of the field. */
  fields: ReadonlyMap<string, string>;
  /** Faults of other parts of the request. */
  others: readonly Fault[];
}

/**
 * @param faults of a problem document
 * @param path of the values in the body of the request, for example `output_parameters`; empty: the body itself
 */
export function faultsByField(
  faults: readonly Fault[],
  fields: readonly Field[],
  path: string,
): FaultsByField {
  const found = new Map<string, string>();
  const others: Fault[] = [];
  for (const fault of faults) {
    const at = fields.map(({ name }) => ({ name, value: path === '' ? name : `${path}.${name}` }));
    const field = at.find(({ value }) => isWithin(fault.path, value));
    if (field === undefined) others.push(fault);
    else {
      const sentences = [found.get(field.name), sentenceOf(fault, field.value)];
      found.set(field.name, sentences.filter((each) => each !== undefined).join(' '));
    }
  }
  return { fields: found, others };
}

/** Whether a path is that of a value or of something inside it. */
const isWithin = (path: string, value: string): boolean =>
  path === value || path.startsWith(`${value}.`) || path.startsWith(`${value}[`);

/** A fault in a sentence, with its place inside the value. The service begins with a small letter, and writes no point. */
function sentenceOf({ path, message, hint }: Fault, value: string): string {
  const inside = path.slice(value.length).replace(/^\./, '');
  const text = hint === undefined ? message : `${message}; ${hint}`;
  if (inside !== '') return `${inside}: ${text}.`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
