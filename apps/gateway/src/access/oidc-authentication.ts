import type { Principal } from '@lab/contracts';
import { hashOfToken } from '@lab/persistence';
import type { OidcSettings } from '@lab/runtime';
import type { Log } from '@lab/ports';
import type { TokenCheck } from './authentication.js';
import { principalOfClaims } from './issuer-claims.js';
import { IssuerKeys } from './issuer-keys.js';
import type { ProvenPersons } from './proven-persons.js';

/** Maximum number of hashes of accepted tokens in memory. */
const mostAccepted = 10_000;

/** Signed tokens (JWT) of an OpenID Connect issuer, checked with its keys. */
export class OidcAuthentication implements TokenCheck {
  readonly #keys: IssuerKeys;
  /** Hashes of tokens that were accepted. The one that came first leaves first. */
  readonly #accepted = new Set<string>();

  /**
   * @param persons learn what tokens prove
   * @param patienceMs longest time until the complete answer of the issuer
   */
  constructor(
    private readonly settings: OidcSettings,
    private readonly persons: Pick<ProvenPersons, 'hear'>,
    log: Log,
    patienceMs?: number,
  ) {
    this.#keys = new IssuerKeys(settings.issuer, log, patienceMs);
  }

  /**
   * @throws ServiceError `unauthorized` with what is wrong with the token; `service_unavailable` when the issuer does not
   *   answer
   */
  async principalOf(token: string, admit?: () => void): Promise<Principal> {
    const hash = hashOfToken(token);
    if (admit !== undefined && !this.#accepted.has(hash)) admit();
    const { audience } = this.settings;
    const claims = await this.#keys.verified(token, { audience, requiredClaims: ['exp', 'sub'] });
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
}
