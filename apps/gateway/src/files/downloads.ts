import { isServiceError, ServiceError } from '@lab/contracts';
import type { FastifyInstance } from 'fastify';
import type { FileStore } from '../ports/index.js';
import { byteRangeOf, describePart } from './byte-range.js';

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
      const etag = `"${sha256}"`;
      const range = byteRangeOf(request.headers, size, etag);
      const content = await files.get(key, range).catch((error: unknown) => {
        if (!isServiceError(error) || error.code !== 'not_found') throw error;
        throw new ServiceError('not_found', 'The file is not in the store any more.', { cause: error });
      });
      await describePart(reply, { size, etag }, range)
        .type('application/octet-stream')
        .header('cache-control', 'no-store')
        .send(content);
    },
  );
}
