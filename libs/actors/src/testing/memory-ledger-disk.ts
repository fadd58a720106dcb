import type { LedgerDisk, SegmentName } from '../ledger/index.js';

const sectorBytes = 512;

/** A part of a write that is not durable yet. A disk writes a sector at once. */
interface Sector {
  segment: SegmentName;
  offset: number;
  bytes: Uint8Array;
}

/**
 * A disk in memory that crashes like a real one: any of the unsynchronised sectors may be there afterwards, one of them in
 * part.
 */
export class MemoryLedgerDisk implements LedgerDisk {
  /** Called before every operation. If it throws, the operation fails with that error, with or without an effect. */
  fault: (operation: 'read' | 'reserve' | 'write' | 'datasync', segment: SegmentName) => void = () =>
    undefined;
  /** Set: the disk has no room for anything new. */
  lack: string | undefined;
  readonly preserved: SegmentName[] = [];
  readonly #durable: Map<SegmentName, Uint8Array>;
  #cached = new Map<SegmentName, Uint8Array>();
  #unsynced: Sector[] = [];
  #crashed = false;

  constructor(durable: ReadonlyMap<SegmentName, Uint8Array> = new Map()) {
    this.#durable = new Map([...durable].map(([name, bytes]) => [name, bytes.slice()]));
    this.#cached = new Map([...durable].map(([name, bytes]) => [name, bytes.slice()]));
  }

  async read(segment: SegmentName): Promise<Uint8Array | undefined> {
    await this.#alive();
    this.fault('read', segment);
    return this.#cached.get(segment)?.slice();
  }

  async reserve(segment: SegmentName, bytes: number): Promise<void> {
    await this.#alive();
    this.fault('reserve', segment);
    for (const files of [this.#durable, this.#cached]) files.set(segment, grown(files.get(segment), bytes));
  }

  async write(segment: SegmentName, offset: number, bytes: Uint8Array): Promise<void> {
    await this.#alive();
    const cached = this.#cached.get(segment);
    if (cached === undefined || offset + bytes.length > cached.length) throw new Error('not reserved');
    let fault: unknown;
    try {
      this.fault('write', segment);
    } catch (error) {
      fault = error;
    }
    // A failed write may have written any part.
    const done = fault === undefined ? bytes.length : Math.floor(bytes.length / 2);
    cached.set(bytes.subarray(0, done), offset);
    for (let at = offset; at < offset + done;) {
      const end = Math.min(offset + done, (Math.floor(at / sectorBytes) + 1) * sectorBytes);
      this.#unsynced.push({ segment, offset: at, bytes: bytes.slice(at - offset, end - offset) });
      at = end;
    }
    if (fault !== undefined) throw fault;
  }

  async datasync(segment: SegmentName): Promise<void> {
    await this.#alive();
    this.fault('datasync', segment);
    for (const sector of this.#unsynced.filter((each) => each.segment === segment)) this.#keep(sector);
    this.#unsynced = this.#unsynced.filter((each) => each.segment !== segment);
  }

  async preserve(segment: SegmentName): Promise<string> {
    this.preserved.push(segment);
    return `${segment}.damaged`;
  }

  async close(): Promise<void> {
    return;
  }

  /**
   * Simulates the death of the machine. Later operations on this disk never settle.
   *
   * @param random chooses the unsynchronised sectors that were written, and the length of a torn one
   * @returns the disk that the next process finds
   */
  crash(random: { next(): number }): MemoryLedgerDisk {
    this.#crashed = true;
    const through = this.#unsynced.filter(() => random.next() < 0.5);
    const torn = through.at(Math.floor(random.next() * through.length));
    for (const sector of through) {
      const length = sector === torn ? Math.floor(random.next() * sector.bytes.length) : sector.bytes.length;
      this.#keep({ ...sector, bytes: sector.bytes.subarray(0, length) });
    }
    return new MemoryLedgerDisk(this.#durable);
  }

  /** Changes bytes on the disk, like decay. */
  damage(segment: SegmentName, offset: number, bytes: Uint8Array): void {
    for (const files of [this.#durable, this.#cached]) files.get(segment)?.set(bytes, offset);
  }

  #keep({ segment, offset, bytes }: Sector): void {
    this.#durable.get(segment)?.set(bytes, offset);
  }

  async #alive(): Promise<void> {
    await Promise.resolve();
    if (this.#crashed) await new Promise<never>(() => undefined);
  }
}

function grown(before: Uint8Array | undefined, bytes: number): Uint8Array {
  if (before !== undefined && before.length >= bytes) return before;
  const after = new Uint8Array(bytes);
  if (before !== undefined) after.set(before);
  return after;
}
