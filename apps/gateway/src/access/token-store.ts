import type { TokenRecord } from '@lab/contracts';

/** The stored form of a token: its SHA-256 (hexadecimal) and never the token itself. */
export type KeptToken = TokenRecord & { hash: string };

/** Stored tokens. Every method rejects with `store_unavailable` when the database does not answer. */
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
  /** @returns false when the token is already revoked or does not exist */
  abstract revoke(id: string, by: string, at: string): Promise<boolean>;
  /** Those of the ids whose tokens are revoked. */
  abstract revokedOf(ids: readonly string[]): Promise<string[]>;
  /** @param lastUse ISO 8601 by id */
  abstract used(lastUse: ReadonlyMap<string, string>): Promise<void>;
}
