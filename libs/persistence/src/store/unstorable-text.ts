import { ServiceError, type Fault } from '@lab/contracts';
import type { Change } from '@lab/engine';
import { snakeCase } from '../schema/tables.js';

const maxFaults = 20;

/** True for text that PostgreSQL can hold: no U+0000, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** The same text with U+2400, the picture of U+0000, and U+FFFD in the places of what cannot be stored. */
export function asStorable(text: string): string {
  return text.replaceAll('\u0000', '\u2400').toWellFormed();
}

/**
 * @param json the changes as JSON text, in which such characters appear as escapes only: a quick look decides mostly
 * @throws ServiceError `invalid` with the path of every text in the changes that cannot be stored
 */
export function refuseUnstorableText(changes: readonly Change[], json: string): void {
  if (!/\\u(0000|[dD][89a-fA-F])/.test(json)) return;
  const faults: Fault[] = [];
  for (const change of changes) collect(contentOf(change), '', faults);
  if (faults.length === 0) return;
  throw new ServiceError('invalid', 'a text holds a character that cannot be stored', {
    faults: faults.slice(0, maxFaults),
  });
}

function contentOf(change: Change): unknown {
  const content = 'row' in change ? change.row : 'patch' in change ? change.patch : change;
  return 'event' in change
    ? change.event
    : Object.fromEntries(Object.entries(content).map(([field, value]) => [snakeCase(field), value]));
}

function collect(value: unknown, path: string, faults: Fault[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) faults.push(faultAt(path, 'text'));
  } else if (Array.isArray(value)) {
    value.forEach((entry, index) => collect(entry, `${path}[${index}]`, faults));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      if (!isStorable(key)) faults.push(faultAt(path, 'name of a field'));
      collect(entry, at, faults);
    }
  }
}

function faultAt(path: string, what: string): Fault {
  return {
    path: path.toWellFormed().replaceAll('\u0000', '\\u0000'),
    code: 'unstorable_text',
    message: `the ${what} holds U+0000 or half of a surrogate pair`,
    hint: 'remove the character, or send binary data as base64',
  };
}
