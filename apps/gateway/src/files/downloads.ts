import { isServiceError, ServiceError } from '@lab/contracts';
import type { FastifyInstance } from 'fastify';
import type { FileStore } from '../ports.js';
import { byteRangeOf } from './byte-range.js';

/** Where agents fetch the files that their tasks get. */
const downloadRoute = '/api/downloads/:token';

/**
 * `GET /api/downloads/<token>`: an agent fetches the bytes of one file that a task gets, or a range of them. The token is
 * signed by the orchestrator and names the file; nothing else is believed, and no other leave is needed.
 */
export function serveDownloads(fastify: FastifyInstance, files: FileStore): void {
  fastify.get<{ Params: { token: string } }>(
    downloadRoute,
    { exposeHeadRoute: false, config: { ticket: true } },
    async (request, reply) => {
      const { key, size, sha256 } = files.acceptDownload(request.params.token);
      const range = byteRangeOf(request.headers, size, `"${sha256}"`);
      const content = await files.get(key, range).catch((error: unknown) => {
        if (!isServiceError(error) || error.code !== 'not_found') throw error;
        throw new ServiceError('not_found', 'The file is not in the store any more.', { cause: error });
      });
      const { start, end } = range ?? { start: 0, end: size - 1 };
      reply
        .code(range === undefined ? 200 : 206)
        .type('application/octet-stream')
        .header('content-length', end - start + 1)
        .header('cache-control', 'no-store')
        .header('etag', `"${sha256}"`);
      if (range !== undefined) reply.header('content-range', `bytes ${start}-${end}/${size}`);
      await reply.send(content);
    },
  );
}
