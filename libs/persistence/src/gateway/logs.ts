import type { LogLine, WrittenLine } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.js';
import { answered } from '../database-errors.js';
import { asStorable } from '../unstorable-text.js';

/** A line as it is stored. */
export interface LogLineRow extends LogLine {
  stored_at: string;
  stream: string;
  seq: number;
}

/** Lines that are removed at once: a batch that comes meanwhile waits for no longer than that. */
const atOnce = 5_000;

/** Lines that tasks and devices wrote. Rejects with ServiceError `store_unavailable` when the database does not answer. */
export class LogLines {
  constructor(private readonly db: Kysely<Database>) {}

  /**
   * Stores lines of one agent process; those that are there already are left alone. Characters that cannot be stored are
   * replaced.
   *
   * @param stream names that process for ever
   */
  async append(computer: string, stream: string, lines: readonly WrittenLine[]): Promise<void> {
    const rows = lines.map((line) =>
      Object.fromEntries(
        Object.entries(line).map(([field, value]) => [
          field,
          typeof value === 'string' ? asStorable(value) : value,
        ]),
      ),
    );
    await answered(
      sql`select log_append(${asStorable(computer)}, ${asStorable(stream)}, ${JSON.stringify(rows)}::jsonb)`.execute(
        this.db,
      ),
    );
  }

  /**
   * Removes lines that were stored before a moment, and the oldest of those that are too many.
   *
   * @param before milliseconds since 1970
   * @param most lines that are kept at most, from 1
   * @returns how many were removed
   */
  async prune(before: number, most: number): Promise<number> {
    let all = 0;
    for (;;) {
      const { rows } = await answered(
        sql<{ removed: number }>`
          with oldest as (select id, stored_at from log_line order by id limit ${atOnce}),
          gone as (
            delete from log_line using oldest
            where log_line.id = oldest.id
              and (oldest.stored_at < ${new Date(before).toISOString()}::timestamptz
                or oldest.id <= (select max(id) from log_line) - ${most}::bigint)
            returning log_line.id)
          select count(*) as removed from gone`.execute(this.db),
      );
      const removed = rows[0]?.removed ?? 0;
      all += removed;
      if (removed < atOnce) return all;
    }
  }
}
