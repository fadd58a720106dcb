import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a repeat under an idempotency key whose first request broke off: when that began, in milliseconds since 1970. */
    brokeOffAt?: number;
  }
}

/** When a request was made, and whether it is a repeat of one that may have been carried out. */
export interface Asked {
  /** First, in milliseconds since 1970. */
  at: number;
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

/** The {@link Asked} of a request. */
export const AskedAt = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const { brokeOffAt } = context.switchToHttp().getRequest<FastifyRequest>();
  return { at: brokeOffAt ?? Date.now(), again: brokeOffAt !== undefined };
});
