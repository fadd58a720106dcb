import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectStore } from '@lab/object-store';
import { BackupSource } from '@lab/persistence/embedded';
import type { Log } from '@lab/ports';
import { listCopies, makeCopy, noteReach, removeCopy, removeUnfinished, type CopyNote } from './copies.js';
import { FilesInVault, noteFiles, RestInVault } from './data-files.js';
import type { Vault } from './vault.js';
import { GapError, removeLogBefore, storeLog, storedUpTo } from './wal-archive.js';

export interface BackupOptions {
  /** The folder of the backup. It exists, unless its disk is away. */
  place: string;
  openVault: () => Promise<Vault>;
  /** For whom it is encrypted: `age1...`. */
  recipient: string;
  /** The data folder of the service, and its files of tasks, unless a bucket has them. */
  dataDir: string;
  files: ObjectStore | undefined;
  /**
   * A file which says that the log of changes in the backup goes on from here. Who starts the database without a backup removes it:
   * the log is not complete then.
   */
  lineFile: string;
  /** Address of the database for its superuser. */
  databaseUrl: string;
  /** Milliseconds between whole copies, and for how long moments can be restored. */
  everyMs: number;
  keepMs: number;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Tells the service how far the backup is. A failure does not matter: it is told again. */
  report?: (state: Progress) => Promise<void>;
  /** Milliseconds between two looks. */
  lookEveryMs?: number;
}

/** How far the backup is. */
export interface Progress {
  /** Everything that was committed before is in the backup, in milliseconds since 1970; undefined: this process has not come up. */
  reachedAt: number | undefined;
  /** Why it waits; undefined: it does not. */
  trouble: string | undefined;
}

const ownerKey = 'owner.json';

const usualLookMs = 5_000;
/** Of the time, at most this share is spent on looking for new files, unless they were not looked for this long, in milliseconds. */
const shareOfFiles = 0.05;
const filesAtLatestMs = 55_000;
/** Milliseconds between two reports, unless the backup begins or ceases to wait. */
const reportMs = 60_000;
/** The pause after a failure. */
const failedMs = 10_000;

/**
 * Copies a running service until the signal, and once more then. Failures are logged, and tried again.
 *
 * @param signal ends it
 */
export async function runBackup(options: BackupOptions, signal: AbortSignal): Promise<void> {
  const reports = new Reports(options.report);
  const backup = new Backup(options, reports);
  let said = '';
  for (;;) {
    let pause = options.lookEveryMs ?? usualLookMs;
    const last = signal.aborted;
    try {
      await backup.turn(last);
      if (said !== '') options.log.info('the backup goes on');
      said = '';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== said) options.log.error('the backup waits', { error });
      said = message;
      await reports.tell({ reachedAt: undefined, trouble: message });
      pause = failedMs;
      await backup.disconnect();
    }
    if (last) break;
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
  await backup.disconnect();
}

/** Reports, but not more often than they are of use. */
class Reports {
  #told: { at: number; trouble: string | undefined } | undefined;

  constructor(private readonly report: BackupOptions['report']) {}

