import { createHash } from 'node:crypto';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isServiceError } from '@lab/contracts';
import { pack } from 'tar-stream';
import type { ObjectStore } from '@lab/object-store';
import { unpack } from './copies.js';
import type { Vault } from './vault.js';

const filesPrefix = 'files/';

const filesNote = 'files.json';

/** Notes whether the files of tasks are in this backup. Those of a bucket are not. */
export async function noteFiles(vault: Vault, areHere: boolean): Promise<void> {
  await vault.note(filesNote, { areHere });
}

/** Whether the files of tasks belong to this backup. */
export async function hasFiles(vault: Vault): Promise<boolean> {
  return (await vault.noted<{ areHere: boolean }>(filesNote))?.areHere !== false;
}

/** The key of a file in a backup. It does not tell the name of the file. */
const keptAs = (key: string): string => filesPrefix + createHash('sha256').update(key).digest('hex');

/** Since when the service has not had a file that is in the backup, in milliseconds since 1970, by key. */
type Absences = Record<string, number>;

const absencesNote = 'files-deleted.json';

/** The files of tasks in a backup. A file never changes, so each is stored once. */
export class FilesInVault {
  #stored: Set<string> | undefined;
  /** The files that the service had at the last look; undefined: nobody looked. */
  #present: Set<string> | undefined;

  constructor(
    private readonly vault: Vault,
    private readonly recipient: string,
  ) {}

  /** Stores the files that are not stored yet. */
  async store(files: ObjectStore): Promise<void> {
    this.#stored ??= await storedKeys(this.vault);
    const present = new Set<string>();
    for await (const { key } of files.list('')) {
      const kept = keptAs(key);
      present.add(kept);
      if (this.#stored.has(kept)) continue;
      const content = await files.get(key).catch((error: unknown) => {
        // It was deleted since the list was read.
        if (isServiceError(error) && error.code === 'not_found') return undefined;
        throw error;
      });
      if (content === undefined) continue;
      await this.vault.put(kept, content, this.recipient);
      this.#stored.add(kept);
    }
    this.#present = present;
  }

  /**
   * Removes the files that the service has not had since a moment.
   *
   * @param now milliseconds since 1970
   * @param from the oldest moment that can be restored, in milliseconds since 1970
   */
  async prune(now: number, from: number): Promise<void> {
    const present = this.#present;
    if (present === undefined || this.#stored === undefined) return;
    const before = (await this.vault.noted<Absences>(absencesNote)) ?? {};
    const absent: Absences = {};
    for (const key of [...this.#stored].filter((each) => !present.has(each))) {
      const since = before[key] ?? now;
      if (since >= from) absent[key] = since;
      else {
        await this.vault.delete(key);
        this.#stored.delete(key);
      }
    }
    await this.vault.note(absencesNote, absent);
  }
}

async function storedKeys(vault: Vault): Promise<Set<string>> {
  return new Set((await vault.list(filesPrefix)).map(({ key }) => key));
}

/** Those of the files that are not in the backup. */
export async function missingFiles(vault: Vault, keys: readonly string[]): Promise<string[]> {
  const stored = await storedKeys(vault);
  return keys.filter((key) => !stored.has(keptAs(key)));
}

/** Writes files of a backup into a store. */
export async function fetchFiles(
  vault: Vault,
  secret: string,
  keys: readonly string[],
  files: ObjectStore,
): Promise<void> {
  for (const key of keys) await files.put(key, await vault.get(keptAs(key), secret));
}

const settingsPrefix = 'settings/';
/**
 * What is not in the archive of the rest: what has a backup of its own, what a running stack makes, and ledgers. An old ledger would
 * say that an instrument has not done what it did.
 */
const elsewhere = new Set(['postgres', 'files', 'logs', 'run', 'nats', 'agents', 'lock']);
const passing = /^(database-.*url|nats-url|.*\.draft|.*\.unfinished)$/;

/** Keys, certificates, bundled code: everything else in the data folder. Small, and stored whole after each change. */
export class RestInVault {
  #stored: string | undefined;

  constructor(
    private readonly vault: Vault,
    private readonly recipient: string,
    private readonly dataDir: string,
  ) {}

  /** Stores it, unless nothing has changed since the last time. Later ones replace earlier ones. */
  async store(now: number): Promise<void> {
    const files = await filesIn(this.dataDir, '');
    const marks = files.map(({ path, size, changedAt }) => `${path} ${size} ${changedAt}`);
    const mark = createHash('sha256').update(marks.join('\n')).digest('hex');
    if (mark === this.#stored) return;
    const tar = pack();
    for (const { path } of files) {
      const content = await readFile(join(this.dataDir, path)).catch(() => undefined);
      if (content !== undefined) tar.entry({ name: path, mode: 0o600 }, content);
    }
    tar.finalize();
    const key = `${settingsPrefix}${new Date(now).toISOString().replaceAll(':', '-')}`;
    await this.vault.put(key, tar, this.recipient);
    for (const { key: earlier } of await this.vault.list(settingsPrefix))
      if (earlier < key) await this.vault.delete(earlier);
    this.#stored = mark;
  }
}

/** Writes the rest of the data folder. @throws Error when the backup has none */
export async function fetchRest(vault: Vault, secret: string, dataDir: string): Promise<void> {
  const latest = (await vault.list(settingsPrefix)).at(-1);
  if (latest === undefined) throw new Error('The backup has no keys of the service.');
  await unpack(await vault.get(latest.key, secret), dataDir);
}

interface FoundFile {
  /** Relative to the data folder, with `/`. */
  path: string;
  size: number;
  changedAt: number;
}

async function filesIn(root: string, folder: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (elsewhere.has(path) || passing.test(entry.name)) continue;
    if (entry.isDirectory()) found.push(...(await filesIn(root, path)));
    else if (entry.isFile()) {
      const info = await stat(join(root, path)).catch(() => undefined);
      if (info !== undefined) found.push({ path, size: info.size, changedAt: info.mtimeMs });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
