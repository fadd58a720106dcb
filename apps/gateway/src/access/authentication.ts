import { ServiceError, type Principal } from '@lab/contracts';
import { isAccessToken, isSessionToken } from './access-token.js';

/** Finds out who makes a request. */
export abstract class Authentication {
  /**
   * @param authorization the header of that name; undefined: there is none
   * @param admit called before a token is looked at that this gateway does not know; what it throws is the answer
   * @returns undefined for a caller without a token
   * @throws ServiceError `unauthorized` for an invalid, expired or revoked token, `service_unavailable` or
   *   `store_unavailable` when the token cannot be checked now
   */
  abstract principalOf(authorization: string | undefined, admit?: () => void): Promise<Principal | undefined>;

  /**
   * @param token of a session, from its cookie
   * @param admit as above
   * @returns undefined when nobody needs a session
   * @throws ServiceError as {@link principalOf}
   */
  abstract principalOfSession(token: string, admit?: () => void): Promise<Principal | undefined>;

  /** Longest life of the tokens of people of an issuer, in days. */
  abstract readonly issuerTokenDays: number;

  /** Refuses a token from now on, because this gateway revoked it. */
  abstract forget(tokenId: string): void;
}

/** Authentication is off: everybody who reaches the server may do everything. Tokens are ignored. */
export class OpenToAll implements Authentication {
  readonly issuerTokenDays = 0;
  readonly #everybody: Principal = { name: 'local', kind: 'local', grants: [{ role: 'admin' }] };

  principalOf(): Promise<Principal> {
    return Promise.resolve(this.#everybody);
  }

  principalOfSession(): Promise<Principal> {
    return this.principalOf();
  }

  forget(): void {
    // Tokens are ignored.
  }
}

/** Tells who shows a token. */
export interface TokenCheck {
  /** @throws ServiceError as {@link Authentication.principalOf} does */
  principalOf(token: string, admit?: () => void): Promise<Principal>;
}

/** Longest token that is looked at, in characters. */
const longestToken = 8_192;

/** Tokens of this service and, if there is an issuer, signed ones of that. */
export class BearerAuthentication implements Authentication {
  /** @param issuer undefined: none is trusted */
  constructor(
    private readonly own: TokenCheck & Pick<Authentication, 'forget'>,
    private readonly issuer: TokenCheck | undefined,
    readonly issuerTokenDays = 0,
  ) {}

  async principalOf(authorization: string | undefined, admit?: () => void): Promise<Principal | undefined> {
    if (authorization === undefined) return undefined;
    const token = bearerToken(authorization);
    if (token !== undefined && isAccessToken(token)) return this.own.principalOf(token, admit);
    if (this.issuer !== undefined && token?.split('.').length === 3)
      return this.issuer.principalOf(token, admit);
    admit?.();
    if (token === undefined)
      throw new ServiceError('unauthorized', 'The Authorization header is not of the form "Bearer <token>".');
    throw new ServiceError('unauthorized', 'The Authorization header does not contain a token.');
  }

  async principalOfSession(token: string, admit?: () => void): Promise<Principal> {
    if (isSessionToken(token)) return this.own.principalOf(token, admit);
    admit?.();
    throw new ServiceError('unauthorized', 'The cookie does not contain a session.');
  }

  forget(tokenId: string): void {
    this.own.forget(tokenId);
  }
}

/** @returns the token in a header `Authorization`; undefined: it holds no bearer token */
export function bearerToken(authorization: string): string | undefined {
  const token = /^bearer +([\w.~+/-]+=*) *$/i.exec(authorization.slice(0, longestToken + 16))?.[1];
  return token !== undefined && token.length <= longestToken ? token : undefined;
}