  async tell(state: Progress): Promise<void> {
    const now = performance.now();
    const isNew = this.#told === undefined || this.#told.trouble !== state.trouble;
    if (!isNew && now - (this.#told?.at ?? 0) < reportMs) return;
    this.#told = { at: now, trouble: state.trouble };
    await this.report?.(state).catch(() => (this.#told = undefined));
  }
}

/** What a turn works with; undefined while the backup or the database is away. */
interface Connection {
  vault: Vault;
  source: BackupSource;
  files: FilesInVault;
  rest: RestInVault;
}

class Backup {
  #connection: Connection | undefined;
  /** Everything before this position of the log is stored; undefined: a whole copy is needed first. */
  #stored: number | undefined;
  #latest: CopyNote | undefined;
  /** When files are looked for again, by the monotonic clock. */
  #filesDue = -Infinity;

  constructor(
    private readonly options: BackupOptions,
    private readonly reports: Reports,
  ) {}

  /** @param isLast whether no other one follows */
  async turn(isLast: boolean): Promise<void> {
    const connection = (this.#connection ??= await this.#connect());
    if (isLast) this.#filesDue = -Infinity;
    await this.#keepUp(connection);
    const { begunAt } = this.#latest ?? {};
    const isDue = begunAt === undefined || Date.now() - Date.parse(begunAt) >= this.options.everyMs;
    // A copy may take longer than a stop may.
    if (!isLast && (isDue || this.#stored === undefined)) await this.#copy(connection);
  }

  /** Stores the files and the log up to now. */
  async #keepUp(connection: Connection): Promise<void> {
    // A file is stored before the record that names it.
    if (performance.now() >= this.#filesDue) await this.#storeFiles(connection);
    if (this.#stored === undefined || this.#latest === undefined) return;
    const reachedAt = Date.now();
    try {
      this.#stored = await this.#follow(connection, this.#stored, this.#latest.line);
      await this.reports.tell({ reachedAt, trouble: undefined });
    } catch (error) {
      if (!(error instanceof GapError)) throw error;
      this.#stored = undefined;
      this.options.log.warn('the backup was away for too long; it begins with a whole copy', {
        message: error.message,
      });
    }
  }

  async disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.source.close().catch(() => undefined);
  }

  async #connect(): Promise<Connection> {
    const { openVault, recipient, dataDir, databaseUrl } = this.options;
    const source = await BackupSource.open(databaseUrl, join(dataDir, 'postgres'));
    try {
      const vault = await openVault();
      const line = await this.#lineIn(vault, source.system);
      await removeUnfinished(vault);
      await noteFiles(vault, this.options.files !== undefined);
      const copies = await listCopies(vault);
      this.#latest = copies.findLast((copy) => copy.line === line && copy.timeline === source.timeline);
      this.#stored =
        this.#latest === undefined ? undefined : await storedUpTo(vault, this.#latest.firstSegment);
      const files = new FilesInVault(vault, recipient);
      return { vault, source, files, rest: new RestInVault(vault, recipient, dataDir) };
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** @throws Error when the backup is that of another service, or has vanished */
  async #lineIn(vault: Vault, system: string): Promise<string | undefined> {
    const { lineFile, place } = this.options;
    const kept = JSON.parse(await readFile(lineFile, 'utf8').catch(() => '{}')) as Partial<KeptLine>;
    const owner = await vault.noted<{ system: string }>(ownerKey);
    if (owner === undefined && kept.place === place)
      throw new Error(
        `${place} is empty, although the backup was there; is its disk mounted? To begin a new one, remove ${lineFile}.`,
      );
    if (owner === undefined) await vault.note(ownerKey, { system });
    else if (owner.system !== system)
      throw new Error(`${place} has the backup of another service; choose another folder in backup.to.`);
    return kept.place === place ? kept.line : undefined;
  }

  async #storeFiles({ files, rest }: Connection): Promise<void> {
    const begun = performance.now();
    await rest.store(Date.now());
    if (this.options.files !== undefined) await files.store(this.options.files);
    const spent = performance.now() - begun;
    this.#filesDue = begun + Math.min(spent / shareOfFiles, filesAtLatestMs);
  }

  async #copy(connection: Connection): Promise<void> {
    const { vault, source } = connection;
    const { recipient, lineFile, place, log, keepMs } = this.options;
    const begun = performance.now();
    const made = await this.#while(makeCopy(vault, source, recipient, Date.now()), connection);
    const goesOn = this.#stored !== undefined;
    await storeLog(vault, source, recipient, this.#stored ?? made.logFrom, made.logTo);
    this.#stored = Math.max(this.#stored ?? 0, made.logTo);
    this.#latest = await made.complete(Date.now(), goesOn ? this.#latest?.line : undefined);
    const kept: KeptLine = { place, line: this.#latest.line };
    await writeFile(lineFile, JSON.stringify(kept), { mode: 0o600, flush: true });
    log.info('whole copy made', { seconds: Math.round((performance.now() - begun) / 100) / 10 });
    const oldest = await prune(vault, Date.now() - keepMs);
    if (oldest !== undefined) await connection.files.prune(Date.now(), oldest);
  }

  /** Waits for a copy, and keeps the earlier ones up to date meanwhile. */
  async #while<Made>(copying: Promise<Made>, connection: Connection): Promise<Made> {
    const { lookEveryMs = usualLookMs } = this.options;
    const ended = copying.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([ended, delay(lookEveryMs, false)]))) await this.#keepUp(connection);
    return copying;
  }

  /** Stores the log from a position on, up to now. @returns the position that is reached */
  async #follow({ vault, source }: Connection, from: number, line: string): Promise<number> {
    const now = Date.now();
    const flushed = await source.flushed();
    await storeLog(vault, source, this.options.recipient, from, flushed);
    await noteReach(vault, line, now);
    return flushed;
  }
}

/** The content of the file of {@link BackupOptions.lineFile}. */
interface KeptLine {
  place: string;
  line: string;
}

/**
 * Removes the copies and the log that no moment after `from` needs.
 *
 * @param from milliseconds since 1970
 * @returns the oldest moment that can be restored, in milliseconds since 1970; undefined: there is no copy
 */
async function prune(vault: Vault, from: number): Promise<number | undefined> {
  const copies = await listCopies(vault);
  const oldest = copies.findLastIndex(({ completedAt }) => Date.parse(completedAt) <= from);
  for (const copy of copies.slice(0, Math.max(0, oldest))) await removeCopy(vault, copy);
  const kept = copies[Math.max(0, oldest)];
  if (kept === undefined) return undefined;
  await removeLogBefore(vault, kept.firstSegment);
  return Date.parse(kept.completedAt);
}
