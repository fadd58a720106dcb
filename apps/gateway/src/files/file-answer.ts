import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer, OperationDetails } from '../routes/index.js';
import { byteRangeOf, describePart, type ByteRange } from './byte-range.js';
import { attachment } from './content-disposition.js';

/** If a browser shows a file of an instrument all the same, then without scripts, forms and origin. */
export const sandbox = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Schema of bytes. */
export const binary = { schema: { type: 'string', format: 'binary' } };
const header = (description: string, example: string): object => ({
  description,
  schema: { type: 'string' },
  example,
});
export const savedAs = {
  'Content-Disposition': header(
    'The name to save the file under: a form that every client reads, and the exact name where it differs.',
    'attachment; filename="image.png"',
  ),
  'Content-Length': header('Number of bytes that follow.', '4096'),
};
/** A file as the answer to a request. */
export const fileAnswer = (description: string): Answer => ({
  description,
  content: { '*/*': binary },
  headers: {
    ...savedAs,
    'Accept-Ranges': header('The client may ask for parts.', 'bytes'),
    ETag: header('SHA-256 of the whole file, in quotation marks.', `"${'0'.repeat(64)}"`),
  },
});

/** That a client may ask for a part of a file. */
export const partialDownload = {
  description:
    'With `Range`, the answer is a part of the file, to continue a download that broke off. `If-Range` with the `ETag` ensures that the part belongs to the same file.',
  parameters: [
    {
      name: 'Range',
      in: 'header',
      required: false,
      description: 'One range of bytes. A request with several ranges gets the whole file.',
      schema: { type: 'string' },
      example: 'bytes=1000-1999',
    },
    {
      name: 'If-Range',
      in: 'header',
      required: false,
      description:
        '`ETag` of the file of which the client has a part. If it differs, the whole file is sent.',
      schema: { type: 'string' },
    },
  ],
  further: {
    206: {
      description: 'The requested part.',
      headers: {
        ...savedAs,
        'Content-Range': header('Position of the part, and size of the file.', 'bytes 1000-1999/4096'),
      },
      content: { '*/*': binary },
    },
  },
  problems: ['store_unavailable', 'range_not_satisfiable'],
} satisfies OperationDetails;

/**
 * Sends a file, or the part that the request asks for. A browser always saves it and never shows it.
 *
 * @param open opens the content, or a part of it
 * @throws ServiceError `range_not_satisfiable`, and errors of `open`
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: { name: string; size: number; sha256: string; media_type: string },
  open: (range: ByteRange | undefined) => Promise<Readable>,
): Promise<void> {
  const etag = `"${file.sha256}"`;
  const isHead = request.method === 'HEAD';
  const range = isHead ? undefined : rangeOf(request, reply, file.size, etag);
  const content = await open(range);
  describePart(reply, { size: file.size, etag }, range)
    .type(file.media_type)
    .header('content-disposition', attachment(file.name))
    .header('content-security-policy', sandbox)
    .header('accept-ranges', 'bytes');
  if (isHead) content.destroy();
  await reply.send(isHead ? noBody() : content);
}

function rangeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  size: number,
  etag: string,
): ByteRange | undefined {
  try {
    return byteRangeOf(request.headers, size, etag);
  } catch (error) {
    reply.header('content-range', `bytes */${size}`);
    throw error;
  }
}

/** The payload of an answer to HEAD: an empty stream keeps the Content-Length that was set; no payload would set it to 0. */
export function noBody(): Readable {
  return Readable.from([]);
}
