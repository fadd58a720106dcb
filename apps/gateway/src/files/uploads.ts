import { isServiceError, ServiceError } from '@lab/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FileStore } from '../ports.js';

/** The only route whose body may take as long as it goes on arriving. */
export const uploadRoute = '/api/uploads/:token';

/**
 * `PUT /api/uploads/<token>`: an agent brings the bytes of one file. The token is signed by the orchestrator and names
 * the file, its size and its hash; nothing else is believed. The bytes are streamed and visible only once they match.
 *
 * This is a route of its own below Nest, because here and only here a body is a stream and not JSON.
 *
 * @param pauseMs longest pause within an upload, in milliseconds
 */
export function serveUploads(fastify: FastifyInstance, files: FileStore, pauseMs: number): void {
  void fastify.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    scope.put<{ Params: { token: string } }>(
      uploadRoute,
      { bodyLimit: Number.MAX_SAFE_INTEGER },
      async (request, reply) => {
        const grant = files.acceptTicket(request.params.token);
        refuseOtherSize(request, grant.size);
        const stop = breakLongPauses(request, pauseMs);
        try {
          const stored = await files.put(grant.key, request.raw, { size: grant.size, sha256: grant.sha256 });
          await reply.code(201).send(stored);
        } catch (error) {
          throw request.raw.complete || isServiceError(error)
            ? error
            : new ServiceError('bad_request', 'The upload broke off.', { cause: error });
        } finally {
          stop();
        }
      },
    );
    done();
  });
}

function refuseOtherSize(request: FastifyRequest, size: number): void {
  const announced = request.headers['content-length'];
  if (announced === undefined || Number(announced) === size) return;
  throw new ServiceError('invalid', `The ticket is for ${size} bytes, and ${announced} were announced.`);
}

function breakLongPauses(request: FastifyRequest, pauseMs: number): () => void {
  const { socket } = request.raw;
  const onTimeout = (): void => {
    request.raw.destroy(
      new ServiceError('bad_request', `The upload paused for more than ${pauseMs / 1000} s.`),
    );
  };
  socket.setTimeout(pauseMs);
  socket.once('timeout', onTimeout);
  return () => {
    socket.off('timeout', onTimeout);
    if (!socket.destroyed) socket.setTimeout(0);
  };
}
