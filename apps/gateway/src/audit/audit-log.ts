import type { AuditVerification } from '@lab/contracts';
import type { AuditEntry } from '@lab/persistence';

export type { AuditEntry };

/** The stored audit. Every method rejects with `store_unavailable` when the database does not answer. */
export abstract class AuditLog {
  /** Adds entries in this order, all or none. An entry whose id already exists is ignored. */
  abstract append(entries: readonly AuditEntry[]): Promise<void>;
  /** Checks the whole chain, up to the first broken entry. */
  abstract check(): Promise<AuditVerification>;
}
