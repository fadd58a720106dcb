import type { FastifyInstance } from 'fastify';
import { noToken } from './access-guard.js';
import type { Authentication } from './authentication.js';

/**
 * Finds out of every request who makes it, before its body is read. Whether they may is settled by the route; but who
 * shows no token may not so much as send a body, except to an address that is itself a key.
 */
export function authenticateRequests(fastify: FastifyInstance, authentication: Authentication): void {
  fastify.decorateRequest('principal', null);
  fastify.addHook('onRequest', async (request) => {
    request.principal = (await authentication.principalOf(request.headers.authorization)) ?? null;
    const acts = request.method !== 'GET' && request.method !== 'HEAD';
    if (acts && request.principal === null && request.routeOptions.config.ticket !== true) throw noToken();
  });
}
