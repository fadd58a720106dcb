import type { DeviceFile } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import { asStorable, asStorableJson, isStorable, type Database } from '../schema/index.js';

/** A file of a device, as its bytes are found in the store. */
export interface StoredDeviceFile {
  id: string;
  /** Bytes. */
  size: number;
}

/** A file of a device that belongs to an attempt. */
export interface FoundFile extends StoredDeviceFile {
  name: string;
  path: string;
  sha256: string;
  /** Rises in the order in which files were stored. */
  place: number;
}

/** A person who attaches a file, and the task. */
export interface Attachment {
  taskRunId: string;
  by: string;
  reason: string;
}

/** What stands in the way of the deletion of a file: it does not exist, a task has it, it has a deletion, or a legal hold. */
export type DeletionObstacle = 'missing' | 'attached' | 'planned' | 'held';

/** The files that instruments wrote into folders. Rejects with ServiceError `store_unavailable` without the database. */
export class DeviceFiles {
  /** @param undoHours hours from the request to delete a file to the beginning of its deletion */
  constructor(
    private readonly db: Kysely<Database>,
    private readonly undoHours: number,
  ) {}

  async has(id: string): Promise<boolean> {
    return (await rowsOf(this.db, sql`select from device_file where id = ${id}`)).length > 0;
  }

  /**
   * Stores the record of a file of one computer once, by its id, finds its attempt, and tells of it by an event.
   *
   * @param offsetMs milliseconds by which the clock of the computer is ahead of that of this process
   */
  async store(computer: string, offsetMs: number, file: DeviceFile): Promise<void> {
    const row = JSON.stringify(asStorableJson(file as object as Row));
    await answered(
      sql`select device_file_store(${asStorable(computer)}, ${offsetMs}, ${row}::jsonb)`.execute(this.db),
    );
  }

  /** Whether the attempt is one of the computer. */
  async isAttemptOf(computer: string, attemptId: string): Promise<boolean> {
    if (!isStorable(attemptId)) return false;
    const found = sql`select from attempt where id = ${attemptId} and computer = ${asStorable(computer)}`;
    return (await rowsOf(this.db, found)).length > 0;
  }

  /** The files of a device that belong to an attempt and were stored after a place, in this order. */
  ofAttempt(
    attemptId: string,
    { lab, name }: { lab: string; name: string },
    after: number,
    limit: number,
  ): Promise<FoundFile[]> {
    return rowsOf(
      this.db,
      sql<FoundFile>`
        select id, name, path, size, sha256, place from device_file
        where attempt_id = ${attemptId} and lab = ${asStorable(lab)} and device = ${asStorable(name)} and place > ${after}
        order by place limit ${limit}`,
    );
  }

  /** @returns false: the device has no such file, or the task never began */
  async attach(
    id: string,
    { lab, name }: { lab: string; name: string },
    { taskRunId, by, reason }: Attachment,
  ): Promise<boolean> {
    const [row] = await rowsOf(
      this.db,
      sql<{ done: boolean }>`
        select device_file_attach(${id}, ${lab}, ${name}, ${taskRunId}, ${by}, ${reason}) as done`,
    );
    return row?.done === true;
  }

  /**
   * Plans the deletion of a loose file.
   *
   * @returns what stands in its way; undefined: nothing
   */
  async delete(
    id: string,
    { by, reason }: { by: string; reason: string },
  ): Promise<DeletionObstacle | undefined> {
    const [row] = await rowsOf(
      this.db,
      sql<{ obstacle: DeletionObstacle | null }>`
        select device_file_delete(${id}, ${by}, ${reason}, make_interval(hours => ${this.undoHours})) as obstacle`,
    );
    return row?.obstacle ?? undefined;
  }

  /** Takes the deletion of a file back. @returns false: it has none, or it has begun */
  async keep(id: string): Promise<boolean> {
    const [row] = await rowsOf(this.db, sql<{ done: boolean }>`select device_file_keep(${id}) as done`);
    return row?.done === true;
  }

  /**
   * Plans the deletion of a portion of the loose files that were stored more than some days ago, except those that somebody kept
   * and those of a held laboratory.
   *
   * @returns how many
   */
  async deleteOld(days: number, limit: number): Promise<number> {
    const [row] = await rowsOf(
      this.db,
      sql<{ planned: number }>`
        select device_files_delete_old(${days}, make_interval(hours => ${this.undoHours}), ${limit}) as planned`,
    );
    return row?.planned ?? 0;
  }

  /** Begins the deletions that are due. @returns a portion of the files whose bytes must be removed, those of earlier calls included */
  beginDeletions(limit: number): Promise<StoredDeviceFile[]> {
    return rowsOf(this.db, sql<StoredDeviceFile>`select id, size from device_files_begin_deletion(${limit})`);
  }

  /** Removes the record of a loose file whose bytes are removed. */
  async removed(id: string): Promise<void> {
    await answered(sql`select device_file_removed(${id})`.execute(this.db));
  }

  /** The files that belong to these task runs. */
  ofTaskRuns(ids: readonly string[]): Promise<StoredDeviceFile[]> {
    return rowsOf(
      this.db,
      sql<StoredDeviceFile>`select id, size from device_file where task_run_id = any(${ids}::text[])`,
    );
  }

  /** Removes the record of a file whose bytes are removed, if the deletion of its work runs. */
  async remove(id: string): Promise<void> {
    await answered(sql`select device_file_remove(${id})`.execute(this.db));
  }
}

type Row = Parameters<typeof asStorableJson>[0];
