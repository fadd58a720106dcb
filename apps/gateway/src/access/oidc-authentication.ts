import { ServiceError, type Principal } from '@lab/contracts';
import { hashOfToken } from '@lab/persistence';
import { bodyWithin, type OidcSettings } from '@lab/runtime';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import type { Log } from '@lab/ports';
import type { TokenCheck } from './authentication.js';
import { principalOfClaims } from './issuer-claims.js';
import type { ProvenPersons } from './proven-persons.js';

/** Accepted signatures. All need a private key, so that nobody can sign with the public one. */
const algorithms = ['RS256', 'ES256', 'EdDSA'];

/** Accepted difference between the clocks of issuer and gateway, in seconds. */
const clockToleranceS = 5;

/** Maximum number of hashes of accepted tokens in memory. */
const mostAccepted = 10_000;

/** Longest time until the complete answer of the issuer, in milliseconds. */
const usualPatienceMs = 5_000;

/** Largest accepted answer of the issuer, in bytes. */
const largestDocument = 262_144;

/** Signed tokens (JWT) of an OpenID Connect issuer, checked with its keys. Addresses inside a token are never fetched. */
export class OidcAuthentication implements TokenCheck {
  #keys: Promise<JWTVerifyGetKey> | undefined;
  /** Hashes of tokens that were accepted. The one that came first leaves first. */
  readonly #accepted = new Set<string>();

  /**
   * @param persons learn what tokens prove
   * @param patienceMs longest time until the complete answer of the issuer
   */
  constructor(
    private readonly settings: OidcSettings,
    private readonly persons: Pick<ProvenPersons, 'hear'>,
    private readonly log: Log,
    private readonly patienceMs = usualPatienceMs,
  ) {}

  /**
   * @throws ServiceError `unauthorized` with what is wrong with the token; `service_unavailable` when the issuer does not
   *   answer
   */
  async principalOf(token: string, admit?: () => void): Promise<Principal> {
    const hash = hashOfToken(token);
    if (admit !== undefined && !this.#accepted.has(hash)) admit();
    const claims = await this.#verified(token);
    const principal = principalOfClaims(claims, this.settings);
    // A token without the time of its signature proves nothing about earlier times, so the present one counts.
    const now = Date.now();
    const { issuer, subject, grants } = principal;
    this.persons.hear(
      { issuer, subject },
      claims.iat === undefined ? now : Math.min(claims.iat * 1_000, now),
      grants,
    );
    this.#accept(hash);
    return principal;
  }

  #accept(hash: string): void {
    this.#accepted.add(hash);
    if (this.#accepted.size <= mostAccepted) return;
    const [first] = this.#accepted;
    if (first !== undefined) this.#accepted.delete(first);
  }

  async #verified(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, await this.#issuerKeys(), {
        algorithms,
        issuer: this.settings.issuer,
        audience: this.settings.audience,
        clockTolerance: clockToleranceS,
        requiredClaims: ['exp', 'sub'],
      });
      return payload;
    } catch (error) {
      throw this.#answerTo(error);
    }
  }

  /** Asks for the address of the keys once, and again after a failure. */
  #issuerKeys(): Promise<JWTVerifyGetKey> {
    if (this.#keys === undefined) {
      const asked = this.#discover();
      asked.catch(() => (this.#keys = undefined));
      this.#keys = asked;
    }
    return this.#keys;
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { issuer } = this.settings;
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await request(address, { signal: AbortSignal.timeout(this.patienceMs) });
    const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (document?.issuer !== issuer) throw new Error(`${address} is not of the issuer ${issuer}`);
    const keys = new URL(String(document.jwks_uri));
    if (keys.protocol !== new URL(issuer).protocol)
      throw new Error(`the keys of ${issuer} are at ${keys.href}, which cannot be trusted`);
    return createRemoteJWKSet(keys, { timeoutDuration: this.patienceMs, [customFetch]: request });
  }

  #answerTo(error: unknown): ServiceError {
    if (error instanceof errors.JWTExpired)
      return new ServiceError('unauthorized', 'The token has expired.', { cause: error });
    if (error instanceof errors.JWTClaimValidationFailed) {
      return new ServiceError(
        'unauthorized',
        `The claim "${error.claim}" of the token is not what it must be.`,
        {
          cause: error,
        },
      );
    }
    const away =
      !(error instanceof errors.JOSEError) ||
      error instanceof errors.JWKSTimeout ||
      error instanceof errors.JWKSInvalid ||
      error.code === errors.JOSEError.code;
    if (!away)
      return new ServiceError('unauthorized', 'The issuer did not sign this token.', {
        cause: error,
      });
    this.log.warn('the issuer of tokens does not answer as it should', {
      issuer: this.settings.issuer,
      error,
    });
    return new ServiceError(
      'service_unavailable',
      'The token cannot be checked now: its issuer does not answer as it should.',
      { cause: error },
    );
  }
}

/**
 * As `fetch`, but without redirects and for answers of bounded size. Returns the complete answer.
 *
 * @throws Error unless it is 200
 */
async function request(address: string, options: RequestInit): Promise<Response> {
  const response = await fetch(address, { ...options, redirect: 'error' });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${address} answered ${response.status}`);
  }
  return new Response(await bodyWithin(response, largestDocument));
}
