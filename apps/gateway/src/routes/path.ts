import { ServiceError, isWellFormedName } from '@lab/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { takes } from './inputs.js';

export interface PathText {
  /** For the OpenAPI document. */
  description: string;
  example: string;
}

/**
 * Makes a decorator of parameters: the name of a record in the path. A name that no record can have is answered with
 * `not_found`.
 *
 * @param what for the message, for example `protocol run`
 */
export function pathName(parameter: string, what: string, usual: PathText) {
  return (text: Partial<PathText> = {}): ParameterDecorator =>
    createParamDecorator(
      (_: unknown, context: ExecutionContext) => lookupName(pathValue(context, parameter), what),
      [takes({ parameters: [pathParameter(parameter, { ...usual, ...text })], problems: ['not_found'] })],
    )();
}

/** Makes a decorator of parameters: a part of the path as it is. The handler says what it means. */
export function pathText(parameter: string, usual: PathText) {
  return (text: Partial<PathText> = {}): ParameterDecorator =>
    createParamDecorator(
      (_: unknown, context: ExecutionContext) => pathValue(context, parameter),
      [takes({ parameters: [pathParameter(parameter, { ...usual, ...text })] })],
    )();
}

export const CampaignName = pathName('campaign_name', 'campaign', {
  description: 'Name of the campaign.',
  example: 'sweep',
});
export const LegalHoldId = pathName('id', 'legal hold', {
  description: 'Id of the legal hold.',
  example: '0190c0de-0000-7000-8000-00000000000e',
});
export const ReservationId = pathName('id', 'reservation', {
  description: 'Id of the reservation.',
  example: '0190c0de-0000-7000-8000-00000000000d',
});
export const ProtocolRunName = pathName('protocol_run_name', 'protocol run', {
  description: 'Name of the protocol run.',
  example: 'mix_1',
});

export function pathParameter(name: string, { description, example }: PathText): object {
  return {
    name,
    in: 'path',
    required: true,
    description: `${description} Percent-encode characters other than letters, digits, \`-\`, \`_\`, \`.\` and \`~\`.`,
    schema: { type: 'string' },
    example,
  };
}

function pathValue(context: ExecutionContext, parameter: string): string {
  const { params } = context.switchToHttp().getRequest<FastifyRequest>();
  return (params as Record<string, string>)[parameter] ?? '';
}

/**
 * A name from a path or query, as it may be looked up. A text that no record can have as its name is not found.
 *
 * @param what for the message, for example `protocol run`
 * @throws ServiceError `not_found`
 */
export function lookupName(name: string, what: string): string {
  if (isWellFormedName(name)) return name;
  throw new ServiceError(
    'not_found',
    `There is no ${what} of that name; a name has 1 to 200 visible characters.`,
  );
}
