import { stat } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A connection without traffic is given up after this time, in milliseconds. */
const idleMs = 30_000;

/**
 * Begins a request for one file to the store that a ticket names.
 *
 * @param headers all headers, including those of the ticket
 * @param signal when it fires, the request is aborted
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

/** Size of a file in bytes; undefined: the file does not exist. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
