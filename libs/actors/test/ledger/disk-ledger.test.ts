import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DiskLedger, readLedger, type LedgerRecord } from '../../src/index.js';
import { MemoryLedgerDisk, MemoryLog, SeededRandom, settle, VirtualTime } from '../../src/testing/index.js';

const memory = { attempts: 3, calls: 2 };
const segmentBytes = 2_048;

const tombstone = (n: number): LedgerRecord => ({ type: 'tombstone', attemptId: `t${n}` });
const accept = (n: number, label = 'x'): LedgerRecord => ({ type: 'accept', attemptId: `a${n}`, label });
const close = (n: number): LedgerRecord => ({ type: 'acked', attemptId: `a${n}` });

interface Rig {
  disk: MemoryLedgerDisk;
  log: MemoryLog;
  time: VirtualTime;
  ledger: DiskLedger;
}

function rig(disk = new MemoryLedgerDisk()): Rig {
  const log = new MemoryLog();
  const time = new VirtualTime();
  const ledger = new DiskLedger(disk, { log, timers: time }, { segmentBytes, mendMs: 1_000 });
  return { disk, log, time, ledger };
}

async function opened(disk?: MemoryLedgerDisk): Promise<Rig> {
  const made = rig(disk);
  await made.ledger.open(memory);
  return made;
}

const openIds = ({ ledger }: Rig): string[] => [...ledger.state.attempts.keys()];

/** Throws from every operation of these kinds. */
function failing(...kinds: string[]): MemoryLedgerDisk['fault'] {
  return (operation) => {
    if (kinds.includes(operation)) throw new Error('no space left on device');
  };
}

describe('a ledger on a disk without room', () => {
  it('refuses to begin anything, and records what ends', async () => {
    const { disk, ledger } = await opened();
    await ledger.append(accept(1));
    disk.lack = 'the disk is full';
    expect(ledger.trouble).toBe('the disk is full');
    const call = { callId: 'c', device: 'lab.arm', function: 'move', kind: 'effect' as const };
    for (const record of [
      accept(2),
      { type: 'begin' as const, attemptId: 'a1' },
      { type: 'call_begin' as const, call },
    ])
      await expect(ledger.append(record)).rejects.toMatchObject({
        code: 'service_unavailable',
        effect: 'none',
        message: 'the disk is full',
      });
    await ledger.append(tombstone(3));
    await ledger.append(close(1));
    disk.lack = undefined;
    expect(ledger.trouble).toBeUndefined();
    await ledger.append(accept(4));
    expect(openIds({ ledger } as Rig)).toEqual(['a4']);
  });
});

