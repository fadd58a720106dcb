import { ServiceError } from '@lab/contracts';
import { VirtualClock } from '@lab/ports';
import type { FileSweeps, WaitingSweep } from '@lab/persistence';
import { deviceFileKey, taskFileKey } from '@lab/object-store';
import { expect, it } from 'vitest';
import { sweepFiles } from '../../src/deletions/file-sweep.js';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

it('all files of the work are removed before the deletion is noted, also after an end in the middle', async () => {
  const clock = new VirtualClock();
  const tasks = Array.from({ length: 450 }, (_, n) => `task_${String(n).padStart(4, '0')}`);
  const stored = new Map<string, number>();
  for (const task of tasks)
    for (const attempt of [1, 2]) stored.set(taskFileKey(task, attempt, 'notes.txt'), 10);
  // The name begins like that of a task of the work.
  const other = taskFileKey('task_00001', 1, 'notes.txt');
  stored.set(other, 10);
  // Files of instruments: two of the work, and a loose one.
  const ofDevices = new Map([
    ['f1', 'task_0007'],
    ['f2', 'task_0449'],
  ]);
  for (const id of ['f1', 'f2', 'loose']) stored.set(deviceFileKey(id), 10);
  let waiting: WaitingSweep[] = [{ id: 'd1', workId: 'w', kind: 'campaign' }];
  const done: unknown[] = [];
  const sweeps: Pick<FileSweeps, 'waiting' | 'taskRuns' | 'done'> = {
    waiting: () => Promise.resolve(waiting),
    taskRuns: (_deletion, after, limit) =>
      Promise.resolve(tasks.filter((task) => task > after).slice(0, limit)),
    done: ({ id }, removed) => {
      done.push([id, removed, stored.size]);
      waiting = [];
      return Promise.resolve();
    },
  };
  let broken = 300;
  const files = {
    async *list(prefix: string) {
      for (const [key, size] of [...stored])
        if (key.startsWith(prefix)) yield await Promise.resolve({ key, size, modifiedAt: new Date(0) });
    },
    delete: (key: string) => {
      if (broken-- === 0) return Promise.reject(new ServiceError('service_unavailable', 'the disk is away'));
      stored.delete(key);
      return Promise.resolve();
    },
  };
  const deviceFiles = {
    ofTaskRuns: (ids: readonly string[]) =>
      Promise.resolve([...ofDevices].flatMap(([id, task]) => (ids.includes(task) ? [{ id, size: 10 }] : []))),
    remove: (id: string) => {
      expect(stored.has(deviceFileKey(id))).toBe(false);
      ofDevices.delete(id);
      return Promise.resolve();
    },
  };
  const stop = sweepFiles(sweeps, deviceFiles, files, { timers: clock, log });
  for (let n = 0; n < 1_000 && broken >= 0; n += 1) await clock.advance(10);
  expect([stored.size, done]).toEqual([604, []]);
  for (let n = 0; n < 2_000 && done.length === 0; n += 1) await clock.advance(10);
  expect(done).toEqual([['d1', { files: 902, bytes: 9_020 }, 2]]);
  expect([...stored.keys()]).toEqual([other, deviceFileKey('loose')]);
  expect(ofDevices.size).toBe(0);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});
