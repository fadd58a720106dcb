import { isServiceError, ServiceError } from '@lab/contracts';
import type { FastifyInstance } from 'fastify';
import type { FileStore } from '../ports/index.js';
import { byteRangeOf, describePart } from './byte-range.js';

/** The route where agents fetch the input files of tasks. */
const downloadRoute = '/api/downloads/:token';

/**
 * `GET /api/downloads/<token>`: an agent fetches the bytes of one input file, or a range of them. The orchestrator signs the
 * token, which names the file. The route trusts nothing else and needs no other authorization.
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
        throw new ServiceError('not_found', 'The file is no longer in the store.', { cause: error });
      });
      await describePart(reply, { size, etag }, range)
        .type('application/octet-stream')
        .header('cache-control', 'no-store')
        .send(content);
    },
  );
}
