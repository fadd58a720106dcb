import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { defer, type Observable } from 'rxjs';
import { AuditInterceptor } from './audit/index.js';
import { IdempotencyInterceptor } from './idempotency/index.js';
import { InputInterceptor } from './routes/index.js';

/**
 * What surrounds every handler: the idempotency key, the audit, and last the check of what the route takes, so that the
 * other two also keep a request that it refuses. They are one interceptor, because Nest puts a promise, an observable and an
 * asynchronous resource around each.
 */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(
    private readonly idempotency: IdempotencyInterceptor,
    private readonly audit: AuditInterceptor,
    private readonly input: InputInterceptor,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const checked: CallHandler = { handle: () => defer(() => this.input.intercept(context, next)) };
    const audited: CallHandler = { handle: () => this.audit.intercept(context, checked) };
    return this.idempotency.intercept(context, audited);
  }
}
