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

/** The files that instruments wrote into folders. Rejects with ServiceError `store_unavailable` without the database. */
export class DeviceFiles {
  constructor(private readonly db: Kysely<Database>) {}

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
