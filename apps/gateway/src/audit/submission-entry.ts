import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuditEntry } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';
import { actionOf, auditEntry } from './audit.interceptor.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a submission: its entry in the audit. */
    submissionEntry?: SubmissionEntry;
  }
}

/** The audit entry of a submission, which the orchestrator commits together with the work. */
export interface SubmissionEntry {
  readonly entry: AuditEntry;
  /** The entry is committed. While this is false, the gateway writes the entry before it answers. */
  committed: boolean;
}

/** A parameter of a handler that submits work under the name in its body: the {@link SubmissionEntry} of the request. */
export const EntryOfSubmission = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { principal, body } = request;
  if (principal === null) throw new Error('a route that is open to everybody has no caller');
  const entry = auditEntry(request, principal, actionOf(request), { status: 201 }, body);
  request.submissionEntry = { entry, committed: false };
  return request.submissionEntry;
});
