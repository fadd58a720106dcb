import {
  DiskLedger,
  readLedger,
  type AgentLog,
  type Ledger,
  type LedgerDisk,
  type LedgerRecord,
} from '@lab/actors';
import { MemoryLedgerDisk, SeededRandom } from '@lab/actors/testing';
import { diceOf } from '../plan/chance.js';
import type { Points } from './fault-points.js';
import type { Life } from './life.js';

/** Small enough that the ledger changes its segment every few attempts. */
const segmentBytes = 6 * 1024;

/** The disk of one computer. It outlives the agents; a crash loses or tears writes that were not synchronised. */
export class SimulatedDisk {
  #disk = new MemoryLedgerDisk();
  #full = false;
  #operations = 0;
  readonly #random: SeededRandom;

  constructor(
    private readonly computer: string,
    private readonly seed: number,
  ) {
    this.#random = new SeededRandom(seed + computer.length * 104_729);
  }

  /** Makes every write fail as on a full disk, or ends that. */
  full(is: boolean): void {
    this.#full = is;
  }

  /** The computer's agent dies. */
  crash(): void {
    this.#disk = this.#disk.crash(this.#random);
  }

  /** What a reader finds now. */
  async records(): Promise<LedgerRecord[]> {
    return (await readLedger(this.#disk)).records;
  }

  /** Attempts that are not settled, as a reader finds them. */
  async open(): Promise<string[]> {
    const open = new Set<string>();
    for (const record of await this.records()) {
      if (record.type === 'acked' || record.type === 'tombstone') open.delete(record.attemptId);
      else if (record.type === 'accept' || record.type === 'begin') open.add(record.attemptId);
    }
    return [...open];
  }

  /** The ledger of one agent process on this disk. */
  ledgerOf(life: Life, points: Points, log: AgentLog): Ledger {
    const ledger = new DiskLedger(this.#diskOf(life, points), { log, timers: life }, { segmentBytes });
    return {
      get state() {
        return ledger.state;
      },
      get trouble() {
        return ledger.trouble;
      },
      open: (memory) => ledger.open(memory),
      append: (record) =>
        life.ask((resolve, reject) => {
          const point = `record ${record.type}`;
          points.reach(point, 'before', life);
          const recorded = (): void => {
            points.reach(point, 'after', life);
            resolve();
          };
          life.act(() => void ledger.append(record).then(recorded, reject));
        }),
      note: (record) => {
        const point = `record ${record.type}`;
        points.reach(point, 'before', life);
        life.act(() => ledger.note(record));
        points.reach(point, 'after', life);
      },
      close: () => ledger.close(),
    };
  }

  /** Every operation takes time, and ends with the process that asked for it. */
  #diskOf(life: Life, points: Points): LedgerDisk {
    const disk = this.#disk;
    disk.fault = (operation) => {
      if (this.#full && operation !== 'read') throw new Error('ENOSPC: no space left on device');
    };
    const timed = <Answer>(point: string | undefined, work: () => Promise<Answer>): Promise<Answer> =>
      life.ask((resolve, reject) => {
        if (point !== undefined) points.reach(point, 'before', life);
        life.act(() =>
          life.after(this.#latency(), () => {
            work().then((answer) => {
              if (point !== undefined) points.reach(point, 'after', life);
              resolve(answer);
            }, reject);
          }),
        );
      });
    return {
      read: (segment) => timed(undefined, () => disk.read(segment)),
      reserve: (segment, bytes) => timed(undefined, () => disk.reserve(segment, bytes)),
      write: (segment, offset, bytes) => timed('write', () => disk.write(segment, offset, bytes)),
      datasync: (segment) => timed('datasync', () => disk.datasync(segment)),
      preserve: (segment) => disk.preserve(segment),
      close: () => disk.close(),
    };
  }

  #latency(): number {
    return 0.05 + 0.5 * diceOf(this.seed, `disk of ${this.computer}`, (this.#operations += 1));
  }
}
