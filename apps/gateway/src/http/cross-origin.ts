import type { FastifyReply, FastifyRequest } from 'fastify';

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const requestHeaders = 'authorization, content-type, idempotency-key, last-event-id, x-request-id';
const responseHeaders = 'content-disposition, location, retry-after, x-request-id';
/** How long a browser remembers what it was allowed, in seconds. */
const rememberS = 600;

/**
 * Lets pages of the origins listed use the interface (CORS, as the Fetch standard has it). No origin is allowed by a
 * pattern, and none may send what a browser keeps of itself, such as cookies: a page proves who asks by a token.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  /** @param origins exact ones, for example `https://dashboard.example.org` */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** For every answer: whether anything in it depends on who asks. */
  get headers(): Record<string, string> {
    return this.#origins.size === 0 ? {} : { vary: 'Origin' };
  }

  allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /**
   * Says in the answer which page may read it.
   *
   * @returns true when the request was only a question whether another one may be made: it is answered
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
