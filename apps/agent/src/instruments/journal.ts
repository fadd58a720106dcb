import { constants, type Stats } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeviceFile } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { syncFolder } from '../files/index.js';

/** A version of a file: whoever overwrites the file makes another one. */
export type Version = Pick<Stats, 'size' | 'mtimeMs'>;

/** A file that was taken: copied to the disk of the agent. */
export interface Taken {
  /** What the service gets. */
  file: DeviceFile;
  /** Path below the folder, as it is on the disk. */
  path: string;
  /** Name of the copy. */
  copy: string;
  version: Version;
}

/** `watch`: the list of old files of a folder begins; `ready`: it is complete. */
type Entry =
  | { r: 'watch'; key: string }
  | { r: 'old'; p: string; s: number; m: number }
  | { r: 'ready' }
  | { r: 'taken'; taken: Taken }
  | { r: 'stored'; id: string }
  /** `gone`: the file is no longer in its folder. */
  | { r: 'done'; id: string; gone: boolean };

/** Entries beyond twice the needed ones at which the journal is written anew. */
const slack = 1_000;
/** Files that are gone and still known at most, beyond twice those that are there. */
const mostGone = 10_000;

/**
 * What the agent knows of the files of one device, on disk. Guarantees: an entry is durable when its promise resolves, and an end of the
 * agent at any point leaves the entries before it readable. A full disk leaves no half entry.
 */
export class Journal {
  /** Path to the version that was taken, or that is old. */
  readonly #known = new Map<string, Version>();
  /** Taken files that are not done, by id, the oldest first. */
  readonly #open = new Map<string, { taken: Taken; stored: boolean }>();
  #key: string | undefined;
  #isReady = false;
  #entries = 0;
  #length = 0;
  #isTorn = false;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly folder: string,
    private readonly file: FileHandle,
  ) {}

  /**
   * Opens the journal in a folder, which is made if it is missing, and removes copies that no entry names.
   *
   * @throws the error of the disk
   */
  static async open(folder: string, log: Pick<Log, 'warn'>): Promise<Journal> {
    await mkdir(join(folder, 'copies'), { recursive: true, mode: 0o700 });
    const path = join(folder, 'journal.jsonl');
    const text = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    const whole = text.subarray(0, text.lastIndexOf('\n') + 1);
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    if (text.length === 0) await syncFolder(folder);
    const journal = new Journal(folder, file);
    journal.#length = whole.length;
    // What follows the last line feed was being written when the agent ended.
    journal.#isTorn = whole.length < text.length;
    for (const line of whole.toString('utf8').split('\n')) {
      if (line === '') continue;
      const entry = entryOf(line);
      if (entry === undefined)
        log.warn('an entry of the journal of files is damaged and is ignored', { path });
      else journal.#apply(entry);
    }
    return journal.#entries > 2 * journal.#needed().length + slack ? journal.#anew(log) : journal.#swept();
  }

  /** Whether the old files of this folder are known. */
  knows(key: string): boolean {
    return this.#isReady && this.#key === key;
  }

  /** Notes the files that are in a folder before it is watched. */
  async begin(key: string, old: ReadonlyMap<string, Version>): Promise<void> {
    const files = [...old].map(([p, { size, mtimeMs }]): Entry => ({ r: 'old', p, s: size, m: mtimeMs }));
    await this.#append([{ r: 'watch', key }, ...files, { r: 'ready' }]);
  }

  /** The version of the file that needs no further look; undefined: the path is new. */
  versionOf(path: string): Version | undefined {
    return this.#known.get(path);
  }

  /** Files that are not done. */
  get open(): readonly { taken: Taken; stored: boolean }[] {
    return [...this.#open.values()];
  }

  take(taken: Taken): Promise<void> {
    return this.#append([{ r: 'taken', taken }]);
  }

  /** The service has the file. */
  async stored(id: string): Promise<void> {
    await this.#append([{ r: 'stored', id }]);
  }

  /** Nothing is left to do for the file. @param gone whether it was moved or removed */
  async done(id: string, gone: boolean): Promise<void> {
    await this.#append([{ r: 'done', id, gone }]);
  }

  /** Forgets files that are gone, if they are many. One that comes back unchanged is stored only once all the same. */
  forgetBut(paths: ReadonlySet<string>): void {
    if (this.#known.size < 2 * paths.size + mostGone) return;
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
  }

  /** Path of a copy. */
  copy(name: string): string {
    return join(this.folder, 'copies', name);
  }

  async close(): Promise<void> {
    await this.#queue.catch(() => undefined);
    await this.file.close();
  }

  #apply(entry: Entry): void {
    this.#entries += 1;
    switch (entry.r) {
      case 'watch':
        this.#known.clear();
        this.#key = entry.key;
        this.#isReady = false;
        return;
      case 'old':
        this.#known.set(entry.p, { size: entry.s, mtimeMs: entry.m });
        return;
      case 'ready':
        this.#isReady = true;
        return;
      case 'taken': {
        const { path, version, file } = entry.taken;
        this.#known.set(path, version);
        this.#open.set(file.id, { taken: entry.taken, stored: false });
        return;
      }
      case 'stored': {
        const open = this.#open.get(entry.id);
        if (open !== undefined) open.stored = true;
        return;
      }
      case 'done': {
        const open = this.#open.get(entry.id);
        this.#open.delete(entry.id);
        if (entry.gone && open !== undefined) this.#known.delete(open.taken.path);
      }
    }
  }

  /** Entries one after another, each batch whole. */
  #append(entries: readonly Entry[]): Promise<void> {
    const append = async (): Promise<void> => {
      if (this.#isTorn) await this.file.truncate(this.#length);
      this.#isTorn = true;
      const text = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      for (let at = 0; at < text.length;)
        at += (await this.file.write(text, at, text.length - at, this.#length + at)).bytesWritten;
      await this.file.sync();
      this.#isTorn = false;
      this.#length += text.length;
      for (const entry of entries) this.#apply(entry);
    };
    const own = this.#queue.then(append, append);
    this.#queue = own.catch(() => undefined);
    return own;
  }

  /** The entries that say the same as all entries. */
  #needed(): Entry[] {
    const entries: Entry[] = [...this.#known].map(([p, { size, mtimeMs }]) => ({
      r: 'old',
      p,
      s: size,
      m: mtimeMs,
    }));
    if (this.#key !== undefined) entries.unshift({ r: 'watch', key: this.#key });
    if (this.#isReady) entries.push({ r: 'ready' });
    for (const { taken, stored } of this.#open.values()) {
      entries.push({ r: 'taken', taken });
      if (stored) entries.push({ r: 'stored', id: taken.file.id });
    }
    return entries;
  }

  /** Writes the journal anew, without entries that later ones replace. */
  async #anew(log: Pick<Log, 'warn'>): Promise<Journal> {
    const path = join(this.folder, 'journal.jsonl');
    const text = this.#needed()
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join('');
    await this.file.close();
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
    await syncFolder(this.folder);
    return Journal.open(this.folder, log);
  }

  async #swept(): Promise<Journal> {
    const needed = new Set(
      [...this.#open.values()].filter(({ stored }) => !stored).map(({ taken }) => taken.copy),
    );
    for (const name of await readdir(join(this.folder, 'copies')))
      if (!needed.has(name)) await rm(this.copy(name), { force: true });
    return this;
  }
}

function entryOf(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as unknown;
    return typeof entry === 'object' && entry !== null && 'r' in entry ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}
