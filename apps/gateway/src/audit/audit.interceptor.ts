import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { isWellFormedName, type JsonObject, type Principal } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, concatMap, from, throwError, type Observable } from 'rxjs';
import { isDryRun } from '../routes/index.js';
import { asServiceError } from '../http/index.js';
import { AuditRecorder } from './audit-recorder.js';
import { subjectOf } from './subject.js';
import type { AuditEntry } from '@lab/persistence';

/** Longest time that an answer waits for its entry, in milliseconds. While the database is unavailable, the entry follows later. */
const patienceMs = 250;

/** Longest stored subject, in characters. */
const longestSubject = 500;

/** Records every request that may change something, its caller and its result. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(private readonly recorder: AuditRecorder) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { principal } = request;
    if (request.method === 'GET' || request.method === 'HEAD' || principal === null) return next.handle();
    if (isDryRun(context)) return next.handle();
    const keep = (detail: JsonObject, made?: unknown): Promise<unknown> => {
      const written = this.recorder.record(auditEntry(request, principal, actionOf(request), detail, made));
      return Promise.race([written, delay(patienceMs, undefined, { ref: false })]);
    };
    return next.handle().pipe(
      concatMap((value: unknown) =>
        from(keep({ status: http.getResponse<FastifyReply>().statusCode }, value).then(() => value)),
      ),
      catchError((thrown: unknown) => {
        const { status, code } = asServiceError(thrown);
        return from(keep({ status, code })).pipe(concatMap(() => throwError(() => thrown)));
      }),
    );
  }
}

/**
 * The entry for an action that a request made or is about to make.
 *
 * @param made the answer to a submission, which has the name of the new work
 */
export function auditEntry(
  request: FastifyRequest,
  principal: Principal,
  action: string,
  detail: JsonObject,
  made?: unknown,
): AuditEntry {
  return {
    id: randomUUID(),
    at: Date.now(),
    by: personOf(request, principal),
    kind: principal.kind,
    action,
    subject: subjectOf(request, made).slice(0, longestSubject),
    detail,
    request_id: request.id,
    ip: request.ip,
  };
}

/**
 * The name of the person. With authentication off everybody is `local`, so a name that the request gives says more. The kind
 * of the entry tells that nobody has checked it.
 */
function personOf({ url, body }: FastifyRequest, { name, kind }: Principal): string {
  if (kind !== 'local') return name;
  const { by, owner } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const said = by ?? owner ?? new URLSearchParams(url.split('?', 2)[1]).get('by');
  return isWellFormedName(said) ? said : name;
}

/** The operation as it stands in the OpenAPI document: `POST /api/tasks/{task_name}/cancel`. */
function actionOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${(routeOptions.url ?? '').replace(/:(\w+)/g, '{$1}')}`;
}
