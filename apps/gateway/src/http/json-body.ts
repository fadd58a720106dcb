import { isUtf8 } from 'node:buffer';
import { ServiceError, type Fault } from '@lab/contracts';
import { jsonFaultOffset } from './json-position.js';

/** Maximum depth of nesting of a body. */
export const maxDepth = 64;

/** Maximum number of listed faults. */
const maxFaults = 20;

/** Keys that reach the prototype of a JavaScript object. */
const forbiddenKeys = new Set(['__proto__', 'constructor']);

/**
 * The value of a JSON body; undefined when it is empty. The value is safe to copy, store and send on: no NUL character
 * or unpaired surrogate in any string, no infinite number, no key that reaches a prototype, bounded depth.
 *
 * @throws ServiceError `malformed_json` with line and column; `invalid` with the path of each unusable value
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new ServiceError('malformed_json', 'The body is not UTF-8 text.');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw malformed(text, error);
  }
  const faults = contentFaults(value);
  if (faults.length > 0) {
    throw new ServiceError('invalid', 'The body contains values that cannot be stored.', { faults });
  }
  return value;
}

function malformed(text: string, cause: unknown): ServiceError {
  const offset = jsonFaultOffset(text) ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const what = offset >= text.length ? 'it ends too early' : 'this character cannot stand there';
  return new ServiceError(
    'malformed_json',
    `The body is not valid JSON: at line ${line}, column ${column} (offset ${offset}) ${what}.`,
    { cause },
  );
}

/** The unusable values inside a parsed JSON value, each with its path. */
export function contentFaults(value: unknown): Fault[] {
  const faults: Fault[] = [];
  const path: (string | number)[] = [];

  const fault = (code: string, message: string, hint?: string): void => {
    if (faults.length < maxFaults) {
      faults.push({ path: pathText(path), code, message, ...(hint === undefined ? {} : { hint }) });
    }
  };

  const visit = (node: unknown): void => {
    if (typeof node === 'string') {
      const reason = textFault(node);
      if (reason !== undefined) fault('unusable_text', reason, 'Leave the character out.');
    } else if (typeof node === 'number') {
      if (!Number.isFinite(node)) fault('number_out_of_range', 'is larger than a 64-bit float can hold');
    } else if (typeof node === 'object' && node !== null) {
      if (path.length >= maxDepth) {
        fault('too_deep', `is nested deeper than ${maxDepth} levels`);
        return;
      }
      if (Array.isArray(node)) {
        for (let index = 0; index < node.length; index += 1) {
          path.push(index);
          visit(node[index]);
          path.pop();
        }
      } else {
        visitObject(node);
      }
    }
  };

  const visitObject = (node: object): void => {
    for (const [key, entry] of Object.entries(node)) {
      path.push(key);
      if (forbiddenKeys.has(key)) fault('forbidden_key', `${key} cannot be a name here`, 'Use another name.');
      const reason = textFault(key);
      if (reason !== undefined) fault('unusable_text', `the name ${reason}`, 'Leave the character out.');
      visit(entry);
      path.pop();
    }
  };

  visit(value);
  return faults;
}

function textFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains the character U+0000';
  if (!text.isWellFormed()) return 'contains half of a surrogate pair';
  return undefined;
}

function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else text += `${text === '' ? '' : '.'}${segment.toWellFormed().replaceAll('\u0000', '\ufffd')}`;
  }
  return text;
}
