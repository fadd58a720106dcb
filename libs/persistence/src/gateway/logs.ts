import {
  storedLists as shapes,
  type ListFilter,
  type ListRequest,
  type LogLine,
  type WrittenLine,
} from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import { conditionOf, logColumns, storedLists } from '../records/index.js';
import { asStorable, type Database } from '../schema/index.js';

/** Number of lines that one statement removes. A batch of new lines waits no longer than for one such statement. */
const atOnce = 5_000;

/** Log lines of tasks and devices. Rejects with ServiceError `store_unavailable` without the database. */
export class LogLines {
  constructor(private readonly db: Kysely<Database>) {}

  /** Id of the latest line (0 before the first), and the id up to which lines may have been removed. */
  async extent(): Promise<{ latest: number; pruned: number }> {
    const rows = await rowsOf(
      this.db,
      sql<{ latest: number; pruned: number }>`
        select greatest((select max(id) from log_line), pruned_through) as latest, pruned_through as pruned
        from log_horizon`,
    );
    return rows[0] ?? { latest: 0, pruned: 0 };
  }

  /**
   * The first lines after an id, as they were stored. A reader that continues after the last line misses none.
   *
   * @param id 0: from the oldest line
   * @param limit number of lines at most, from 1
   */
  async after(
    id: number,
    limit: number,
    filters: ListRequest['filters'] = {},
  ): Promise<{ pruned: number; lines: LogLine[] }> {
    const declared: Readonly<Record<string, ListFilter>> = shapes.logs.filters;
    const conditions = Object.entries(filters).flatMap(([name, value]) => {
      const filter = declared[name];
      return filter === undefined ? [] : [conditionOf(storedLists.logs, name, filter, value)];
    });
    const rows = await rowsOf(
      this.db,
      sql<{ pruned: number } & (LogLine | { id: null })>`
        select horizon.pruned_through as pruned, line.* from log_horizon horizon
        left join lateral (
          select ${logColumns} from log_line
          where ${sql.join([sql`log_line.id > ${id}`, ...conditions], sql` and `)}
          order by log_line.id limit ${limit}) line on true
        order by line.id`,
    );
    return {
      pruned: rows[0]?.pruned ?? 0,
      lines: rows.flatMap(({ pruned: _, ...line }) => (line.id === null ? [] : [line])),
    };
  }

  /**
   * Stores new lines of one agent process and replaces characters that PostgreSQL cannot store.
   *
   * @param stream id of the process, unique for ever
   * @param offsetMs milliseconds by which the clock of the computer is ahead of that of this process; the times of the
   *   lines are corrected by it
   */
  async append(computer: string, stream: string, lines: readonly WrittenLine[], offsetMs = 0): Promise<void> {
    const rows = lines.map((line) =>
      Object.fromEntries(
        Object.entries({ ...line, at: Math.round(line.at - offsetMs) }).map(([field, value]) => [
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
   * Removes lines that were stored before a moment, and the oldest ones beyond a number.
   *
   * @param before milliseconds since 1970
   * @param most number of lines to keep, from 1
   * @returns how many were removed
   */
  async prune(before: number, most: number): Promise<number> {
    let all = 0;
    for (;;) {
      const rows = await rowsOf(
        this.db,
        sql<{ removed: number }>`
          with oldest as (select id, stored_at from log_line order by id limit ${atOnce}),
          gone as (
            delete from log_line using oldest
            where log_line.id = oldest.id
              and (oldest.stored_at < ${new Date(before).toISOString()}::timestamptz
                or oldest.id <= (select max(id) from log_line) - ${most}::bigint)
            returning log_line.id),
          noted as (
            update log_horizon set pruned_through = greatest(pruned_through, (select max(id) from gone))
            where exists (select from gone))
          select count(*) as removed from gone`,
      );
      const removed = rows[0]?.removed ?? 0;
      all += removed;
      if (removed < atOnce) return all;
    }
  }
}
