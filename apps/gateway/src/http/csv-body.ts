import { ServiceError } from '@lab/contracts';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { hasBody, mediaTypeOf } from './media-type-of.js';

export const csvMediaType = 'text/csv';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: the body of the route is CSV instead of JSON. */
    csv?: boolean;
  }
}

/** Marks a route whose body is CSV. The handler gets the bytes as sent. */
export const TakesCsv = (): MethodDecorator & ClassDecorator => RouteConfig({ csv: true });

/** Accepts CSV bodies for routes with {@link TakesCsv} and for no other route. */
export function takeCsvBodies(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const isCsv = mediaTypeOf(request) === csvMediaType;
    if (request.routeOptions.config.csv === true && !isCsv && hasBody(request))
      done(
        new ServiceError(
          'unsupported_media_type',
          `The body must be CSV, sent with the header Content-Type: ${csvMediaType}.`,
        ),
      );
    else if (request.routeOptions.config.csv !== true && isCsv)
      done(
        new ServiceError(
          'unsupported_media_type',
          'The body must be JSON, sent with the header Content-Type: application/json.',
        ),
      );
    else done(null, payload);
  });
  fastify.addContentTypeParser<Buffer>(csvMediaType, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
}
