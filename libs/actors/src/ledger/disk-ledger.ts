import { ServiceError } from '@lab/contracts';
import type { Timers } from '@lab/ports';
import type { AgentLog } from '../ports/index.js';
import { segmentNames, type LedgerDisk, type SegmentName } from './ledger-disk.js';
import { LedgerState, type LedgerMemory } from './ledger-state.js';
import type { Ledger } from './ledger.js';
import { readLedger, type Checkpoint } from './read-ledger.js';
import type { LedgerRecord } from './records.js';
import { encodeRecords, frameBytes, terminator } from './segment.js';

interface Waiting {
  record: LedgerRecord;
  text: Uint8Array;
  /** Absent: the record was noted. It is part of the state already, and is written again after a failure. */
  settle?: { resolve(): void; reject(error: Error): void };
}

interface Current {
  name: SegmentName;
  generation: number;
  /** Offset behind the last durable record. */
  end: number;
  /** Index of the last durable record. */
  durable: number;
  /** Index of the next record. */
  nextIndex: number;
}

export interface DiskLedgerOptions {
  /** Smallest size of a segment. */
  segmentBytes?: number;
  /** Interval after a failure at which the ledger tries to write again, in milliseconds. */
  mendMs?: number;
}

/** The records before acts that need room on the disk, or that may make files. What has begun may end on a full disk. */
const beginnings: ReadonlySet<LedgerRecord['type']> = new Set(['accept', 'begin', 'call_begin']);

/** Largest group of records that is written and synchronised together, in bytes. A larger record is a group by itself. */
const groupBytes = 1024 * 1024;

/**
 * A ledger of two segments on a disk. Records are appended to one segment. When it is full, all records that still matter are
 * written to the other segment as a checkpoint, and the first segment is given up. This removes settled records, so the
 * segments grow only if the records that matter do.
 *
 * Guarantees, if the machine dies at any time: every resolved append is there, in order. A rejected append is not there, unless
 * the disk could no longer be written. Bytes of an earlier use are never read as records. Appends that arrive while the disk is
 * busy share one write and one synchronisation.
 */
export class DiskLedger implements Ledger {
  readonly #segmentBytes: number;
  readonly #mendMs: number;
  readonly #sizes = new Map<SegmentName, number>();
  #state = new LedgerState();
  #current: Current | undefined;
  #generation = 0;
  /** False: nothing but {@link open} writes to the disk. */
  #isOpen = false;
  /** A segment that a newer checkpoint has replaced. It must become unreadable before the next append. */
  #replaced: SegmentName | undefined;
  /** A checkpoint was begun and not finished, so appends to the current segment might be overlooked. */
  #unfinished = false;
  /** A failed write may have left bytes behind the end, which must be cut off. */
  #uncut = false;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #trouble: string | undefined;
  #cancelMend: () => void = () => undefined;
  #closed = false;

  constructor(
    private readonly disk: LedgerDisk,
    private readonly ports: { log: AgentLog; timers: Timers },
    { segmentBytes = 16 * 1024 * 1024, mendMs = 5_000 }: DiskLedgerOptions = {},
  ) {
    this.#segmentBytes = segmentBytes;
    this.#mendMs = mendMs;
  }

  get state(): LedgerState {
    return this.#state;
  }

  get trouble(): string | undefined {
    return this.#trouble === undefined ? this.disk.lack : `the ledger cannot be written (${this.#trouble})`;
  }

  async open(memory: LedgerMemory): Promise<void> {
    const reading = await readLedger(this.disk);
    const { segments, generation, records, damage } = reading;
    if (damage !== undefined) await this.#keepDamage(damage.text, damage.in.name, records.length);
    this.#state = new LedgerState(memory, records);
    if (damage !== undefined) this.#state.forgetIncarnations();
    for (const noted of this.#waiting) this.#state.apply(noted.record);
    this.#generation = generation;
    for (const { name, bytes } of segments) {
      if (bytes < this.#segmentBytes) await this.disk.reserve(name, this.#segmentBytes);
      this.#sizes.set(name, Math.max(bytes, this.#segmentBytes));
    }
    const believed = reading.current ?? damage?.in;
    if (believed !== undefined) {
      const { name, end, lastIndex } = believed;
      this.#current = { name, generation, end, durable: lastIndex, nextIndex: lastIndex + 1 };
    }
    // A crash may have left records behind the end. An append before them would make them readable.
    await this.#checkpoint([], 0);
    await this.#retire();
    this.#isOpen = true;
    if (this.#waiting.length > 0) this.#kick();
  }

  append(record: LedgerRecord): Promise<void> {
    if (!this.#isOpen || this.#closed) return Promise.reject(new Error('the ledger is not open'));
    const { lack } = this.disk;
    if (lack !== undefined && beginnings.has(record.type))
      return Promise.reject(new ServiceError('service_unavailable', lack));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, text: textOf(record), settle: { resolve, reject } });
      this.#kick();
    });
  }

