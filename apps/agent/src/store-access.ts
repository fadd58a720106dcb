import { stat } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { beginRequest, type HttpWay } from './joining/index.js';

/** A connection without traffic is given up after this time, in milliseconds. */
const idleMs = 30_000;

/**
 * Begins a request for one file to the store that a ticket names.
 *
 * @param headers all headers, including those of the ticket
 * @param signal when it fires, the request is aborted
 */
export async function requestTo(
  ticket: { url: string },
  way: HttpWay,
  method: 'GET' | 'HEAD' | 'PUT',
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<ClientRequest> {
  const options = { method, headers, timeout: idleMs, ...(signal === undefined ? {} : { signal }) };
  const request = await beginRequest(new URL(ticket.url), way, options, true);
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
