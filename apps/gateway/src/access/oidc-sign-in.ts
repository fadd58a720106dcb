import { hkdfSync } from 'node:crypto';
import { ServiceError, type Principal } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { bodyWithin, type OidcSettings } from '@lab/runtime';
import { EncryptJWT, jwtDecrypt } from 'jose';
import type { Configuration } from 'openid-client';
import { principalOfClaims } from './issuer-claims.js';
import type { ProvenPersons } from './proven-persons.js';

/** Time that a person has to sign in at the issuer, in seconds. */
export const attemptS = 600;
/** Time after which the issuer is asked again where its parts are, in milliseconds. */
const discoveryMs = 3_600_000;
/** Longest time until the issuer answers, in seconds. */
const patienceS = 5;
/** Accepted difference between the clocks of issuer and gateway, in seconds. */
const clockToleranceS = 5;
/** Codes of errors of the library that the issuer is to blame for. */
const awayCodes = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);
/** Largest accepted answer of the issuer, in bytes. */
const largestAnswer = 262_144;

export interface SignInOptions {
  settings: OidcSettings & Required<Pick<OidcSettings, 'client'>>;
  /** Secret of the client; undefined: the client is public. */
  clientSecret: string | undefined;
  /** Where the issuer sends a person back to. */
  redirectUri: string;
  /** From which the key of attempts is derived. Gateways of one service share it. */
  secret: () => string;
  persons: Pick<ProvenPersons, 'hear' | 'refresh'>;
  log: Log;
}

/** An attempt to sign in that has begun. */
export interface Attempt {
  /** Address at the issuer, where the person signs in. */
  address: string;
  /** What the browser must show with the answer of the issuer. It is encrypted. */
  proof: string;
}

/**
 * Signs people in at an OpenID Connect issuer: authorization code flow (OpenID Connect Core 1.0, 3.1) with PKCE (RFC 7636), state
 * and nonce. What an attempt must match is in a cookie of the browser alone, so that an answer of the issuer counts only in
 * the browser that asked for it (RFC 9700, 4.7).
 */
export class OidcSignIn {
  #discovered: { at: number; configuration: Promise<Configuration> } | undefined;

  constructor(private readonly options: SignInOptions) {}

  /** What the page calls the issuer. */
  get name(): string {
    const { settings } = this.options;
    return settings.client.name ?? new URL(settings.issuer).hostname;
  }

