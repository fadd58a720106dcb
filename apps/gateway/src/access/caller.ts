import type { Principal } from '@lab/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null before authentication, and for a caller without a token. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** True: the address of the route is itself a ticket, so that no token is needed. */
    ticket?: boolean;
  }
}

/** A parameter of a handler: the caller as a {@link Principal}. Only for routes that are not open to everybody. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (principal === null) throw new Error('a route that is open to everybody has no caller');
  return principal;
});
