import { constants } from 'node:fs';
import { copyFile, mkdir, open, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { LedgerDisk, SegmentName } from '@lab/actors';
import type { Log, Timers } from '@lab/ports';
import { inRounds, lackOfRoom } from '@lab/runtime';
import { syncFolder } from './files/index.js';

/** The block of zeros with which a segment is filled. */
const zeros = new Uint8Array(1024 * 1024);

/** Milliseconds between two looks at the free space. */
const roomEveryMs = 1_000;

/**
 * On Linux each write is durable by itself (O_DSYNC), which saves a second trip through the thread pool before every effect.
 * On other systems the flag does not exist, or does not force the data to the medium.
 */
const durableWrites = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** The segments of a ledger as files of a folder: `ledger-a.seg` and `ledger-b.seg`. */
export class FolderLedgerDisk implements LedgerDisk {
  readonly #files = new Map<SegmentName, FileHandle>();
  #lack: string | undefined;

  /**
   * @param folder folder whose lock the caller holds; it is made if it is missing
   * @param computer its name, for messages
   */
  constructor(
    private readonly folder: string,
    private readonly computer: string = hostname(),
  ) {}

  get lack(): string | undefined {
    return this.#lack;
  }

  /**
   * Looks at the free space now and from now on.
   *
   * @returns ends it
   */
  async watch(timers: Timers, log: Pick<Log, 'info' | 'warn'>): Promise<() => void> {
    const look = async (): Promise<void> => {
      const before = this.#lack;
      this.#lack = await lackOfRoom(this.folder, this.computer);
      if (before === undefined && this.#lack !== undefined)
        log.warn('tasks and effects are refused', { reason: this.#lack });
      if (before !== undefined && this.#lack === undefined) log.info('the disk has room again');
    };
    await look();
    const plan = { firstMs: roomEveryMs, everyMs: roomEveryMs, failed: 'the free space is not known' };
    return inRounds({ timers, log }, plan, look);
  }

  async read(segment: SegmentName): Promise<Uint8Array | undefined> {
    const file = await open(this.#path(segment), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    try {
      const bytes = new Uint8Array((await file.stat()).size);
      const block = Buffer.alloc(zeros.length);
      for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await file.read(block, 0, block.length, at);
        if (bytesRead === 0) break;
        const part = block.subarray(0, bytesRead);
        // The system gives no memory to the zeros of a new array until something is written over them.
        if (!part.equals(zeros.subarray(0, bytesRead))) bytes.set(part, at);
        at += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  }

  reserve(segment: SegmentName, bytes: number): Promise<void> {
    return this.#inWords(() => this.#reserve(segment, bytes));
  }

  write(segment: SegmentName, offset: number, bytes: Uint8Array): Promise<void> {
    return this.#inWords(async () => writeAll(await this.#file(segment), bytes, offset));
  }

  async #reserve(segment: SegmentName, bytes: number): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = await open(this.#path(segment), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { size } = await file.stat();
      for (let at = size; at < bytes;) {
        const part = zeros.subarray(0, Math.min(zeros.length, bytes - at));
        await writeAll(file, part, at);
        at += part.length;
      }
      // A full sync, not only of the data: from here on neither size nor location of the file changes.
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(this.folder);
  }

  async datasync(segment: SegmentName): Promise<void> {
    if (durableWrites === 0) await (await this.#file(segment)).datasync();
  }

  async preserve(segment: SegmentName): Promise<string> {
    const copy = `${this.#path(segment)}.damaged`;
    await copyFile(this.#path(segment), copy);
    return copy;
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    await Promise.all(files.map((file) => file.close()));
  }

  /** Names the computer in the errors of a write. */
  async #inWords(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const what =
        code === 'ENOSPC' || code === 'EDQUOT'
          ? `the disk of computer ${this.computer} is full`
          : `computer ${this.computer} cannot write ${this.folder}`;
      throw new Error(`${what} (${message})`, { cause: error });
    }
  }

  async #file(segment: SegmentName): Promise<FileHandle> {
    const known = this.#files.get(segment);
    if (known !== undefined) return known;
    const file = await open(this.#path(segment), constants.O_RDWR | constants.O_CREAT | durableWrites, 0o600);
    this.#files.set(segment, file);
    return file;
  }

  #path(segment: SegmentName): string {
    return join(this.folder, segment);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
