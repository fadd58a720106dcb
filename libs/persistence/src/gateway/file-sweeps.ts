import type { WorkKind } from '@lab/contracts';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { rowsOf } from '../connection/index.js';
import type { Database } from '../schema/index.js';

/** A deletion whose files are still there. */
export interface WaitingSweep {
  id: string;
  workId: string;
  kind: WorkKind;
}

/**
 * Minutes after the end of an attempt in which its computer may still upload a file: a ticket for an upload is valid for 15. A
 * completed attempt has uploaded all of its files. One that never ran had none.
 */
const uploadMinutes = 20;

/** What the gateway knows of deletions. Every method rejects with ServiceError `store_unavailable`. */
export class FileSweeps {
  constructor(private readonly db: Kysely<Database>) {}

  /** The running deletions whose files must be removed, oldest first, without those of work that may still get a file. */
  waiting(): Promise<WaitingSweep[]> {
    return rowsOf(
      this.db,
      sql<WaitingSweep>`
        select deletion.id, deletion.work_id as "workId", deletion.kind from deletion
        where deletion.state = 'running'
          and not exists (select from deletion_files known where known.deletion_id = deletion.id)
          and not exists (
            select from ${tasksOf(sql`deletion.work_id`, sql`deletion.kind`)}
              join attempt on attempt.task_run_id = task_run.id
            where attempt.state not in ('completed', 'never_ran')
              and attempt.ended_at > now() - make_interval(mins => ${uploadMinutes}))
        order by deletion.id`,
    );
  }

  /** Ids of task runs of the work that may have files, after an id, in order. */
  async taskRuns({ workId, kind }: WaitingSweep, after: string, limit: number): Promise<string[]> {
    const rows = await rowsOf(
      this.db,
      sql<{ id: string }>`
        select task_run.id from ${tasksOf(sql`${workId}`, sql`${kind}`)}
        where task_run.id > ${after} and task_run.attempt > 0 order by task_run.id limit ${limit}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Notes that the files of a deletion are removed. A repetition changes nothing. */
  async done({ id, workId, kind }: WaitingSweep, removed: { files: number; bytes: number }): Promise<void> {
    await rowsOf(
      this.db,
      sql`
        insert into deletion_files (deletion_id, task_runs, files, bytes)
        select ${id}, (
          select count(*) from ${tasksOf(sql`${workId}`, sql`${kind}`)}
          where exists (select from deletion where deletion.id = ${id} and deletion.what = 'everything')
        ), ${removed.files}, ${removed.bytes}
        on conflict (deletion_id) do nothing returning deletion_id`,
    );
  }
}

/** The task runs of a work, as the source `task_run`. */
function tasksOf(workId: RawBuilder<unknown>, kind: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select task.id, task.attempt from task_run task where ${kind} = 'task_run' and task.id = ${workId}
    union all
    select task.id, task.attempt from task_run task where ${kind} = 'protocol_run' and task.run_id = ${workId}
    union all
    select task.id, task.attempt from protocol_run run join task_run task on task.run_id = run.id
    where ${kind} = 'campaign' and run.campaign_id = ${workId}) task_run`;
}
