import { copyFile, mkdir, open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Ledger, LedgerRecord, Log } from '@lab/actors';

interface Waiting {
  line: string;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * A ledger in one file: a line is the CRC-32 of a record in eight hexadecimal digits, a space, and the record as JSON.
 *
 * Appends that come while the disk is busy are written and synchronised together. After a failed write the file is cut
 * back to the last record that was acknowledged; if even that fails, every later append fails too. A file that has grown
 * is compacted between two writes, as it is when opened.
 */
export class FileJournal implements Ledger {
  readonly #path: string;
  readonly #compactBytes: number;
  /** The size at which the file is compacted. */
  #full = 0;
  #compact: (records: LedgerRecord[]) => LedgerRecord[] = (records) => records;
  readonly #log: Log;
  #file: FileHandle | undefined;
  #length = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #broken: Error | undefined;

  /** @param options.compactBytes how much the file may grow before it is compacted */
  constructor(folder: string, log: Log, { compactBytes = 16 * 1024 * 1024 } = {}) {
    this.#path = join(folder, 'journal.jsonl');
    this.#log = log;
    this.#compactBytes = compactBytes;
  }

  async open(compact: (records: LedgerRecord[]) => LedgerRecord[]): Promise<LedgerRecord[]> {
    await mkdir(dirname(this.#path), { recursive: true });
    this.#compact = compact;
    const kept = compact(await this.#read());
    await this.#replace(kept);
    return kept;
  }

  append(record: LedgerRecord): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#file === undefined) return Promise.reject(new Error('the ledger is not open'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: lineOf(record), resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Writes until nothing waits. Never rejects: each append hears of its own failure. */
  async #write(): Promise<void> {
    // Lets appends of the same turn of the event loop go to disk together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      await this.#compactWhenFull();
      const group = this.#waiting.splice(0);
      const file = this.#file;
      try {
        if (this.#broken !== undefined) throw this.#broken;
        if (file === undefined) throw new Error('the ledger is not open');
        const bytes = Buffer.from(group.map(({ line }) => line).join(''));
        await writeAll(file, bytes, this.#length);
        await file.datasync();
        this.#length += bytes.length;
        for (const { resolve } of group) resolve();
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        if (file !== undefined) await this.#cutBack(file);
        for (const { reject } of group) reject(reason);
      }
    }
    this.#writing = undefined;
  }

  /** Failing leaves the file as it is; then it is tried again when as much has been added again. */
  async #compactWhenFull(): Promise<void> {
    if (this.#length < this.#full || this.#broken !== undefined) return;
    this.#full = this.#length + this.#compactBytes;
    try {
      const { records, cut } = await this.#parse();
      if (cut > 0) throw new Error(`${cut} bytes of it cannot be read`);
      await this.#replace(this.#compact(records));
    } catch (error) {
      this.#log.error('the ledger could not be compacted', { reason: String(error) });
    }
  }

  /** Puts a file with these records in the place of the present one. */
  async #replace(records: readonly LedgerRecord[]): Promise<void> {
    const text = Buffer.from(records.map(lineOf).join(''));
    const fresh = `${this.#path}.new`;
    const file = await open(fresh, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
      await rename(fresh, this.#path);
    } catch (error) {
      await file.close();
      throw error;
    }
    // From here on the old file has no name: what would be written to it would be lost.
    const old = this.#file;
    this.#file = file;
    this.#length = text.length;
    this.#full = text.length + this.#compactBytes;
    try {
      await syncFolder(dirname(this.#path));
    } catch (error) {
      this.#broken = new Error('the ledger was compacted and may not outlive a power cut', { cause: error });
      throw this.#broken;
    } finally {
      await old?.close();
    }
  }

  async #cutBack(file: FileHandle): Promise<void> {
    if (this.#broken !== undefined) return;
    try {
      await file.truncate(this.#length);
      await file.datasync();
    } catch (error) {
      this.#broken = new Error(`the ledger cannot be written any more: ${String(error)}`, { cause: error });
      this.#log.error('the ledger is broken', { reason: String(error) });
    }
  }

  async #read(): Promise<LedgerRecord[]> {
    const { records, cut, torn } = await this.#parse();
    if (cut > 0) await this.#keepDamage(cut, torn);
    return records;
  }

  /** The records before the first that cannot be read, and how many bytes there are from it on. */
  async #parse(): Promise<{ records: LedgerRecord[]; cut: number; torn: boolean }> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { records: [], cut: 0, torn: false };
      throw error;
    }
    const records: LedgerRecord[] = [];
    let at = 0;
    for (let end = bytes.indexOf(10, at); end >= 0; end = bytes.indexOf(10, at)) {
      const record = recordOf(bytes.toString('utf8', at, end));
      if (record === undefined) break;
      records.push(record);
      at = end + 1;
    }
    return { records, cut: bytes.length - at, torn: bytes.indexOf(10, at) < 0 };
  }

  async #keepDamage(bytes: number, torn: boolean): Promise<void> {
    if (torn) {
      this.#log.info('cut off a record that was being written when the agent ended', { bytes });
      return;
    }
    const copy = `${this.#path}.damaged`;
    await copyFile(this.#path, copy);
    this.#log.error('the ledger is damaged; what follows the damage is lost', { bytes, copy });
  }
}

function lineOf(record: LedgerRecord): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function recordOf(line: string): LedgerRecord | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || crc32(json).toString(16).padStart(8, '0') !== line.slice(0, 8)) return undefined;
  // Written by this class: the checksum stands for the shape as well.
  return JSON.parse(json) as LedgerRecord;
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
