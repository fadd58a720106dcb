import { isServiceError, ServiceError } from '@lab/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { breakLongPauses } from '../http/index.js';
import type { FileStore } from '../ports/index.js';

const uploadRoute = '/api/uploads/:token';

/** Header: number of bytes that the service already has, or that precede the body of the request. */
const offsetHeader = 'upload-offset';

/**
 * `PUT /api/uploads/<token>`: an agent uploads the bytes of one file. The orchestrator signs the token, which names the file,
 * its size and its hash; the route trusts nothing else. The bytes are streamed, and visible only once the hash matches.
 *
 * The service keeps the bytes of an upload that broke off. `HEAD` answers with their number as `Upload-Offset`, and a
 * `PUT` with that header sends the rest.
 *
 * The route is below Nest, because only here a body is a stream and not JSON.
 *
 * @param pauseMs longest pause within an upload, in milliseconds
 */
export function serveUploads(fastify: FastifyInstance, files: FileStore, pauseMs: number): void {
  void fastify.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    scope.put<{ Params: { token: string } }>(
      uploadRoute,
      { bodyLimit: Number.MAX_SAFE_INTEGER, config: { ticket: true, unhurriedBody: true } },
      async (request, reply) => {
        const grant = files.acceptTicket(request.params.token);
        const from = offsetOf(request, grant.size);
        refuseOtherSize(request, grant.size - from);
        // A client that disconnects in the middle of its body clears `raw.socket`.
        const { socket } = request.raw;
        const stop = breakLongPauses(request, pauseMs);
        try {
          const stored = await files.receive(grant, request.raw, from);
          await reply.code(201).send(stored);
        } catch (error) {
          // Nobody reads the rest of the body, and the end of a connection that nobody reads goes unnoticed.
          if (!request.raw.complete) reply.raw.once('finish', () => socket.destroy());
          throw request.raw.complete || isServiceError(error)
            ? error
            : new ServiceError('bad_request', 'The upload broke off.', { cause: error });
        } finally {
          stop();
        }
      },
    );
    scope.head<{ Params: { token: string } }>(uploadRoute, async (request, reply) => {
      const received = await files.received(files.acceptTicket(request.params.token));
      await reply.code(200).header(offsetHeader, received).header('cache-control', 'no-store').send();
    });
    done();
  });
}

function offsetOf(request: FastifyRequest, size: number): number {
  const given = request.headers[offsetHeader];
  if (given === undefined) return 0;
  const from = typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : Infinity;
  if (from <= size) return from;
  throw new ServiceError('invalid', `Upload-Offset must be a number of bytes from 0 to ${size}.`);
}

function refuseOtherSize(request: FastifyRequest, size: number): void {
  const announced = request.headers['content-length'];
  if (announced === undefined || Number(announced) === size) return;
  throw new ServiceError(
    'invalid',
    `The ticket leaves ${size} bytes to send, but the request announces ${announced}.`,
  );
}
