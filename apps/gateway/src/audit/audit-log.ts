import type { AuditVerification } from '@lab/contracts';
import type { AuditEntry } from '@lab/persistence';

export type { AuditEntry };

/** Where acts are kept. Rejects with `store_unavailable` when the database does not answer. */
export abstract class AuditLog {
  /** Adds entries in this order, all or none; one that is there already, by its id, is left alone. */
  abstract append(entries: readonly AuditEntry[]): Promise<void>;
  /** Goes through the whole chain, up to the first entry that is broken. */
  abstract check(): Promise<AuditVerification>;
}
