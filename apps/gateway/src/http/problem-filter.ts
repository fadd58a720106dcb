import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ServiceError } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '@lab/ports';
import { asServiceError, problemMediaType, problemOf } from './problem.js';

/** Answers every error of every request with one problem document (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  /** @param onError called with every error that is answered */
  constructor(
    private readonly log: Log,
    private readonly onError: (error: ServiceError, request: FastifyRequest) => void = () => undefined,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** As {@link catch}, for errors that Nest does not see. */
  answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = asServiceError(thrown);
    if (error.code === 'internal') {
      this.log.error('request failed', {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url,
        error: error.cause ?? error,
      });
    }
    this.onError(error, request);
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    const problem = problemOf(error, {
      instance: instanceOf(request),
      acting: request.method !== 'GET' && request.method !== 'HEAD',
      requestId: request.id,
    });
    if (error.code === 'unauthorized') reply.header('www-authenticate', challenge(request));
    if (error.retryable) reply.header('retry-after', retryAfter(error));
    void reply.code(problem.status).type(problemMediaType).send(JSON.stringify(problem));
  }
}

/** The challenge of RFC 6750: it tells whether the token is missing or not valid. */
function challenge({ headers }: FastifyRequest): string {
  return headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
}

/** Value of the header `Retry-After`: whole seconds from 1 to 60. */
function retryAfter({ retryAfterS = 1 }: ServiceError): string {
  return String(Math.min(Math.max(Math.ceil(retryAfterS), 1), 60));
}

/** The path without its query. It leaves out the token of an upload or download, which gives access to a file. */
function instanceOf(request: FastifyRequest): string {
  const path = request.url.split('?', 1)[0] ?? '/';
  return /^\/api\/(uploads|downloads)(?=\/)/.exec(path)?.[0] ?? path;
}
