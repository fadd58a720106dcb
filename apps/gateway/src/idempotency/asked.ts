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
 * Marks a route that makes something under the name in its body, and looks for it when it is {@link Asked} again: a
 * request that broke off can be repeated.
 */
export const FoundAgain = (): MethodDecorator => SetMetadata(foundAgainKey, true);

export const eachTimeKey = 'svc:each-time';

/**
 * Marks a route that is carried out each time it is asked, under a key or not: one that must work while the keys cannot be
 * read, and where once more does no harm.
 */
export const EachTime = (): MethodDecorator => SetMetadata(eachTimeKey, true);

/** The {@link Asked} of a request; without an idempotency key its submission has an id of its own. */
export const AskedAs = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const { asked } = context.switchToHttp().getRequest<FastifyRequest>();
  return asked ?? { submissionId: randomUUID(), again: false };
});
