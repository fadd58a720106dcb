import { ServiceError } from '@lab/contracts';
import { deviceFileKey } from '@lab/object-store';
import { VirtualClock } from '@lab/ports';
import { expect, it } from 'vitest';
import { deleteOldLooseFiles, removeLooseFiles } from '../../src/deletions/loose-files.js';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

it('removes the bytes of a loose file before its record, also after a failure in the middle', async () => {
  const clock = new VirtualClock();
  const due = Array.from({ length: 450 }, (_, n) => ({ id: `f${n}`, size: 10 }));
  const stored = new Set(due.map(({ id }) => deviceFileKey(id)));
  const other = deviceFileKey('other');
  stored.add(other);
  const records = {
    beginDeletions: (limit: number) => Promise.resolve(due.slice(0, limit)),
    removed: (id: string) => {
      expect(stored.has(deviceFileKey(id))).toBe(false);
      due.splice(
        due.findIndex((file) => file.id === id),
        1,
      );
      return Promise.resolve();
    },
  };
  let broken = 250;
  const files = {
    delete: (key: string) => {
      if (broken-- === 0) return Promise.reject(new ServiceError('service_unavailable', 'the disk is away'));
      stored.delete(key);
      return Promise.resolve();
    },
  };
  const stop = removeLooseFiles(records, files, { timers: clock, log });
  for (let n = 0; n < 1_000 && broken >= 0; n += 1) await clock.advance(10);
  expect([due.length, stored.size]).toEqual([200, 201]);
  for (let n = 0; n < 1_000 && due.length > 0; n += 1) await clock.advance(10);
  expect([...stored]).toEqual([other]);
  stop();
});

it('looks for old loose files once an hour, in portions', async () => {
  const clock = new VirtualClock();
  const asked: [days: number, limit: number][] = [];
  let old = 450;
  const records = {
    deleteOld: (days: number, limit: number) => {
      asked.push([days, limit]);
      const planned = Math.min(limit, old);
      old -= planned;
      return Promise.resolve(planned);
    },
  };
  const stop = deleteOldLooseFiles(records, 30, { timers: clock, log });
  for (let n = 0; n < 10; n += 1) await clock.advance(10_000);
  expect(asked).toEqual([
    [30, 200],
    [30, 200],
    [30, 200],
  ]);
  for (let n = 0; n < 36; n += 1) await clock.advance(100_000);
  expect(asked).toHaveLength(4);
  stop();
});
