import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { refuseBody } from './body.js';
import { inputsOf } from './inputs.js';
import { unlistedKey } from './operation.js';
import { requireKnownQuery } from './query.js';

/**
 * Refuses what a route does not take: query parameters that its handler does not declare, and a body when it declares none.
 * It runs behind the audit and the idempotency keys, so that a refused request is kept like any other.
 */
@Injectable()
export class InputInterceptor implements NestInterceptor {
  /** @throws ServiceError `invalid` */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (Reflect.getMetadata(unlistedKey, context.getClass()) === true) return next.handle();
    const { query, body } = context.switchToHttp().getRequest<FastifyRequest>();
    const inputs = inputsOf(context.getHandler());
    requireKnownQuery(query, inputs.query);
    if (inputs.body === undefined) refuseBody(body, inputs.query);
    return next.handle();
  }
}
