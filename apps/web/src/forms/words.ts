import { emptyText, type Field, type FieldFault, type Value, type WordKey, type Words } from '@lab/web-model';

/** What is wrong with a field, in a sentence. */
export function faultWords(
  words: Words,
  { kind }: Field,
  { code, given, bound, position }: FieldFault,
): string {
  const key =
    code === 'missing' && kind === 'str'
      ? ('field.fault.missing.text' as const)
      : (`field.fault.${code}` satisfies WordKey);
  const fault = words.say(key, { given, bound, empty: emptyText, example: '{"ph": 7}' });
  return position === 0 ? fault : words.say('field.fault.element', { position, fault });
}

/** What a person may write into a field: its meaning, form and bounds, and what an empty field stands for. */
export function hintWords(words: Words, field: Field): string {
  const { desc, kind, elements, isRequired, preset } = field;
  const parts = [desc.replace(/\.\s*$/, '')];
  if (elements === undefined) {
    if (kind !== 'choice' && kind !== 'bool') parts.push(words.say(`field.kind.${kind}` satisfies WordKey));
    parts.push(range(words, boundWords(field.min), boundWords(field.max)));
  } else {
    const element = elements.kind;
    parts.push(
      element === 'dict' || element === 'any'
        ? words.say('field.kind.list')
        : words.say('field.list.lines', { kind: words.say(`field.kind.${element}` satisfies WordKey) }),
    );
    if (elements.length !== undefined) parts.push(words.say('field.list.length', { count: elements.length }));
    parts.push(range(words, boundsWords(elements.min), boundsWords(elements.max)));
  }
  if (preset !== undefined) parts.push(words.say('field.preset', { value: valueWords(words, preset) }));
  else if (!isRequired) parts.push(words.say('field.optional'));
  return parts.filter((part) => part !== '').join(' \u00b7 ');
}

/** A value as a person reads it. */
export function valueWords(words: Words, value: Value): string {
  if (typeof value === 'boolean') return words.say(value ? 'field.yes' : 'field.no');
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const boundWords = (bound: number | undefined): string => (bound === undefined ? '' : String(bound));
/** The bounds of the elements of a list by position. */
const boundsWords = (bounds: readonly number[]): string =>
  bounds.length === 0 ? '' : bounds.length === 1 ? String(bounds[0]) : `(${bounds.join(', ')})`;

function range(words: Words, min: string, max: string): string {
  if (min !== '' && max !== '') return words.say('field.range.both', { min, max });
  if (min !== '') return words.say('field.range.min', { min });
  return max === '' ? '' : words.say('field.range.max', { max });
}
