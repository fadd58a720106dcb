import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isWellFormedName, type JsonObject, type Principal } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, concatMap, from, of, tap, throwError, type Observable } from 'rxjs';
import { isDryRun } from '../routes/index.js';
import { asServiceError } from '../http/index.js';
import { AuditRecorder } from './audit-recorder.js';
import { subjectOf } from './subject.js';
import type { AuditEntry } from '@lab/persistence';

/** Longest time that an answer waits for its entry, in milliseconds. While the database is unavailable, the entry follows later. */
const patienceMs = 250;

/** Longest stored subject, in characters. */
const longestSubject = 500;

declare module 'fastify' {
  interface FastifyRequest {
    /** What the entry of the request says beside its result. */
    auditDetail?: JsonObject;
  }
}

const auditedLaterKey = 'svc:audited-later';

/** Marks a route whose answers do not wait for their entries, because something else proves what it changed. */
export const AuditedLater = (): MethodDecorator => SetMetadata(auditedLaterKey, true);

/** Records every request that may change something, its caller and its result. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly recorder: AuditRecorder,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.method === 'GET' || request.method === 'HEAD' || isDryRun(context)) return next.handle();
    // A handler that is open to everybody may identify its caller itself.
    const entryOf = (detail: JsonObject, made?: unknown): AuditEntry | undefined =>
      request.principal === null
        ? undefined
        : auditEntry(
            request,
            request.principal,
            actionOf(request),
            { ...request.auditDetail, ...detail },
            made,
          );
    if (this.reflector.get<boolean | undefined>(auditedLaterKey, context.getHandler()) === true) {
      const later = (detail: JsonObject): void => {
        const entry = entryOf(detail);
        if (entry !== undefined) this.recorder.recordLater(entry);
      };
      return next.handle().pipe(
        tap({
          complete: () => later({ status: http.getResponse<FastifyReply>().statusCode }),
          error: (thrown: unknown) => {
            const { status, code } = asServiceError(thrown);
            later({ status, code });
          },
        }),
      );
    }
    const keep = async (entry: AuditEntry | undefined): Promise<void> => {
      if (entry === undefined) return;
      await Promise.race([this.recorder.record(entry), delay(patienceMs, undefined, { ref: false })]);
    };
    return next.handle().pipe(
      concatMap((value: unknown) => {
        const { submissionEntry: given } = request;
        if (given?.committed === true) return of(value);
        // If the answer of the orchestrator was lost, the entry may be committed. It is not written twice.
        const entry = given?.entry ?? entryOf({ status: http.getResponse<FastifyReply>().statusCode }, value);
        return from(keep(entry).then(() => value));
      }),
      catchError((thrown: unknown) => {
        const { status, code } = asServiceError(thrown);
        return from(keep(entryOf({ status, code }))).pipe(concatMap(() => throwError(() => thrown)));
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
    detail: {
      ...detail,
      ...(principal.pipeline === undefined ? {} : { pipeline: { ...principal.pipeline } }),
    },
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
  const query = url.indexOf('?');
  const said = by ?? owner ?? (query < 0 ? null : new URLSearchParams(url.slice(query)).get('by'));
  return isWellFormedName(said) ? said : name;
}

/** The operation as it stands in the OpenAPI document: `POST /api/tasks/{task_name}/cancel`. */
export function actionOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  const path = paths.get(url) ?? url.replace(/:(\w+)/g, '{$1}');
  paths.set(url, path);
  return `${method} ${path}`;
}

/** The path of each route as the document writes it. */
const paths = new Map<string, string>();
