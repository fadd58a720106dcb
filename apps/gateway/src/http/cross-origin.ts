import type { FastifyReply, FastifyRequest } from 'fastify';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, idempotency-key, last-event-id, x-request-id';
const responseHeaders = 'content-disposition, location, retry-after, x-request-id';
/** Time for which a browser caches a permission, in seconds. */
const rememberS = 600;

/**
 * Lets pages of the listed origins use the interface (CORS in the Fetch standard). Patterns of origins are not supported.
 * Pages may not send stored credentials such as cookies: a page authenticates with a token.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  /** @param origins exact ones, for example `https://dashboard.example.org` */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Headers of every answer: they tell caches whether the answer depends on the origin. */
  get headers(): Record<string, string> {
    return this.#origins.size === 0 ? {} : { vary: 'Origin' };
  }

  allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /**
   * Sets the headers that say which page may read the answer.
   *
   * @returns true when the request was a preflight request, which is now answered
   */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    if (origin === undefined || !this.allows(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', responseHeaders);
      return false;
    }
    void reply
      .headers({
        'access-control-allow-methods': methods,
        'access-control-allow-headers': requestHeaders,
        'access-control-max-age': String(rememberS),
      })
      .code(204)
      .send();
    return true;
  }
}
