import type { Principal } from '@lab/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, as far as they have shown it; null until it is known, and for those who show no token. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** True: the address of the route is itself a key that was handed out, so no token is asked for. */
    ticket?: boolean;
  }
}

/** Who makes the request: a {@link Principal}. Only for routes that are not open to everybody. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (principal === null) throw new Error('a route that is open to everybody has no caller');
  return principal;
});
