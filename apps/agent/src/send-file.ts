import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FileTicket, SpooledFile } from '@lab/actors';
import { ServiceError } from '@lab/contracts';
import type { HttpWay } from './joining/index.js';
import { requestTo } from './store-access.js';

/** Files above this size in bytes continue an interrupted upload. Smaller files are sent again as a whole. */
const resumableBytes = 1024 * 1024;

/** The header with the number of bytes that the store has, and with the offset of a body. */
const offsetHeader = 'upload-offset';

/** A file by the name and size under which the store expects it. */
export type SentFile = Pick<SpooledFile, 'name' | 'size'>;

/**
 * Sends the content of a file to the address of a ticket. An interrupted upload continues where it stopped.
 *
 * @throws ServiceError; if it is not retryable (`invalid`, `payload_too_large`), no later try can succeed
 */
export async function sendFile(
  path: string,
  file: SentFile,
  ticket: FileTicket,
  way: HttpWay,
): Promise<void> {
  const from = file.size < resumableBytes ? undefined : await offsetAt(ticket, file.size, way);
  const headers = {
    ...ticket.headers,
    'content-length': String(file.size - (from ?? 0)),
    ...(from === undefined ? {} : { [offsetHeader]: String(from) }),
  };
  const request = await requestTo(ticket, way, 'PUT', headers);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  // The store may refuse and close before all bytes are sent. Its answer says more than the broken connection.
  const sent = pipeline(createReadStream(path, { start: from ?? 0 }), request);
  try {
    const [response] = await Promise.race([answered, sent.then(() => answered)]);
    const body = await textOf(response);
    request.destroy();
    await Promise.allSettled([sent]);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return;
    throw refusal(file, status, body);
  } catch (error) {
    await Promise.allSettled([answered, sent]);
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('service_unavailable', `the file '${file.name}' could not be sent: ${reason}`, {
      cause: error,
    });
  }
}

/** Asks the store for the offset at which the upload continues; undefined: it has none, or does not answer. */
async function offsetAt(ticket: FileTicket, size: number, way: HttpWay): Promise<number | undefined> {
  const request = await requestTo(ticket, way, 'HEAD', ticket.headers);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end();
  try {
    const [response] = await answered;
    response.resume();
    const said = response.headers[offsetHeader];
    const from = typeof said === 'string' && /^\d{1,15}$/.test(said) ? Number(said) : Infinity;
    return response.statusCode === 200 && from <= size ? from : undefined;
  } catch {
    return undefined;
  }
}

function refusal(file: SentFile, status: number, body: string): ServiceError {
  const text = `the store refused the file '${file.name}' with ${status}: ${body.slice(0, 300)}`;
  if (status === 413) return new ServiceError('payload_too_large', text);
  if (status === 422) return new ServiceError('invalid', text);
  // All other failures may be temporary: a ticket can be renewed, a server can come back.
  return new ServiceError('service_unavailable', text);
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) if (text.length < 4_096) text += String(chunk);
  return text;
}
