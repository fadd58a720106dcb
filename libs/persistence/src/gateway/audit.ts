import type { AuditEntry, AuditVerification } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { Database } from '../schema/index.js';

/** Number of entries that one query of a check reads. */
const pageOfCheck = 10_000;

/** The audit trail of the gateway. Rejects with ServiceError `store_unavailable` without the database. */
export class AuditTrail {
  constructor(private readonly db: Kysely<Database>) {}

  /** Adds entries in this order, all or none. Entries whose ids exist already are skipped. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    const rows = entries.map(({ at, ...entry }) => ({ ...entry, at: new Date(at).toISOString() }));
    await answered(
      sql`
        insert into audit (id, at, by, kind, action, subject, detail, request_id, ip)
        select id, at, by, kind, action, subject, detail, request_id, ip
        from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
          id text, at timestamptz, by text, kind text, action text, subject text, detail jsonb, request_id text, ip text
        )) with ordinality entry
        where not exists (select from audit present where present.id = entry.id)
        order by ordinality`.execute(this.db),
    );
  }

  /** Checks the chain from the oldest entry to the first broken one. */
  async check(): Promise<AuditVerification> {
    let entries = 0;
    let last = { seq: 0, hash: '' };
    for (;;) {
      const rows = await rowsOf(
        this.db,
        sql<{ seq: number; id: string; previous: string; hash: string; sound: boolean }>`
          select seq, id, previous, hash, hash = audit_hash(audit) as sound
          from audit where seq > ${last.seq} order by seq limit ${pageOfCheck}`,
      );
      for (const row of rows) {
        entries += 1;
        const reason =
          row.seq !== last.seq + 1
            ? `the entries ${last.seq + 1} to ${row.seq - 1} before it are missing`
            : row.previous !== last.hash
              ? 'it does not follow the entry before it'
              : row.sound
                ? null
                : 'it was changed';
        if (reason !== null)
          return { entries, broken: { seq: row.seq, id: row.id, reason }, head: last.hash };
        last = { seq: row.seq, hash: row.hash };
      }
      if (rows.length < pageOfCheck) break;
    }
    return { entries, broken: await this.#missingEnd(last), head: last.hash };
  }

  /** Checks whether entries are missing at the end of the chain. */
  async #missingEnd(last: { seq: number; hash: string }): Promise<AuditVerification['broken']> {
    const rows = await rowsOf(
      this.db,
      // Other writers may have added entries since the last page was read. The head is then further on, and
      // those entries exist.
      sql<{ seq: number; hash: string | null; added: boolean }>`
        select head.seq, head.hash, exists (select from audit where seq = head.seq and hash = head.hash) as added
        from audit_head head`,
    );
    const [head] = rows;
    if (head === undefined) return { seq: last.seq, id: null, reason: 'the head of the chain is missing' };
    if (head.seq === last.seq ? head.hash === last.hash : head.seq > last.seq && head.added) return null;
    return { seq: last.seq + 1, id: null, reason: 'the chain does not end with what was written last' };
  }
}
