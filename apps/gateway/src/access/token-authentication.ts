import { isServiceError, ServiceError, type Principal } from '@lab/contracts';
import { hashOfToken, type IssuerPerson } from '@lab/persistence';
import type { Log } from '@lab/ports';
import type { Authentication, TokenCheck } from './authentication.js';
import type { TokenStore } from '../ports/index.js';
import type { ProvenPersons } from './proven-persons.js';
import { hasRole } from './roles.js';

interface Known {
  id: string;
  principal: Principal;
  /** The owner, if an issuer knows them. */
  person: IssuerPerson | undefined;
  /** Milliseconds since 1970; Infinity: never. */
  expiresAt: number;
  /** When it was made, in milliseconds since 1970. */
  madeAt: number;
  /** Time of its latest use, in milliseconds since 1970. */
  usedAt: number;
  /** Time of the latest use that the database has. */
  notedAt: number;
  /** Time without a use after which the token ends, in milliseconds; Infinity: it does not. */
  idleMs: number;
}

/** Interval between two checks for tokens that other gateways revoked, in milliseconds. */
const confirmMs = 5_000;
/** Interval between two writes of the times of use, in milliseconds. */
const noteMs = 60_000;
/** Time after which an unused token leaves the memory, in milliseconds. Its next use looks it up again. */
const forgetMs = 3_600_000;
/** Maximum number of tokens in memory. The token that was unused for longest leaves first. */
const capacity = 10_000;

/**
 * Tokens of this service. A token stays in memory after its first look-up, so that requests cost no query and an
 * emergency stop needs no database. Every few seconds the gateway checks all tokens in memory with one query and drops
 * the revoked ones. While the database is unavailable, nobody can revoke a token either.
 */
export class TokenAuthentication implements TokenCheck, Pick<Authentication, 'forget'> {
  readonly #known = new Map<string, Known>();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param persons people of the issuer
   * @param proofMs longest time since the issuer has signed a token of a person, in milliseconds, for which other tokens of
   *   the person work
   * @param sessionIdleMs time without a request after which a session ends, in milliseconds
   * @param now the time in milliseconds since 1970
   */
  constructor(
    private readonly tokens: Pick<TokenStore, 'byHash' | 'revokedOf' | 'used'>,
    private readonly persons: ProvenPersons,
    private readonly proofMs: number,
    private readonly log: Log,
    private readonly sessionIdleMs = Infinity,
    private readonly now: () => number = Date.now,
  ) {
    this.#timer = setInterval(() => void this.refresh(), confirmMs);
    this.#timer.unref();
  }

  /** @throws ServiceError `unauthorized`, `store_unavailable`; what `admit` throws */
  async principalOf(token: string, admit?: () => void): Promise<Principal> {
    // The look-up is by hash, so that its duration reveals nothing about existing tokens.
    const hash = hashOfToken(token);
    let known = this.#known.get(hash);
    // Another gateway may have served the session meanwhile, so that the database decides.
    if (known !== undefined && this.#isIdle(known)) known = undefined;
    if (known === undefined) {
      admit?.();
      known = await this.#lookUp(hash);
    }
    if (known === undefined) throw refused();
    const now = this.now();
    if (now >= known.expiresAt) {
      this.#known.delete(hash);
      throw new ServiceError('unauthorized', 'The token has expired.');
    }
    if (this.#isIdle(known)) {
      this.#known.delete(hash);
      throw new ServiceError('unauthorized', 'The session has ended, because nobody used it.');
    }
    const principal = known.person === undefined ? known.principal : this.#asProven(known, known.person, now);
    known.usedAt = now;
    return principal;
  }

  #isIdle({ idleMs, madeAt, usedAt, notedAt }: Known): boolean {
    return this.now() - Math.max(madeAt, usedAt, notedAt) >= idleMs;
  }

  /**
   * The owner with at most the roles that the issuer gives them.
   *
   * @throws ServiceError `unauthorized` when the issuer has signed no token of the person for too long
   */
  #asProven({ principal }: Known, person: IssuerPerson, now: number): Principal {
    const proof = this.persons.proofOf(person);
    if (proof === undefined || now - proof.at >= this.proofMs)
      throw new ServiceError(
        'unauthorized',
        `The token rests: ${person.issuer} has not confirmed its owner for ${this.proofMs / 3_600_000} hours. ` +
          'Send one request with a new token of the issuer, then it works again.',
      );
    const most: Principal = { ...principal, grants: [...proof.grants] };
    return { ...principal, grants: principal.grants.filter(({ role, lab }) => hasRole(most, role, lab)) };
  }

  /** Refuses a token from now on, because this gateway revoked it. */
  forget(id: string): void {
    for (const [hash, known] of this.#known) if (known.id === id) this.#known.delete(hash);
  }

  /** Drops revoked and unused tokens, and stores the times of use. Never rejects. */
  async refresh(): Promise<void> {
    const now = this.now();
    try {
      for (const id of await this.tokens.revokedOf([...this.#known.values()].map(({ id }) => id)))
        this.forget(id);
      const used = [...this.#known.values()].filter(
        ({ usedAt, notedAt }) => usedAt > notedAt && now - notedAt >= noteMs,
      );
      await this.tokens.used(new Map(used.map(({ id, usedAt }) => [id, new Date(usedAt).toISOString()])));
      for (const each of used) each.notedAt = now;
      await this.persons.refresh([...this.#known.values()].flatMap(({ person }) => person ?? []));
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'store_unavailable')
        this.log.error('tokens could not be looked up', { error });
    }
    for (const [hash, { usedAt }] of this.#known) if (now - usedAt >= forgetMs) this.#known.delete(hash);
  }

  /** Stores the times of use and stops the checks. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const known of this.#known.values()) if (known.usedAt > known.notedAt) known.notedAt = 0;
    await this.refresh();
  }

  async #lookUp(hash: string): Promise<Known | undefined> {
    const row = await this.tokens.byHash(hash);
    if (row === undefined || row.revoked_at !== null) return undefined;
    const { issuer, subject } = row;
    const person = issuer === null || subject === null ? undefined : { issuer, subject };
    if (person !== undefined) await this.persons.lookUp(person);
    const known: Known = {
      id: row.id,
      principal: {
        ...{ name: row.name, kind: 'token', grants: row.grants, ...person },
        ...(row.pipeline === null ? {} : { pipeline: row.pipeline }),
      },
      person,
      expiresAt: row.expires_at === null ? Infinity : Date.parse(row.expires_at),
      madeAt: Date.parse(row.created_at),
      usedAt: 0,
      notedAt: row.last_used_at === null ? 0 : Date.parse(row.last_used_at),
      idleMs: row.kind === 'session' ? this.sessionIdleMs : Infinity,
    };
    if (this.#known.size >= capacity) this.#forgetOldest();
    this.#known.set(hash, known);
    return known;
  }

  #forgetOldest(): void {
    let oldest: [string, number] | undefined;
    for (const [hash, { usedAt }] of this.#known)
      if (oldest === undefined || usedAt < oldest[1]) oldest = [hash, usedAt];
    if (oldest !== undefined) this.#known.delete(oldest[0]);
  }
}

function refused(): ServiceError {
  return new ServiceError('unauthorized', 'The token is unknown or was revoked.');
}
