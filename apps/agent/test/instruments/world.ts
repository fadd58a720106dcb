import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError, type DeviceFile, type InstrumentFolder } from '@lab/contracts';
import { MemoryLog } from '@lab/actors/testing';
import { VirtualClock } from '@lab/ports';
import { FolderWatch, type WatchPorts } from '../../src/instruments/folder-watch.js';
import type { FileService } from '../../src/instruments/delivery.js';
import { Journal } from '../../src/instruments/journal.js';

export const device = { lab: 'lab', name: 'reader' };

export function spec(folder: string, over: Partial<InstrumentFolder> = {}): InstrumentFolder {
  return {
    ...{ folder, pattern: '*.csv', stable_s: 5, poll_s: 2, max_size_mb: 1, grace_s: 600 },
    ...{ afterwards: 'keep', moved_to: 'taken' },
    ...over,
  };
}

/** One folder of an instrument, with a clock that the test moves. */
export class Bench {
  readonly clock = new VirtualClock();
  readonly log = new MemoryLog();
  wallMs = Date.now();
  journal!: Journal;
  watch!: FolderWatch;
  taken = 0;

  private constructor(readonly root: string) {}

  static async make(): Promise<Bench> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'instruments-')));
    await mkdir(join(root, 'in'));
    return new Bench(root);
  }

  get folder(): string {
    return join(this.root, 'in');
  }

  get agentFolder(): string {
    return join(this.root, 'agent');
  }

  /** A new process of the agent looks for the first time. */
  async begin(over: Partial<InstrumentFolder> = {}, ports: Partial<WatchPorts> = {}): Promise<void> {
    await this.end();
    this.journal = await Journal.open(this.agentFolder, this.log);
    this.watch = new FolderWatch(device, spec(this.folder, over), {
      ...{ clock: this.clock, wall: { now: () => this.wallMs }, timers: this.clock, log: this.log },
      ...{ journal: this.journal, roots: [this.root], distrusts: false, taken: () => (this.taken += 1) },
      ...ports,
    });
    await this.watch.look();
  }

  async end(): Promise<void> {
    await this.watch?.stop();
    await this.journal?.close();
  }

  write(name: string | Buffer, text: string): Promise<void> {
    const place =
      typeof name === 'string'
        ? join(this.folder, name)
        : Buffer.concat([Buffer.from(`${this.folder}/`), name]);
    return writeFile(place, text);
  }

  append(name: string, text: string): Promise<void> {
    return appendFile(join(this.folder, name), text);
  }

  /** Looks now, and again after the seconds. */
  async after(seconds: number): Promise<void> {
    await this.watch.look();
    await this.clock.advance(seconds * 1_000);
    this.wallMs += seconds * 1_000;
    await this.watch.look();
  }

  /** The files that were taken and are not done: path below the folder and content. */
  async got(): Promise<[string, string][]> {
    return Promise.all(
      this.journal.open.map(async ({ taken }): Promise<[string, string]> => [
        taken.path,
        await readFile(this.journal.copy(taken.copy), 'utf8'),
      ]),
    );
  }

  copies(): Promise<string[]> {
    return readdir(join(this.agentFolder, 'copies'));
  }

  async dispose(): Promise<void> {
    await this.end();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A service in memory that remembers each record and its content. It fails while the test says so. */
export class MemoryFileService implements FileService {
  readonly bytes = new Map<string, Buffer>();
  readonly records = new Map<string, DeviceFile>();
  /** Number of records that came for the first time. */
  readonly stored: string[] = [];
  fault: ServiceError | undefined;
  /** The answer to the next record is lost. */
  losesAnswer = false;

  async uploadTicket({ id }: Pick<DeviceFile, 'id'>) {
    if (this.fault !== undefined) throw this.fault;
    return this.records.has(id) ? null : { url: `memory:${id}`, headers: {} };
  }

  async send(path: string, file: Pick<DeviceFile, 'size'>, { url }: { url: string }): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    const bytes = await readFile(path);
    if (bytes.length !== file.size) throw new ServiceError('invalid', 'another size');
    this.bytes.set(url.slice('memory:'.length), bytes);
  }

  async store(file: DeviceFile): Promise<void> {
    if (this.fault !== undefined) throw this.fault;
    const bytes = this.bytes.get(file.id);
    if (bytes === undefined) throw new ServiceError('not_found', 'no bytes');
    if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
      throw new ServiceError('invalid', 'other bytes');
    if (!this.records.has(file.id)) this.stored.push(file.path);
    this.records.set(file.id, file);
    if (!this.losesAnswer) return;
    this.losesAnswer = false;
    throw new ServiceError('disconnected', 'the answer was lost');
  }
}