describe('a ledger on a disk', () => {
  it('uses one synchronisation for all appends that arrive while the disk is busy', async () => {
    const { disk, ledger } = await opened();
    let synchronised = 0;
    disk.fault = (operation) => {
      if (operation === 'datasync') synchronised += 1;
    };
    const first = ledger.append(accept(0));
    await Promise.resolve();
    await Promise.resolve();
    const others = Array.from({ length: 20 }, (_, n) => ledger.append(tombstone(n)));
    await Promise.all([first, ...others]);
    expect(synchronised).toBe(2);
  });

  it('opens completely despite other operations: notes are kept, and appends are kept or refused', async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const before = await opened();
      await before.ledger.append(accept(1));
      const { ledger, disk } = rig(before.disk.crash(new SeededRandom()));
      const open = ledger.open(memory);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const taken = ledger.append(accept(2)).then(
        () => ['a2'],
        () => [],
      );
      ledger.note(accept(3));
      await open;
      expect([...ledger.state.attempts.keys()]).toContain('a3');
      const kept = ['a1', ...(await taken), 'a3'];
      await ledger.close();
      const found = disk.crash(new SeededRandom());
      expect((await readLedger(found)).damage).toBeUndefined();
      expect(openIds(await opened(found)).toSorted(), `after ${turns} turns`).toEqual(kept);
    }
  });

  it('knows which incarnations have used it', async () => {
    const first = await opened();
    await first.ledger.append({ type: 'incarnation', inc: 4 });
    const second = await opened(first.disk.crash(new SeededRandom()));
    await second.ledger.append({ type: 'incarnation', inc: 6 });
    const third = await opened(second.disk.crash(new SeededRandom()));
    expect([...third.ledger.state.incarnations]).toEqual([4, 6]);
  });

  it('removes settled records and keeps the others, after any number of appends', async () => {
    const { disk, ledger } = await opened();
    await ledger.append(accept(0));
    for (let n = 1; n < 300; n += 1) {
      await ledger.append(accept(n));
      await ledger.append(close(n));
    }
    const { segments } = await readLedger(disk);
    expect(segments.map(({ bytes }) => bytes)).toEqual([segmentBytes, segmentBytes]);
    const next = await opened(disk.crash(new SeededRandom()));
    expect(openIds(next)).toEqual(['a0']);
    expect([...next.ledger.state.acknowledged]).toEqual(['a297', 'a298', 'a299']);
  });

  it('grows its segments when open records exceed their size', async () => {
    const { disk, ledger } = await opened();
    const ids = Array.from({ length: 200 }, (_, n) => n);
    await Promise.all(ids.map((n) => ledger.append(accept(n, 'a label of some length'))));
    await ledger.append(accept(1_000, 'x'.repeat(50_000)));
    const next = await opened(disk.crash(new SeededRandom()));
    expect(openIds(next)).toEqual([...ids, 1_000].map((n) => `a${n}`));
  });

  it.each([['write'], ['datasync']])(
    'refuses an append that it cannot write (%s) and continues when it can',
    async (operation) => {
      const { disk, ledger, log } = await opened();
      await ledger.append(accept(1));
      disk.fault = failing(operation);
      await expect(ledger.append(accept(2))).rejects.toThrow('no space left');
      expect(ledger.trouble).toContain('no space left');
      disk.fault = () => undefined;
      await ledger.append(accept(3));
      expect(ledger.trouble).toBeUndefined();
      const next = await opened(disk.crash(new SeededRandom()));
      expect(openIds(next)).toEqual(['a1', 'a3']);
      expect(log.lines.map(({ level }) => level)).toEqual(['error', 'info']);
    },
  );

  it('does not contain a refused append after a crash, even when the disk had stored it', async () => {
    const { disk, ledger } = await opened();
    let syncs = 0;
    disk.fault = (operation) => {
      if (operation === 'datasync' && (syncs += 1) === 1) throw new Error('i/o error');
    };
    await expect(ledger.append(accept(2))).rejects.toThrow('i/o error');
    const next = await opened(disk.crash({ next: () => 0.4 }));
    expect(openIds(next)).toEqual([]);
  });

  it('detects by itself that the disk works again, and writes its notes', async () => {
    const { disk, ledger, time } = await opened();
    await ledger.append(accept(1));
    disk.fault = failing('datasync');
    ledger.note({ type: 'released', ids: ['h'] });
    ledger.note({ type: 'device', device: 'lab.arm', fence: 9 });
    await time.advance(0);
    expect(ledger.trouble).toBeDefined();
    await time.advance(5_000);
    expect(ledger.trouble).toBeDefined();
    disk.fault = () => undefined;
    await time.advance(1_000);
    expect(ledger.trouble).toBeUndefined();
    const next = await opened(disk.crash(new SeededRandom()));
    expect(next.ledger.state.fences.get('lab.arm')).toBe(9);
  });

  it('refuses appends while there is no space for a larger checkpoint, and accepts them afterwards', async () => {
    const { disk, ledger } = await opened();
    disk.fault = failing('reserve');
    await expect(ledger.append(accept(1, 'x'.repeat(3_000)))).rejects.toThrow('no space left');
    await ledger.append(accept(2));
    disk.fault = () => undefined;
    await ledger.append(accept(3, 'x'.repeat(3_000)));
    const next = await opened(disk.crash(new SeededRandom()));
    expect(openIds(next)).toEqual(['a2', 'a3']);
  });

  it('reports damage and keeps a copy when durable records are unreadable', async () => {
    const { disk, ledger } = await opened();
    await ledger.append({ type: 'incarnation', inc: 4 });
    for (let n = 0; n < 5; n += 1) await ledger.append(accept(n));
    const { current } = await readLedger(disk);
    const middle = Math.floor(((current?.end ?? 0) * 2) / 3);
    disk.damage('ledger-a.seg', middle, new Uint8Array([1, 2, 3]));
    expect((await readLedger(disk)).damage?.text).toContain('is lost');
    const next = await opened(disk);
    expect(openIds(next).length).toBeGreaterThan(0);
    expect(openIds(next).length).toBeLessThan(5);
    expect(next.disk.preserved).toEqual(['ledger-a.seg']);
    expect([...next.ledger.state.incarnations]).toEqual([]);
    expect(next.log.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
    expect((await readLedger(disk)).damage).toBeUndefined();
  });

  it('reports damage when its checkpoint is unreadable, and uses no older one', async () => {
    const { disk, ledger } = await opened();
    await ledger.append(accept(1));
    await ledger.close();
    const second = await opened(disk);
    await second.ledger.append(close(1));
    disk.damage('ledger-b.seg', 4, new Uint8Array([255]));
    const third = await opened(disk);
    expect(openIds(third)).toEqual([]);
    expect(third.disk.preserved).toHaveLength(1);
  });

  it('reports no damage after a crash in the middle of a write', async () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const { disk, ledger } = await opened();
      await ledger.append(accept(1));
      void Promise.all(Array.from({ length: 30 }, (_, n) => ledger.append(accept(n + 2, 'y'.repeat(40)))));
      await settle();
      const next = await opened(disk.crash(new SeededRandom(seed)));
      expect(next.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    }
  });

  it('refuses appends before it is open and after it is closed', async () => {
    const { ledger } = rig();
    await expect(ledger.append(accept(1))).rejects.toThrow('not open');
    await ledger.open(memory);
    await ledger.close();
    await expect(ledger.append(accept(1))).rejects.toThrow('not open');
  });
});

