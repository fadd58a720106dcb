import type { JsonObject, WorkKind } from '@lab/contracts';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { rowsOf } from '../connection/index.js';
import type { Database } from '../schema/index.js';

/** Names one detail of a task, protocol run or campaign. */
export interface WorkDetailName {
  /** `<kind>/<id>`, as in events. */
  aggregate: string;
  /** A campaign has no output parameters. */
  field: 'meta' | 'output_parameters';
}

/** A detail of work. */
export interface WorkDetail extends WorkDetailName {
  /**
   * Output parameters are by name, those of a run by task and name; a task that has not completed has none. Null: the
   * value is too large.
   */
  value: JsonObject | null;
}

/**
 * Reads details of work in one query. Work that does not exist is left out.
 *
 * @param mostBytes size of a value at most, as the database writes it
 */
export async function readWorkDetails(
  db: Kysely<Database>,
  names: readonly WorkDetailName[],
  mostBytes: number,
): Promise<WorkDetail[]> {
  const part = (kind: WorkKind, field: WorkDetailName['field'], value: RawBuilder<unknown>) => {
    const ids = names
      .filter((each) => each.field === field && each.aggregate.startsWith(`${kind}/`))
      .map(({ aggregate }) => aggregate.slice(kind.length + 1));
    return sql`
      select ${`${kind}/`} || work.id as aggregate, ${field} as field,
        case when octet_length(detail.value::text) <= ${mostBytes} then detail.value end as value
      from ${sql.table(kind)} work cross join lateral (select ${value} as value) detail
      where work.id = any(${ids}::text[])`;
  };
  const meta = sql`work.meta`;
  return rowsOf(
    db,
    sql<WorkDetail>`${sql.join(
      [
        part('task_run', 'meta', meta),
        part('protocol_run', 'meta', meta),
        part('campaign', 'meta', meta),
        part('task_run', 'output_parameters', sql`coalesce(work.output_parameters, '{}')`),
        part('protocol_run', 'output_parameters', outputsOfRun(mostBytes)),
      ],
      sql` union all `,
    )}`,
  );
}

/**
 * The outputs of all tasks of a run. Null when their stored size shows that they are too large: then the database does not
 * read them. A stored value has fewer than eight bytes for each byte of its text.
 */
const outputsOfRun = (mostBytes: number): RawBuilder<unknown> => sql`
  case when (select coalesce(sum(pg_column_size(task.output_parameters)), 0) from task_run task
      where task.run_id = work.id) <= ${8 * mostBytes}
    then (select coalesce(jsonb_object_agg(task.name, task.output_parameters), '{}') from task_run task
      where task.run_id = work.id and task.output_parameters is not null) end`;
