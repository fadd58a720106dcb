import { ServiceError, type Fault } from '@lab/contracts';
import type { Change } from '@lab/engine';
import { isStorable, snakeCase } from '../schema/index.js';

const maxFaults = 20;

/**
 * @param json the changes as JSON text. Such characters appear in it as escapes only, so one look at it mostly suffices
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
  if ('event' in change) return change.event;
  const content = 'row' in change ? change.row : 'patch' in change ? change.patch : change;
  return Object.fromEntries(Object.entries(content).map(([field, value]) => [snakeCase(field), value]));
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
