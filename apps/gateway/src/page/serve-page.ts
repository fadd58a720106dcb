import { ServiceError } from '@lab/contracts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { PageFiles } from './page-files.js';

/** The page runs its own scripts alone, applies its own styles, and sends requests to its own service. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The name of an asset has a hash of its content, so that a browser asks for it once in a year. */
const unchanging = 'public, max-age=31536000, immutable';

/** Answers with the document of the page, which is the same at each of its addresses. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy)
    .header('vary', 'accept')
    .send(html);
}

/** Serves the page at all of its addresses but `/`, which programs read as well, and its assets. */
export function servePage(fastify: FastifyInstance, page: PageFiles): void {
  const { html, addresses } = page;
  if (html === undefined) return;
  for (const address of addresses.filter((each) => each !== '/'))
    fastify.get(address.replaceAll('$', ':'), (_request, reply) => sendPage(reply, html));
  fastify.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const { name } = request.params;
    const asset = await page.asset(name, request.headers['accept-encoding'] ?? '');
    if (asset === undefined)
      throw new ServiceError('not_found', `The page has no part named "${name}". Load the page again.`);
    void reply.type(asset.type).header('cache-control', unchanging).header('vary', 'accept-encoding');
    if (asset.encoding !== undefined) void reply.header('content-encoding', asset.encoding);
    return reply.send(asset.content);
  });
}
