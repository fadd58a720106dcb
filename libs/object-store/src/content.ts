import { createHash } from 'node:crypto';
import { ServiceError, type Fault } from '@lab/contracts';
import type { ByteRange, Content, FileGrant } from './object-store.js';

/** Size and SHA-256 of what a stream yields. */
export async function contentOf(source: AsyncIterable<Uint8Array>): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of source) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

/** The name of an unfinished upload: every bearer of a ticket for the same content continues the same one. */
export function uploadName({ key, size, sha256 }: FileGrant): string {
  return createHash('sha256')
    .update(JSON.stringify([key, size, sha256]))
    .digest('hex');
}

/** @throws ServiceError `invalid` with what is wrong */
export function compare(content: Content, expected: Content): void {
  const faults: Fault[] = [];
  if (content.size !== expected.size) faults.push(sizeFault(expected.size, String(content.size)));
  const sha256 = expected.sha256.toLowerCase();
  if (content.sha256 !== sha256) {
    faults.push({ path: 'sha256', code: 'sha256', message: `must be ${sha256}, not ${content.sha256}` });
  }
  if (faults.length > 0) throw mismatch(faults);
}

export function sizeFault(expected: number, given: string): Fault {
  return { path: 'size', code: 'size', message: `must be ${expected} bytes, not ${given}` };
}

export function mismatch(faults: Fault[]): ServiceError {
  return new ServiceError('invalid', 'the content is not what was announced', { faults });
}

/** @throws ServiceError `invalid` for a range that lies in no object */
export function checkOrder({ start, end = Infinity }: ByteRange): void {
  if (Number.isSafeInteger(start) && start >= 0 && start <= end) return;
  throw outside('is none');
}

/**
 * The last byte of a range in an object of this size.
 *
 * @throws ServiceError `invalid` when no byte of the range is in the object
 */
export function checkRange({ start, end = Infinity }: ByteRange, size: number): number {
  const last = Math.min(end, size - 1);
  const isEmptyWhole = size === 0 && start === 0;
  if (Number.isSafeInteger(start) && start >= 0 && (start <= last || isEmptyWhole)) return last;
  throw outside(`${start} to ${end === Infinity ? 'the end' : end} is not in ${size} bytes`);
}

/** The error for a range of which no byte is in the object. */
export function outside(what: string): ServiceError {
  const message = `range ${what}`;
  return new ServiceError('invalid', message, { faults: [{ path: 'range', code: 'range', message }] });
}

/** Rethrows errors of the source unchanged. */
export async function fromSource<T>(
  source: AsyncIterable<Uint8Array>,
  work: (watched: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  let thrown: { error: unknown } | undefined;
  const watched = async function* (): AsyncIterable<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      thrown = { error };
      throw error;
    }
  };
  try {
    return await work(watched());
  } catch (error) {
    throw thrown === undefined ? error : thrown.error;
  }
}
