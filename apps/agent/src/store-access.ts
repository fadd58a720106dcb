import { stat } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A connection that moves nothing for so long is given up, in milliseconds. */
const idleMs = 30_000;

/**
 * Begins a request about one file to the store that gave leave for it.
 *
 * @param headers all of them, those of the ticket too
 * @param signal breaks it off
 */
export function requestTo(
  ticket: { url: string },
  method: 'GET' | 'HEAD' | 'PUT',
  headers: Record<string, string>,
  signal?: AbortSignal,
): ClientRequest {
  const url = new URL(ticket.url);
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method,
    headers,
    timeout: idleMs,
    ...(signal === undefined ? {} : { signal }),
  });
  request.once('timeout', () => request.destroy(new Error(`nothing moved for ${idleMs / 1000} s`)));
  return request;
}

/** Of a file in bytes; undefined when there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
