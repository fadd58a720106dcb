import type { FastifyInstance } from 'fastify';
import { isServiceError, type Principal } from '@lab/contracts';
import { isNeverRefused } from '../http/index.js';
import { noToken } from './access-guard.js';
import type { Authentication } from './authentication.js';
import { requireOwnPage, type SessionCookie } from './session-cookie.js';
import type { WrongTokens } from './wrong-tokens.js';

/**
 * Identifies the caller of every request before the body is read. The route decides later what the caller may do. A caller
 * without a token may not even send a body, except to an address that is itself a ticket. A session that has ended is no
 * session: the page itself must still load.
 */
export function authenticateRequests(
  fastify: FastifyInstance,
  authentication: Authentication,
  wrong: WrongTokens,
  cookie: SessionCookie,
): void {
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('isAdmitted');
  fastify.addHook('onRequest', async (request, reply) => {
    // Nothing may keep people from stopping a machine, not even wrong tokens of others.
    const isUrgent = isNeverRefused(request.method, request.routeOptions.url);
    const admit = isUrgent ? undefined : (): void => wrong.admit(request.ip);
    const acts = request.method !== 'GET' && request.method !== 'HEAD';
    const { authorization } = request.headers;
    const session = authorization === undefined ? cookie.valueIn(request.headers.cookie) : undefined;
    const identify = (check?: () => void): Promise<Principal | undefined> =>
      session === undefined
        ? authentication.principalOf(authorization, check)
        : authentication.principalOfSession(session, check);
    request.isAdmitted = () =>
      identify().then(
        (principal) => principal !== undefined,
        // A database that is away revokes nothing.
        (error: unknown) => !(isServiceError(error) && error.code === 'unauthorized'),
      );
    try {
      request.principal = (await identify(admit)) ?? null;
      if (session !== undefined && acts) requireOwnPage(request);
    } catch (error) {
      const isWrong = isServiceError(error) && error.code === 'unauthorized';
      if (isWrong) wrong.note(request.ip);
      if (!isWrong || session === undefined) throw error;
      void reply.header('set-cookie', cookie.taken());
    }
    if (acts && request.principal === null && request.routeOptions.config.ticket !== true) throw noToken();
  });
}
