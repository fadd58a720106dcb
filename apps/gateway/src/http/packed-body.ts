import { ServiceError } from '@lab/contracts';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasBody, mediaTypeOf } from './media-type-of.js';

export const packedMediaType = 'application/gzip';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the body of the route is a packed package instead of JSON. */
    packed?: boolean;
  }
}

/** Marks a route whose body is a packed package. The handler gets the bytes as a stream, and ends long pauses itself. */
export const TakesPackage = (): MethodDecorator & ClassDecorator =>
  RouteConfig({ packed: true, unhurriedBody: true });

/** Accepts packed bodies for routes with {@link TakesPackage} and for no other route. */
export function takePackedBodies(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const isPacked = mediaTypeOf(request) === packedMediaType;
    const isWanted = request.routeOptions.config.packed === true;
    if (
      request.routeOptions.config.ticket === true ||
      isPacked === isWanted ||
      (isWanted && !hasBody(request))
    )
      done(null, payload);
    else done(unsupported(isWanted, request));
  });
  fastify.addContentTypeParser(packedMediaType, (_request, payload, done) => done(null, payload));
}

function unsupported(isWanted: boolean, { routeOptions }: FastifyRequest): ServiceError {
  const wanted = isWanted
    ? packedMediaType
    : routeOptions.config.csv === true
      ? 'text/csv'
      : 'application/json';
  return new ServiceError(
    'unsupported_media_type',
    `The body must be sent with the header Content-Type: ${wanted}.`,
  );
}
