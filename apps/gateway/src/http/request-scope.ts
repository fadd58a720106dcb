import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

const scope = new AsyncLocalStorage<string>();

/** Id of the request that the calling code works for; undefined outside of requests. */
export function currentRequestId(): string | undefined {
  return scope.getStore();
}

/**
 * Makes {@link currentRequestId} work in everything that a route does. The scope begins after the body is read, because the
 * connection calls the code that reads it, outside of any request.
 */
export function scopeRequests(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => scope.run(request.id, done));
}
