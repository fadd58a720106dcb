import { createHash } from 'node:crypto';
import { ServiceError } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';

/** Longest key, in characters. */
export const longestKey = 255;

/**
 * The key of a request, given bare or as a quoted string; undefined: none.
 *
 * @throws ServiceError `bad_request`
 */
export function keyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  const text = String(given).trim();
  const key = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
  if (!Array.isArray(given) && /^[\x21-\x7e]+$/.test(key) && key.length <= longestKey) return key;
  throw new ServiceError(
    'bad_request',
    `The header Idempotency-Key must be one key of 1 to ${longestKey} visible ASCII characters without spaces, for example a UUID.`,
  );
}

/** Distinguishes two requests under one key: SHA-256 of query and body. The order of fields does not count. */
export function fingerprintOf({ url, body }: Pick<FastifyRequest, 'url' | 'body'>): string {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  const hash = createHash('sha256').update(query).update('\n');
  if (Buffer.isBuffer(body) || typeof body === 'string') hash.update(body);
  else hash.update(JSON.stringify(sorted(body)) ?? '');
  return hash.digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}
