import type { FastifyInstance } from 'fastify';
import { isServiceError } from '@lab/contracts';
import { isNeverRefused } from '../http/index.js';
import { noToken } from './access-guard.js';
import type { Authentication } from './authentication.js';
import type { WrongTokens } from './wrong-tokens.js';

/**
 * Identifies the caller of every request before the body is read. The route decides later what the caller may do. A caller
 * without a token may not even send a body, except to an address that is itself a ticket.
 */
export function authenticateRequests(
  fastify: FastifyInstance,
  authentication: Authentication,
  wrong: WrongTokens,
): void {
  fastify.decorateRequest('principal', null);
  fastify.addHook('onRequest', async (request) => {
    // Nothing may keep people from stopping a machine, not even wrong tokens of others.
    const isUrgent = isNeverRefused(request.method, request.routeOptions.url);
    const admit = isUrgent ? undefined : (): void => wrong.admit(request.ip);
    try {
      request.principal = (await authentication.principalOf(request.headers.authorization, admit)) ?? null;
    } catch (error) {
      if (isServiceError(error) && error.code === 'unauthorized') wrong.note(request.ip);
      throw error;
    }
    const acts = request.method !== 'GET' && request.method !== 'HEAD';
    if (acts && request.principal === null && request.routeOptions.config.ticket !== true) throw noToken();
  });
}
