import type { FastifyInstance } from 'fastify';
import { noToken } from './access-guard.js';
import type { Authentication } from './authentication.js';

/**
 * Identifies the caller of every request before the body is read. The route decides later what the caller may do. A caller
 * without a token may not even send a body, except to an address that is itself a ticket.
 */
export function authenticateRequests(fastify: FastifyInstance, authentication: Authentication): void {
  fastify.decorateRequest('principal', null);
  fastify.addHook('onRequest', async (request) => {
    request.principal = (await authentication.principalOf(request.headers.authorization)) ?? null;
    const acts = request.method !== 'GET' && request.method !== 'HEAD';
    if (acts && request.principal === null && request.routeOptions.config.ticket !== true) throw noToken();
  });
}
