import type { TokenRecord } from '@lab/contracts';

/** A token as it is kept: never itself, only its SHA-256 (hexadecimal). */
export type KeptToken = TokenRecord & { hash: string };

/** The tokens that are kept. Rejects with `store_unavailable` when the database does not answer. */
export abstract class TokenStore {
  abstract add(token: Omit<KeptToken, 'last_used_at' | 'revoked_at' | 'revoked_by'>): Promise<void>;
  abstract byHash(hash: string): Promise<KeptToken | undefined>;
  abstract byId(id: string): Promise<KeptToken | undefined>;
  /** Newest first; those of one name, or all. */
  abstract list(page: {
    name?: string;
    limit: number;
    after?: { created_at: string; id: string };
  }): Promise<KeptToken[]>;
  /** @returns false when it is revoked already, or not there */
  abstract revoke(id: string, by: string, at: string): Promise<boolean>;
  /** Of these ids those that are revoked. */
  abstract revokedOf(ids: readonly string[]): Promise<string[]>;
  /** @param lastUse ISO 8601 by id */
  abstract used(lastUse: ReadonlyMap<string, string>): Promise<void>;
}
