import { ServiceError } from '@lab/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noToken } from './access-guard.js';
import type { Authentication } from './authentication.js';

/** Longest token that is looked at, in characters. */
const longestToken = 8_192;

/**
 * Finds out of every request who makes it, before its body is read. Whether they may is settled by the route; but who
 * shows no token may not so much as send a body, except to an address that is itself a key.
 */
export function authenticateRequests(fastify: FastifyInstance, authentication: Authentication): void {
  fastify.decorateRequest('principal', null);
  fastify.addHook('onRequest', async (request) => {
    request.principal = (await authentication.principalOf(bearerToken(request))) ?? null;
    const acts = request.method !== 'GET' && request.method !== 'HEAD';
    if (acts && request.principal === null && request.routeOptions.config.ticket !== true) throw noToken();
  });
}

/**
 * @returns undefined without an `Authorization` header
 * @throws ServiceError `unauthorized` for a header that holds no bearer token
 */
function bearerToken({ headers }: FastifyRequest): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization.slice(0, longestToken + 16))?.[1];
  if (token !== undefined && token.length <= longestToken) return token;
  throw new ServiceError('unauthorized', 'The Authorization header is not of the form "Bearer <token>".');
}
