import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { inputsOf, takes } from './inputs.js';
import { QueryFlag } from './query.js';

/**
 * A parameter of a handler: whether the request only tries out what it asks for. Then it changes nothing, so that neither
 * the audit nor the idempotency keys keep it.
 */
export const DryRun = (): ParameterDecorator => (target, key, index) => {
  takes({ dryRun: true })(target, key, index);
  QueryFlag(
    'dry_run',
    'True: the service checks the submission as usual and predicts its course. It stores nothing and ignores `Idempotency-Key`.',
  )(target, key, index);
};

/** Whether a request only tries out what it asks for, of a route with {@link DryRun}. */
export function isDryRun(context: ExecutionContext): boolean {
  if (inputsOf(context.getHandler()).dryRun !== true) return false;
  const { query } = context.switchToHttp().getRequest<FastifyRequest>();
  return (query as Record<string, unknown>)['dry_run'] === 'true';
}
