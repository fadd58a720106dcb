import { ServiceError } from '@lab/contracts';
import type { FastifyRequest } from 'fastify';

/** Header that the page sends with each request. A form of another site cannot send it. */
const pageHeader = 'x-svc-page';

/** A cookie of this service that no script reads. */
export class HostCookie {
  readonly #name: string;
  readonly #attributes: string;

  /**
   * @param publicUrl address at which browsers reach the service
   * @param name of the cookie, without the prefix for HTTPS
   * @param sameSite `Lax`: the browser sends it also when a page of another site leads here
   */
  constructor(publicUrl: string, name: string, sameSite: 'Strict' | 'Lax') {
    const { protocol, port } = new URL(publicUrl);
    const isSecure = protocol === 'https:';
    // Services on several ports of one computer share their cookies, because cookies ignore ports.
    const place = `${name}${port === '' ? '' : `-${port}`}`;
    this.#name = isSecure ? `__Host-${place}` : place;
    this.#attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  }

  /** @returns its value in a header `Cookie`; undefined: there is none */
  valueIn(header: string | undefined): string | undefined {
    const start = `${this.#name}=`;
    return header
      ?.split(';')
      .map((each) => each.trim())
      .find((each) => each.startsWith(start))
      ?.slice(start.length);
  }

  /** The header `Set-Cookie` that gives it to a browser. @param lifeS in seconds */
  given(value: string, lifeS: number): string {
    return `${this.#name}=${value}; ${this.#attributes}; Max-Age=${lifeS}`;
  }

  /** The header `Set-Cookie` that takes it from a browser. */
  taken(): string {
    return `${this.#name}=; ${this.#attributes}; Max-Age=0`;
  }
}

/** The cookie with the token of a session. */
export class SessionCookie extends HostCookie {
  /** @param publicUrl address at which browsers reach the service */
  constructor(publicUrl: string) {
    super(publicUrl, 'svc-session', 'Strict');
  }
}

/**
 * Requires that a request with a cookie comes from the page of this service. A browser sends the cookie also for a page of
 * another port of this computer, which `SameSite` does not stop.
 *
 * @throws ServiceError `forbidden`
 */
export function requireOwnPage({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const site = headers['sec-fetch-site'];
  const isSame = site === undefined ? hostOf(headers.origin) === headers.host : site === 'same-origin';
  if (isSame && headers[pageHeader] === '1') return;
  throw new ServiceError(
    'forbidden',
    'A session acts only from the page of this service. A program acts with a token in the header "Authorization".',
  );
}

/** @returns null for no origin, and for one that is no address, such as `null` */
function hostOf(origin: string | undefined): string | null {
  return origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;
}
