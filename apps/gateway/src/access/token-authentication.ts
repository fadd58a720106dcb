import { isServiceError, ServiceError, type Principal } from '@lab/contracts';
import { hashOfToken } from '@lab/persistence';
import type { Log } from '@lab/ports';
import type { Authentication, TokenCheck } from './authentication.js';
import type { TokenStore } from './token-store.js';

interface Known {
  id: string;
  principal: Principal;
  /** Milliseconds since 1970; Infinity: never. */
  expiresAt: number;
  /** When it was shown last, in milliseconds since 1970. */
  usedAt: number;
  /** Up to when the database knows it to be used. */
  notedAt: number;
}

/** Between two looks at what was revoked elsewhere, in milliseconds. */
const confirmMs = 5_000;
/** Uses are written down this seldom, in milliseconds. */
const noteMs = 60_000;
/** A token that nobody shows for so long is forgotten, and looked up when it comes again, in milliseconds. */
const forgetMs = 3_600_000;
/** Tokens known at most; the one that was not shown for the longest is forgotten first. */
const capacity = 10_000;

/**
 * Tokens of this service. One that was looked up is known from then on, so that requests cost no query and an emergency
 * stop needs no database; every few seconds all that are known are looked up together, and the revoked ones forgotten.
 * While the database is away nobody can revoke one either.
 */
export class TokenAuthentication implements TokenCheck, Pick<Authentication, 'forget'> {
  readonly #known = new Map<string, Known>();
  readonly #timer: NodeJS.Timeout;

  /** @param now the time in milliseconds since 1970 */
  constructor(
    private readonly tokens: Pick<TokenStore, 'byHash' | 'revokedOf' | 'used'>,
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {
    this.#timer = setInterval(() => void this.refresh(), confirmMs);
    this.#timer.unref();
  }

  /** @throws ServiceError `unauthorized`, `store_unavailable` */
  async principalOf(token: string): Promise<Principal> {
    // It is looked for by its hash: how long that takes tells nothing of the tokens that there are.
    const hash = hashOfToken(token);
    const known = this.#known.get(hash) ?? (await this.#lookUp(hash));
    if (known === undefined) throw refused();
    const now = this.now();
    if (now >= known.expiresAt) {
      this.#known.delete(hash);
      throw new ServiceError('unauthorized', 'The token has expired.');
    }
    known.usedAt = now;
    return known.principal;
  }

  /** A token was revoked here: it counts no more, from this moment on. */
  forget(id: string): void {
    for (const [hash, known] of this.#known) if (known.id === id) this.#known.delete(hash);
  }

  /** Forgets what was revoked and what nobody shows any more, and writes down what was used. Never rejects. */
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
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'store_unavailable')
        this.log.error('tokens could not be looked up', { error });
    }
    for (const [hash, { usedAt }] of this.#known) if (now - usedAt >= forgetMs) this.#known.delete(hash);
  }

  /** Writes down what was used, and ends looking. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const known of this.#known.values()) if (known.usedAt > known.notedAt) known.notedAt = 0;
    await this.refresh();
  }

  async #lookUp(hash: string): Promise<Known | undefined> {
    const row = await this.tokens.byHash(hash);
    if (row === undefined || row.revoked_at !== null) return undefined;
    const known: Known = {
      id: row.id,
      principal: { name: row.name, kind: 'token', grants: row.grants },
      expiresAt: row.expires_at === null ? Infinity : Date.parse(row.expires_at),
      usedAt: 0,
      notedAt: row.last_used_at === null ? 0 : Date.parse(row.last_used_at),
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
  return new ServiceError('unauthorized', 'The token is not known here, or was revoked.');
}
