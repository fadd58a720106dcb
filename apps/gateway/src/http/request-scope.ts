import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const scope = new AsyncLocalStorage<FastifyRequest>();

/** Id of the request that the calling code works for; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return scope.getStore()?.id;
}

/** Name of the person whose request the calling code works for; null: not known. */
export function currentPerson(): string | null {
  const principal = scope.getStore()?.principal ?? null;
  return principal === null || principal.kind === 'local' ? null : principal.name;
}

/**
 * Makes {@link currentRequestId} work in everything that a route does. The scope begins after the body is read, because the
 * connection calls the code that reads it, outside of any request.
 */
export function scopeRequests(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => scope.run(request, done));
}