  note(record: LedgerRecord): void {
    this.#state.apply(record);
    if (this.#closed) return;
    this.#waiting.push({ record, text: textOf(record) });
    // While the disk cannot be written, a note waits for the next append or the next try.
    if (this.#isOpen && this.#trouble === undefined) this.#kick();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelMend();
    await this.#writing;
    await this.disk.close();
  }

  #kick(): void {
    this.#writing ??= this.#write();
  }

  /** Writes until no record waits. Never rejects: a failure rejects the appends themselves. */
  async #write(): Promise<void> {
    // Groups the appends of one turn of the event loop.
    await Promise.resolve();
    do {
      const group = this.#nextGroup();
      try {
        await this.#commit(group);
        this.#setTrouble(undefined);
        for (const { record, settle } of group) if (settle !== undefined) this.#state.apply(record);
        for (const { settle } of group) settle?.resolve();
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        this.#setTrouble(error.message);
        // Before the appends are rejected, so that a rejected record is not found after a crash.
        await this.#cut().catch(() => undefined);
        this.#waiting.unshift(...group.filter(({ settle }) => settle === undefined));
        for (const { settle } of group) settle?.reject(error);
        // Notes alone wait for the next append or the next try.
        if (!this.#waiting.some(({ settle }) => settle !== undefined)) break;
      }
    } while (this.#waiting.length > 0);
    this.#writing = undefined;
  }

  #nextGroup(): Waiting[] {
    let bytes = 0;
    const beyond = this.#waiting.findIndex(({ text }, n) => {
      bytes += frameBytes(text.length);
      return n > 0 && bytes > groupBytes;
    });
    return this.#waiting.splice(0, beyond < 0 ? this.#waiting.length : beyond);
  }

  async #commit(group: Waiting[]): Promise<void> {
    await this.#retire();
    const isCut = await this.#cut().then(
      () => true,
      () => false,
    );
    const needed = group.reduce((sum, { text }) => sum + frameBytes(text.length), terminator.length);
    const { name: before, end: full } = this.#open();
    if (!isCut || this.#unfinished || full + needed > this.#sizeOf(before)) {
      await this.#checkpoint(group, needed);
      await this.#retire();
    }
    const current = this.#open();
    const { name, generation, nextIndex: index, durable, end } = current;
    const texts = group.map(({ text }) => text);
    const bytes = encodeRecords(texts, { generation, index, durable });
    // These numbers are used up, even if the write fails.
    current.nextIndex += texts.length;
    this.#uncut = true;
    await this.disk.write(name, end, bytes);
    await this.disk.datasync(name);
    this.#uncut = false;
    current.end += bytes.length - terminator.length;
    current.durable = current.nextIndex - 1;
  }

  /** Durably makes the bytes unreadable that a failed write left behind the end. */
  async #cut(): Promise<void> {
    if (!this.#uncut) return;
    const { name, end } = this.#open();
    await this.disk.write(name, end, terminator);
    await this.disk.datasync(name);
    this.#uncut = false;
  }

  /**
   * Begins the other segment with all records that matter, and makes it the current one. The checkpoint contains all notes, so
   * they leave the group and the queue.
   */
  async #checkpoint(group: Waiting[], needed: number): Promise<void> {
    const noted = new Set([...group, ...this.#waiting].filter(({ settle }) => settle === undefined));
    const name = segmentNames.find((each) => each !== this.#current?.name) ?? segmentNames[0];
    const records = this.#state.records();
    const first: Checkpoint = { type: 'checkpoint', records: records.length };
    this.#generation += 1;
    const bytes = encodeRecords([textOf(first), ...records.map(textOf)], {
      generation: this.#generation,
      index: 1,
      durable: 0,
    });
    const wanted = Math.max(this.#segmentBytes, 2 * (bytes.length + needed));
    if (this.#sizeOf(name) < wanted) {
      await this.disk.reserve(name, wanted);
      this.#sizes.set(name, wanted);
    }
    this.#unfinished = true;
    await this.disk.write(name, 0, bytes);
    await this.disk.datasync(name);
    this.#unfinished = false;
    this.#uncut = false;
    this.#replaced = this.#current?.name;
    this.#current = {
      name,
      generation: this.#generation,
      end: bytes.length - terminator.length,
      durable: records.length + 1,
      nextIndex: records.length + 2,
    };
    group.splice(0, group.length, ...group.filter((each) => !noted.has(each)));
    this.#waiting = this.#waiting.filter((each) => !noted.has(each));
  }

  /**
   * Makes the replaced segment unreadable. From then on an incomplete current segment means that the disk is damaged, and cannot
   * be a checkpoint that was not finished.
   */
  async #retire(): Promise<void> {
    if (this.#replaced === undefined) return;
    await this.disk.write(this.#replaced, 0, terminator);
    await this.disk.datasync(this.#replaced);
    this.#replaced = undefined;
  }

  async #keepDamage(damage: string, name: SegmentName, records: number): Promise<void> {
    const copy = await this.disk.preserve(name).catch((error: unknown) => `none: ${String(error)}`);
    this.ports.log.error('the ledger is damaged; what cannot be read is lost', { damage, records, copy });
  }

  #setTrouble(reason: string | undefined): void {
    if (reason !== undefined && this.#trouble === undefined) {
      this.ports.log.error('nothing can be recorded in the ledger; effects and tasks are refused', {
        reason,
      });
    }
    if (reason === undefined && this.#trouble !== undefined)
      this.ports.log.info('the ledger can be written again');
    this.#trouble = reason;
    this.#cancelMend();
    if (reason === undefined || this.#closed) return;
    this.#cancelMend = this.ports.timers.after(this.#mendMs, () => this.#kick());
  }

  #open(): Current {
    if (this.#current === undefined) throw new Error('the ledger is not open');
    return this.#current;
  }

  #sizeOf(name: SegmentName): number {
    return this.#sizes.get(name) ?? 0;
  }
}

const encoder = new TextEncoder();

function textOf(record: LedgerRecord | Checkpoint): Uint8Array {
  return encoder.encode(JSON.stringify(record));
}
