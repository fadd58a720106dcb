import { ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { bodyWithin, isLoopback } from '@lab/runtime';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';

/** Accepted signatures. All need a private key, so that nobody can sign with the public one. */
const algorithms = ['RS256', 'ES256', 'EdDSA'];

/** Accepted difference between the clocks of issuer and gateway, in seconds. */
const clockToleranceS = 5;

/** Longest time until the complete answer of the issuer, in milliseconds. */
const usualPatienceMs = 5_000;

/** Largest accepted answer of the issuer, in bytes. */
const largestDocument = 262_144;

/** What a token must keep beside its signature, its issuer and its times. */
export type TokenRules = Required<Pick<JWTVerifyOptions, 'audience' | 'requiredClaims'>> &
  Pick<JWTVerifyOptions, 'maxTokenAge'>;

/**
 * The keys of an OpenID Connect issuer, which verify its signed tokens (JWT). Addresses inside a token are never fetched. The keys
 * are kept for ten minutes. A token with an unknown key lets them be read again at most every 30 s.
 */
export class IssuerKeys {
  #keys: Promise<JWTVerifyGetKey> | undefined;

  /** @param patienceMs longest time until the complete answer of the issuer */
  constructor(
    private readonly issuer: string,
    private readonly log: Pick<Log, 'warn'>,
    private readonly patienceMs = usualPatienceMs,
  ) {}

  /**
   * The claims of a token of the issuer.
   *
   * @throws ServiceError `unauthorized` with what is wrong with the token; `service_unavailable` when the issuer does not
   *   answer
   */
  async verified(token: string, rules: TokenRules): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, await this.#issuerKeys(), {
        ...{ algorithms, issuer: this.issuer, clockTolerance: clockToleranceS },
        ...rules,
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
    const { issuer } = this;
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await request(address, { signal: AbortSignal.timeout(this.patienceMs) });
    const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (document?.issuer !== issuer) throw new Error(`${address} is not of the issuer ${issuer}`);
    const keys = new URL(String(document.jwks_uri));
    const isTrusted =
      keys.protocol === new URL(issuer).protocol &&
      (keys.protocol === 'https:' || isLoopback(keys.hostname.replace(/^\[|\]$/g, '')));
    if (!isTrusted) throw new Error(`the keys of ${issuer} are at ${keys.href}, which cannot be trusted`);
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
      issuer: this.issuer,
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
