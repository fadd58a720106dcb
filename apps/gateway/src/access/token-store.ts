import type { AuditVerification, TokenRecord } from '@lab/contracts';
import type { AuditEntry } from '@lab/persistence';

export type { AuditEntry };

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

/** Where acts are kept. Rejects with `store_unavailable` when the database does not answer. */
export abstract class AuditLog {
  /** Adds entries in this order, all or none; one that is there already, by its id, is left alone. */
  abstract append(entries: readonly AuditEntry[]): Promise<void>;
  /** Goes through the whole chain, up to the first entry that is broken. */
  abstract check(): Promise<AuditVerification>;
}
