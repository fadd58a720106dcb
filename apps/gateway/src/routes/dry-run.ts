import { SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { readFlag, readQuery } from './request-input.js';

const triedOutKey = 'svc:tried-out';

/** Marks a route that does nothing when it is asked with `dry_run=true`: then it is no act, and is not kept as one. */
export const MayBeTriedOut = (): MethodDecorator => SetMetadata(triedOutKey, true);

/** Whether a request only tries out what it asks for, of a route that {@link MayBeTriedOut}. */
export function isTriedOut(context: ExecutionContext, reflector: Reflector): boolean {
  if (reflector.get<boolean | undefined>(triedOutKey, context.getHandler()) !== true) return false;
  const { query } = context.switchToHttp().getRequest<FastifyRequest>();
  return (query as Record<string, unknown>)['dry_run'] === 'true';
}

/**
 * The query of a route that {@link MayBeTriedOut}.
 *
 * @throws ServiceError `invalid`
 */
export function readDryRun(query: unknown): boolean {
  return readFlag('dry_run', readQuery(query, ['dry_run']).dry_run);
}