  /** @throws ServiceError `service_unavailable` when the issuer does not answer as it should */
  async begin(): Promise<Attempt> {
    const oidc = await import('openid-client');
    const configuration = await this.#configuration();
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.options.redirectUri,
      scope: this.options.settings.client.scopes.join(' '),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state, nonce },
    });
    const proof = await new EncryptJWT({ verifier, state, nonce })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setIssuedAt()
      .setExpirationTime(`${attemptS} s`)
      .encrypt(this.#key());
    return { address: address.href, proof };
  }

  /**
   * Exchanges the answer of the issuer for who the person is.
   *
   * @param query of the request with which the browser came back, with its `?`
   * @param proof what {@link begin} gave the browser; undefined: the browser has none
   * @returns the person. The roles are those of the ID token.
   * @throws ServiceError `unauthorized` with what is wrong; `forbidden` for a person without a role; `service_unavailable`,
   *   `store_unavailable`
   */
  async complete(query: string, proof: string | undefined): Promise<Principal> {
    const attempt = await this.#attemptOf(proof);
    const oidc = await import('openid-client');
    const configuration = await this.#configuration();
    let claims;
    try {
      const answer = await oidc.authorizationCodeGrant(
        configuration,
        new URL(query, this.options.redirectUri),
        {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        },
      );
      claims = answer.claims();
    } catch (error) {
      throw this.#answerTo(error, oidc);
    }
    if (claims === undefined) throw new ServiceError('unauthorized', `${this.name} did not say who you are.`);
    const { settings, persons } = this.options;
    const person = principalOfClaims(claims, settings);
    if (person.grants.length === 0)
      throw new ServiceError(
        'forbidden',
        `${this.name} knows you as "${person.name}", and gives you no role here. Ask an administrator for one.`,
      );
    persons.hear(person, Math.min(claims.iat * 1_000, Date.now()), person.grants);
    // Another gateway may get the next request. It must find the proof.
    await persons.refresh([person]);
    return person;
  }

  async #attemptOf(proof: string | undefined): Promise<Record<'verifier' | 'state' | 'nonce', string>> {
    if (proof !== undefined) {
      try {
        const { payload } = await jwtDecrypt(proof, this.#key(), {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
        });
        const { verifier, state, nonce } = payload;
        if (typeof verifier === 'string' && typeof state === 'string' && typeof nonce === 'string')
          return { verifier, state, nonce };
      } catch {
        // It has ended, or is of another service. Both lead to the same answer.
      }
    }
    throw new ServiceError(
      'unauthorized',
      `This browser did not ask to sign in here in the last ${attemptS / 60} minutes. Sign in again at ${new URL(this.options.redirectUri).origin}.`,
    );
  }

  #key(): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.options.secret(), '', 'sign-in at an issuer', 32));
  }

  async #configuration(): Promise<Configuration> {
    const now = Date.now();
    if (this.#discovered === undefined || now - this.#discovered.at > discoveryMs) {
      const configuration = this.#discover();
      this.#discovered = { at: now, configuration };
      configuration.catch(() => (this.#discovered = undefined));
    }
    try {
      return await this.#discovered.configuration;
    } catch (error) {
      throw this.#away(error);
    }
  }

  async #discover(): Promise<Configuration> {
    const { settings, clientSecret } = this.options;
    const oidc = await import('openid-client');
    const issuer = new URL(settings.issuer);
    const configuration = await oidc.discovery(
      issuer,
      settings.client.id,
      { [oidc.clockTolerance]: clockToleranceS },
      clientSecret === undefined ? oidc.None() : oidc.ClientSecretPost(clientSecret),
      {
        timeout: patienceS,
        [oidc.customFetch]: bounded,
        // The settings allow plain HTTP on this computer alone.
        ...(issuer.protocol === 'http:' ? { execute: [oidc.allowInsecureRequests] } : {}),
      },
    );
    // The signature of the ID token is verified with the keys of the issuer, in addition to the TLS connection.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** What a failed exchange means for the person. Nothing that the issuer wrote is shown, because anybody may have written it. */
  #answerTo(error: unknown, oidc: typeof import('openid-client')): ServiceError {
    if (error instanceof oidc.AuthorizationResponseError)
      return new ServiceError(
        'unauthorized',
        error.error === 'access_denied'
          ? `You did not sign in: ${this.name} or you refused it.`
          : `${this.name} did not sign you in.`,
        { cause: error },
      );
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // `fetch` throws a TypeError when no answer comes.
    if (error instanceof TypeError || awayCodes.has(code)) return this.#away(error);
    this.options.log.warn('a sign-in at the issuer failed', { issuer: this.options.settings.issuer, error });
    return new ServiceError('unauthorized', `The answer of ${this.name} does not fit. Sign in again.`, {
      cause: error,
    });
  }

  #away(error: unknown): ServiceError {
    const { issuer } = this.options.settings;
    this.options.log.warn('the issuer does not answer as it should', { issuer, error });
    return new ServiceError(
      'service_unavailable',
      `${this.name} does not answer as it should. Try again later, or sign in with an access token.`,
      { cause: error },
    );
  }
}

/** As `fetch`, for answers of bounded size. */
async function bounded(address: string, options: object): Promise<Response> {
  const response = await fetch(address, options);
  const { status, headers } = response;
  return new Response(await bodyWithin(response, largestAnswer), { status, headers });
}
