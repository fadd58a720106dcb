import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ifThere } from './binaries.js';
import { positionOf, segmentName, type Segment } from './wal-segments.js';

/** A file or folder of a copy. */
export type CopiedFile =
  | { path: string; kind: 'folder' }
  /** `content` yields exactly `size` bytes. */
  | { path: string; kind: 'file'; size: number; content: AsyncIterable<Uint8Array> };

/** What a copy needs to be usable. */
export interface CopyEnds {
  timeline: number;
  /** Positions in the log of changes: a copy is usable with the log from `from` up to `to`, and any more. */
  from: number;
  to: number;
}

/** Folders whose content means nothing in a copy. */
const emptyFolders = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
/** Files of the running server alone, and of its output. */
const leftOut = /^(postmaster\.(pid|opts)|server\.log(\.1)?|pg_internal\.init|pgsql_tmp.*|.*\.unfinished)$/;

/**
 * A running server from which a backup is made, after the low-level interface of PostgreSQL ("Making a Base Backup Using the Low
 * Level API"). It was started with `backup: true`.
 */
export class BackupSource {
  private constructor(
    private readonly client: pg.Client,
    private readonly dataDir: string,
    /** A number that a recovery raises. The names of segments begin with it. */
    readonly timeline: number,
    /** Number of the cluster, which all its copies share. */
    readonly system: string,
  ) {}

  /**
   * @param url address for the superuser
   * @throws the error of the database
   */
  static async open(url: string, dataDir: string): Promise<BackupSource> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    // The next statement reports the loss of the connection.
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ timeline: number; system: string }>(
      'select timeline_id as timeline, (select system_identifier::text from pg_control_system()) as system from pg_control_checkpoint()',
    );
    const [row] = rows;
    if (row === undefined) throw new Error('PostgreSQL does not tell its timeline.');
    return new BackupSource(client, dataDir, row.timeline, row.system);
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  /** The position up to which the log of changes is on the disk. Later transactions are not acknowledged yet. */
  async flushed(): Promise<number> {
    const { rows } = await this.client.query<{ lsn: string }>(
      'select pg_current_wal_flush_lsn()::text as lsn',
    );
    return positionOf(rows[0]?.lsn ?? '');
  }

  /**
   * Reads flushed bytes of the log.
   *
   * @returns undefined when the server has removed them
   */
  async read({ name, from, to }: Segment): Promise<Buffer | undefined> {
    const file = await ifThere(open(join(this.dataDir, 'pg_wal', name), 'r'));
    if (file === undefined) return undefined;
    try {
      const bytes = Buffer.alloc(to - from);
      for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
        if (bytesRead === 0) return undefined;
        at += bytesRead;
      }
      // A server that needs no more of a segment gives its file another name and writes to it.
      const isSame =
        (await ifThere(stat(join(this.dataDir, 'pg_wal', name))))?.ino === (await file.stat()).ino;
      return isSame ? bytes : undefined;
    } finally {
      await file.close();
    }
  }

  /**
   * Hands over every file of the database, while the server runs. The last one is `backup_label`, without which a copy is not
   * usable.
   *
   * @param take gets one after the other; it reads the content to its end
   */
  async copy(take: (file: CopiedFile) => Promise<void>): Promise<CopyEnds> {
    const { rows } = await this.client.query<{ lsn: string }>(
      `select pg_backup_start('svc', fast => true)::text as lsn`,
    );
    const begin = positionOf(rows[0]?.lsn ?? '');
    try {
      await this.#copyFolder('', take);
    } catch (error) {
      // Else the server would take the session for one that still copies.
      await this.client.query('select pg_backup_stop(false)').catch(() => undefined);
      throw error;
    }
    const stopped = await this.client.query<{ lsn: string; label: string }>(
      'select lsn::text as lsn, labelfile as label from pg_backup_stop(false)',
    );
    const { lsn = '', label = '' } = stopped.rows[0] ?? {};
    const content = Buffer.from(label);
    await take({ path: 'backup_label', kind: 'file', size: content.length, content: once(content) });
    return { timeline: this.timeline, from: begin, to: positionOf(lsn) };
  }

  async #copyFolder(folder: string, take: (file: CopiedFile) => Promise<void>): Promise<void> {
    for (const entry of (await ifThere(readdir(join(this.dataDir, folder), { withFileTypes: true }))) ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (leftOut.test(entry.name) || path === 'backup_label') continue;
      if (entry.isDirectory()) {
        await take({ path, kind: 'folder' });
        if (emptyFolders.has(path)) continue;
        await this.#copyFolder(path, take);
      } else if (entry.isFile()) {
        const size = (await ifThere(stat(join(this.dataDir, path))))?.size;
        // The server has removed it since. The log of changes says so.
        if (size === undefined) continue;
        await take({ path, kind: 'file', size, content: exactly(join(this.dataDir, path), size) });
      }
    }
  }

  /** The segment in which a position lies. */
  segmentAt(position: number): string {
    return segmentName(this.timeline, position);
  }
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(content);
}

/** The first bytes of a file that may shrink or vanish meanwhile. The log of changes makes good what is missing. */
async function* exactly(path: string, size: number): AsyncIterable<Uint8Array> {
  let sent = 0;
  if (size > 0)
    try {
      for await (const chunk of createReadStream(path, { end: size - 1 })) {
        sent += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  for (; sent < size; sent += fill.length) yield fill.subarray(0, Math.min(fill.length, size - sent));
}

const fill = Buffer.alloc(65_536);
