import { ServiceError, type Schema } from '@lab/contracts';
import { dtoSchema } from '@lab/contracts/bodies';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { takes, type BodyDescription } from './inputs.js';
import { ref } from './schemas.js';

type Examples = NonNullable<BodyDescription['examples']>;

/** A parameter of a handler: the JSON body, checked against a class of @lab/contracts. */
export const JsonBody = <T extends object>(dto: new () => T, examples: Examples): ParameterDecorator =>
  checkedBody(dto, examples, true);

/**
 * As {@link JsonBody}, for a class that has only optional fields: the body may be left out.
 *
 * @param read the value of the parameter; default: the body
 */
export const OptionalBody = <T extends object>(
  dto: new () => T,
  examples: Examples,
  read?: (body: T, request: FastifyRequest) => unknown,
): ParameterDecorator => checkedBody(dto, examples, false, read);

/** A parameter of a handler: a body that no class describes. @param read may throw ServiceError `invalid` */
export function Body(
  description: BodyDescription,
  read: (body: unknown, request: FastifyRequest) => unknown,
): ParameterDecorator {
  return createParamDecorator(
    (_: unknown, context: ExecutionContext) => {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      return read(request.body, request);
    },
    [takes({ body: description })],
  )();
}

function checkedBody<T extends object>(
  dto: new () => T,
  examples: Examples,
  required: boolean,
  read: (body: T, request: FastifyRequest) => unknown = (body) => body,
): ParameterDecorator {
  const schema: Schema<T> = dtoSchema(dto);
  return Body({ schema: ref(dto.name), required, examples }, (body, request) => {
    // A JSON `null` counts as no body, which a required body does not pass.
    const checked = schema.check(body ?? (required ? undefined : {}));
    if (checked.ok) return read(checked.value, request);
    const { faults } = checked;
    throw new ServiceError(
      'invalid',
      faults.length === 1
        ? 'One thing is wrong with the body.'
        : `${faults.length} things are wrong with the body.`,
      { faults },
    );
  });
}

/**
 * For routes without a body: a field in it would be an instruction that nobody follows.
 *
 * @param query names of the query parameters of the route
 * @throws ServiceError `invalid`
 */
export function refuseBody(body: unknown, query: readonly string[]): void {
  if (body === undefined || body === null) return;
  const isObject = typeof body === 'object' && !Array.isArray(body);
  const fields = isObject ? Object.keys(body) : [];
  if (isObject && fields.length === 0) return;
  const hint =
    query.length === 0
      ? 'Send no body: the address says everything.'
      : `Send no body. The address has the query parameters ${query.join(', ')}.`;
  throw new ServiceError('invalid', 'This request takes no body.', {
    faults: isObject
      ? fields.map((path) => ({ path, code: 'unknown_field', message: `${path} is not a field here`, hint }))
      : [{ path: '', code: 'type', message: 'must be empty', hint }],
  });
}
