import { randomUUID } from 'node:crypto';
import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request with an idempotency key: what the key says about it. */
    asked?: Asked;
  }
}

/** What identifies a request that submits something. */
export interface Asked {
  /** Id of the submission. A repeat under the same idempotency key has the same id. */
  submissionId: string;
  /** True for a repeat of a request that broke off and may have been carried out. */
  again: boolean;
}

export const foundAgainKey = 'svc:found-again';

/**
 * Marks a route that creates a record under the name in its body, and looks for that record when it is {@link Asked} again.
 * A request of such a route that broke off can be repeated.
 */
export const FoundAgain = (): MethodDecorator => SetMetadata(foundAgainKey, true);

export const eachTimeKey = 'svc:each-time';

/**
 * Marks a route that ignores idempotency keys. It must work while the database is unavailable, and a repeat does no harm.
 */
export const EachTime = (): MethodDecorator => SetMetadata(eachTimeKey, true);

/** A parameter of a handler: the {@link Asked} of the request. Without an idempotency key its submission has an id of its own. */
export const AskedAs = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const { asked } = context.switchToHttp().getRequest<FastifyRequest>();
  return asked ?? { submissionId: randomUUID(), again: false };
});
