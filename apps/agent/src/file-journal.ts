import { copyFile, mkdir, open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Journal, JournalRecord, Log } from '@lab/actors';

interface Waiting {
  line: string;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * A journal in one file: a line is the CRC-32 of a record in eight hexadecimal digits, a space, and the record as JSON.
 *
 * Appends that come while the disk is busy are written and synchronised together. After a failed write the file is cut
 * back to the last record that was acknowledged; if even that fails, every later append fails too.
 */
export class FileJournal implements Journal {
  readonly #path: string;
  readonly #log: Log;
  #file: FileHandle | undefined;
  #length = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #broken: Error | undefined;

  constructor(folder: string, log: Log) {
    this.#path = join(folder, 'journal.jsonl');
    this.#log = log;
  }

  async open(compact: (records: JournalRecord[]) => JournalRecord[]): Promise<JournalRecord[]> {
    await mkdir(dirname(this.#path), { recursive: true });
    const kept = compact(await this.#read());
    const text = Buffer.from(kept.map(lineOf).join(''));
    const fresh = `${this.#path}.new`;
    const file = await open(fresh, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(fresh, this.#path);
    await syncFolder(dirname(this.#path));
    this.#file = await open(this.#path, 'r+');
    this.#length = text.length;
    return kept;
  }

  append(record: JournalRecord): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#file === undefined) return Promise.reject(new Error('the journal is not open'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: lineOf(record), resolve, reject });
      this.#writing ??= this.#write(this.#file as FileHandle);
    });
  }

  async close(): Promise<void> {
    const file = this.#file;
    await this.#writing;
    this.#file = undefined;
    await file?.close();
  }

  /** Writes until nothing waits. Never rejects: each append hears of its own failure. */
  async #write(file: FileHandle): Promise<void> {
    // Lets appends of the same turn of the event loop go to disk together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0);
      try {
        if (this.#broken !== undefined) throw this.#broken;
        const bytes = Buffer.from(group.map(({ line }) => line).join(''));
        await writeAll(file, bytes, this.#length);
        await file.datasync();
        this.#length += bytes.length;
        for (const { resolve } of group) resolve();
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        await this.#cutBack(file);
        for (const { reject } of group) reject(reason);
      }
    }
    this.#writing = undefined;
  }

  async #cutBack(file: FileHandle): Promise<void> {
    if (this.#broken !== undefined) return;
    try {
      await file.truncate(this.#length);
      await file.datasync();
    } catch (error) {
      this.#broken = new Error(`the journal cannot be written any more: ${String(error)}`, { cause: error });
      this.#log.error('the journal is broken', { reason: String(error) });
    }
  }

  async #read(): Promise<JournalRecord[]> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    const records: JournalRecord[] = [];
    let at = 0;
    for (let end = bytes.indexOf(10, at); end >= 0; end = bytes.indexOf(10, at)) {
      const record = recordOf(bytes.toString('utf8', at, end));
      if (record === undefined) break;
      records.push(record);
      at = end + 1;
    }
    const cut = bytes.length - at;
    if (cut > 0) await this.#keepDamage(cut, bytes.indexOf(10, at) < 0);
    return records;
  }

  async #keepDamage(bytes: number, torn: boolean): Promise<void> {
    if (torn) {
      this.#log.info('cut off a record that was being written when the agent ended', { bytes });
      return;
    }
    const copy = `${this.#path}.damaged`;
    await copyFile(this.#path, copy);
    this.#log.error('the journal is damaged; what follows the damage is lost', { bytes, copy });
  }
}

function lineOf(record: JournalRecord): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function recordOf(line: string): JournalRecord | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || crc32(json).toString(16).padStart(8, '0') !== line.slice(0, 8)) return undefined;
  // Written by this class: the checksum stands for the shape as well.
  return JSON.parse(json) as JournalRecord;
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder for this, and its renames need no such help.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
