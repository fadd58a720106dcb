import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

const scope = new AsyncLocalStorage<string>();

/** Id of the request that is being answered where this is called; undefined when it is called for none. */
export function currentRequestId(): string | undefined {
  return scope.getStore();
}

/**
 * Lets {@link currentRequestId} know the request in everything that its route does. Begun behind the body: what reads that is
 * called by the connection, which knows of no request.
 */
export function scopeRequests(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', (request, _reply, done) => scope.run(request.id, done));
}
