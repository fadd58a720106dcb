import { ServiceError, type Principal } from '@lab/contracts';
import { isAccessToken } from './access-token.js';

/** Finds out who makes a request. */
export abstract class Authentication {
  /**
   * @param authorization what the header of that name holds; undefined: there is none
   * @returns undefined for somebody who shows no token
   * @throws ServiceError `unauthorized` for a token that is not valid (any more), `service_unavailable` or
   *   `store_unavailable` when that cannot be found out at present
   */
  abstract principalOf(authorization: string | undefined): Promise<Principal | undefined>;

  /** A token was revoked here: it counts no more, from this moment on. */
  abstract forget(tokenId: string): void;
}

/** Authentication is off: whoever reaches the server may do everything, and no token is looked at. */
export class OpenToAll implements Authentication {
  readonly #everybody: Principal = { name: 'local', kind: 'local', grants: [{ role: 'admin' }] };

  principalOf(): Promise<Principal> {
    return Promise.resolve(this.#everybody);
  }

  forget(): void {
    // No token counts for anything.
  }
}

/** Tells who shows a token. */
export interface TokenCheck {
  /** @throws ServiceError as {@link Authentication.principalOf} does */
  principalOf(token: string): Promise<Principal>;
}

/** Longest token that is looked at, in characters. */
const longestToken = 8_192;

/** Tokens of this service and, if there is an issuer, signed ones of that. */
export class BearerAuthentication implements Authentication {
  /** @param issuer undefined: none is trusted */
  constructor(
    private readonly own: TokenCheck & Pick<Authentication, 'forget'>,
    private readonly issuer: TokenCheck | undefined,
  ) {}

  async principalOf(authorization: string | undefined): Promise<Principal | undefined> {
    if (authorization === undefined) return undefined;
    const token = bearerToken(authorization);
    if (isAccessToken(token)) return this.own.principalOf(token);
    if (this.issuer !== undefined && token.split('.').length === 3) return this.issuer.principalOf(token);
    throw new ServiceError('unauthorized', 'What the Authorization header holds is not a token.');
  }

  forget(tokenId: string): void {
    this.own.forget(tokenId);
  }
}

/** @throws ServiceError `unauthorized` for a header that holds no bearer token */
function bearerToken(authorization: string): string {
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization.slice(0, longestToken + 16))?.[1];
  if (token !== undefined && token.length <= longestToken) return token;
  throw new ServiceError('unauthorized', 'The Authorization header is not of the form "Bearer <token>".');
}