/** The events in one life of the machine. */
interface Life {
  appends: { size: number; closes: boolean; together: boolean }[];
  /** The first failing disk operation, counted from the start of the life, and the number of failures. */
  failsAt: number;
  failsFor: number;
  /** The machine dies at this operation. */
  diesAt: number;
  seed: number;
}

const life: fc.Arbitrary<Life> = fc.record({
  appends: fc.array(fc.record({ size: fc.nat({ max: 600 }), closes: fc.boolean(), together: fc.boolean() }), {
    maxLength: 25,
  }),
  failsAt: fc.nat({ max: 60 }),
  failsFor: fc.constantFrom(0, 0, 1, 2, 5),
  diesAt: fc.nat({ max: 80 }),
  seed: fc.nat(),
});

describe('after any crash of the machine and any error of the disk', () => {
  it(
    'the ledger contains all acknowledged records in order, and no others',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 5 }), async (lives) => {
          let disk = new MemoryLedgerDisk();
          let next = 0;
          /** Open attempts by state: acknowledged, being appended, being closed, refused. */
          const certain = new Set<string>();
          const possible = new Set<string>();
          const closing = new Set<string>();
          const refused = new Set<string>();
          for (const { appends, failsAt, failsFor, diesAt, seed } of lives) {
            let operations = 0;
            let dead: () => void = () => undefined;
            const death = new Promise<void>((resolve) => (dead = resolve));
            const { ledger, log } = rig(disk);
            disk.fault = () => {
              operations += 1;
              if (operations === diesAt) dead();
              if (operations >= failsAt && operations < failsAt + failsFor) throw new Error('no space left');
            };
            const work = async (): Promise<void> => {
              await ledger.open(memory);
              let before: Promise<void> = Promise.resolve();
              for (const { size, closes, together } of appends) {
                if (!together) await before;
                const victim = closes ? [...certain].find((id) => !closing.has(id)) : undefined;
                const id = victim ?? `a${next++}`;
                if (victim === undefined) possible.add(id);
                else closing.add(id);
                const record: LedgerRecord =
                  victim === undefined
                    ? { type: 'accept', attemptId: id, label: 'z'.repeat(size) }
                    : { type: 'acked', attemptId: id };
                before = ledger.append(record).then(
                  () => {
                    possible.delete(id);
                    closing.delete(id);
                    if (victim === undefined) certain.add(id);
                    else certain.delete(id);
                  },
                  () => {
                    possible.delete(id);
                    closing.delete(id);
                    refused.add(id);
                  },
                );
              }
              await before;
            };
            await Promise.race([work().catch(() => undefined), death]);
            // The disk failed to the end, so nobody could remove the bytes that it had accepted before.
            const mayHoldRefused = ledger.trouble !== undefined;
            disk = disk.crash(new SeededRandom(seed));

            const reading = await readLedger(disk);
            expect(reading.damage).toBeUndefined();
            expect(log.lines.filter(({ message }) => message.includes('damaged'))).toEqual([]);
            const after = await opened(disk);
            const found = openIds(after);
            const isUnsure = (id: string): boolean =>
              possible.has(id) || closing.has(id) || (mayHoldRefused && refused.has(id));
            expect([...certain].filter((id) => !found.includes(id) && !isUnsure(id))).toEqual([]);
            expect(found.filter((id) => !certain.has(id) && !isUnsure(id))).toEqual([]);
            const order = found.map((id) => Number(id.slice(1)));
            expect(order).toEqual(order.toSorted((a, b) => a - b));
            // The present content is the reference from here on.
            certain.clear();
            for (const id of found) certain.add(id);
            for (const ids of [possible, closing, refused]) ids.clear();
            disk = after.disk.crash(new SeededRandom(seed));
          }
        }),
        { numRuns: 600 },
      );
    },
  );
});
