import { ServiceError } from '@lab/contracts';
import type { FastifyReply } from 'fastify';

/** Bytes `start` to `end` of a file, both included and counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The part of a file that a request asks for (RFC 9110, section 14).
 *
 * @param headers `Range`, and `If-Range` with what the client has of the file already
 * @param size of the file, in bytes
 * @param etag of the file, with its quotation marks
 * @returns undefined: the whole file, also for several ranges and when the file has changed
 * @throws ServiceError `range_not_satisfiable` when no byte of the part is in the file
 */
export function byteRangeOf(
  headers: { range?: string | undefined; 'if-range'?: string | string[] | undefined },
  size: number,
  etag: string,
): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(headers.range?.trim() ?? '');
  if (match === null || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const range =
    first === ''
      ? { start: Math.max(size - Number(last), 0), end: size - 1 }
      : { start: Number(first), end: Math.min(last === '' ? Infinity : Number(last), size - 1) };
  // A last byte before the first one makes the header invalid. The range is not unsatisfiable.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (range.start <= range.end) return range;
  throw new ServiceError(
    'range_not_satisfiable',
    `The file has ${size} bytes, and none of them is in the requested range.`,
  );
}

/** Sets status and headers for a file, or for the part that {@link byteRangeOf} found. */
export function describePart(
  reply: FastifyReply,
  { size, etag }: { size: number; etag: string },
  range: ByteRange | undefined,
): FastifyReply {
  const { start, end } = range ?? { start: 0, end: size - 1 };
  if (range !== undefined) reply.header('content-range', `bytes ${start}-${end}/${size}`);
  return reply
    .code(range === undefined ? 200 : 206)
    .header('content-length', end - start + 1)
    .header('etag', etag);
}
