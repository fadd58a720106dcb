import type { RefusalRecord } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import { asStorable, type Database } from '../schema/index.js';

/** The log of refused requests. Rejects with ServiceError `store_unavailable` without the database. */
export class Refusals {
  constructor(private readonly db: Kysely<Database>) {}

  /** Adds records, each once. */
  async add(refusals: readonly RefusalRecord[]): Promise<void> {
    if (refusals.length === 0) return;
    const rows = refusals.map((row) => ({ ...row, principal: asStorable(row.principal) }));
    await answered(
      sql`
        insert into security_refusal (id, kind, principal, address, count, first_at, last_at, action, request_id)
        select id, kind, principal, address, count, first_at, last_at, action, request_id
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as refusal (id text, kind text, principal text,
          address text, count integer, first_at timestamptz, last_at timestamptz, action text, request_id text)
        on conflict (id) do nothing`.execute(this.db),
    );
  }

  /** Removes old records, and the oldest beyond a number. @returns how many */
  async prune(keptDays: number, most: number): Promise<number> {
    const rows = await rowsOf(
      this.db,
      sql<{ removed: number }>`
        select refusals_prune(make_interval(days => ${keptDays}), ${most}::bigint) as removed`,
    );
    return rows[0]?.removed ?? 0;
  }
}
