import { ServiceError, type DeletionScope, type RemovedCounts, type WorkKind } from '@lab/contracts';
import { VirtualClock } from '@lab/ports';
import type { Engine } from '@lab/engine';
import { expect, it } from 'vitest';
import { deleteOld, sweepDeletions } from '../../src/upkeep/deleting.js';

function logTo(said: unknown[]) {
  return {
    debug: () => undefined,
    info: (message: string, fields?: Record<string, unknown>) => void said.push([message, fields]),
    warn: (message: string) => void said.push(message),
    error: () => undefined,
  };
}

type Running = Awaited<ReturnType<Engine['deletions']['begin']>>;

const row: Running[number] = {
  kind: 'campaign',
  what: 'everything',
  state: 'running',
  ...{
    id: 'd1',
    workId: 'w',
    name: 'sweep',
    owner: 'ada',
    labs: [],
    reason: 'r',
    by: 'ada',
    at: 0,
    dueAt: 0,
  },
  ...{ endedAt: null, endedBy: null, removed: null },
};

it('records go after the files, portion by portion, and the deletion ends when none is left', async () => {
  const clock = new VirtualClock();
  const said: unknown[] = [];
  let running: Running = [row];
  const counted: { files?: RemovedCounts } = {};
  let left = 450;
  let away = false;
  const limits: number[] = [];
  const finished: unknown[] = [];
  const stop = sweepDeletions({
    deletions: {
      begin: () => Promise.resolve(running),
      finish: (id, removed) => {
        finished.push([id, removed]);
        running = [];
        return Promise.resolve();
      },
    },
    store: {
      filesRemoved: () => Promise.resolve(counted.files),
      removeRecords: (_id, limit) => {
        if (away) return Promise.reject(new ServiceError('store_unavailable', 'the database is away'));
        limits.push(limit);
        const removed = Math.min(limit, left);
        left -= removed;
        if (left === 250) away = true;
        return Promise.resolve(removed);
      },
    },
    ...{ clock, timers: clock, log: logTo(said) },
  });
  await clock.advance(20_000);
  expect([limits, finished]).toEqual([[], []]);
  const files = { task_runs: 450, files: 3, bytes: 9 };
  counted.files = files;
  for (let n = 0; n < 1_000 && said.length === 0; n += 1) await clock.advance(10);
  expect([limits, left, finished, said]).toEqual([[200], 250, [], ['work could not be deleted']]);
  away = false;
  for (let n = 0; n < 2_000 && said.length === 1; n += 1) await clock.advance(10);
  expect([limits.length, left, finished]).toEqual([4, 0, [['d1', files]]]);
  expect(said.at(-1)).toMatchObject(['work was deleted', { name: 'sweep', ...files }]);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});

it('old work is looked for once an hour, batch after batch', async () => {
  const clock = new VirtualClock();
  const said: unknown[] = [];
  const asked: unknown[] = [];
  const addOld = (
    kind: WorkKind,
    what: DeletionScope,
    days: number,
    page: { after: string; before: number },
  ) => {
    asked.push([kind, what, days, page.after, page.before <= clock.now() - 90 * 86_400_000]);
    if (kind !== 'campaign') return Promise.resolve({ planned: 0 });
    return Promise.resolve(page.after === '' ? { planned: 100, next: 'c9' } : { planned: 4 });
  };
  const stop = deleteOld({ deletions: { addOld }, clock, timers: clock, log: logTo(said) }, 'files', 90);
  await clock.advance(130_000);
  expect(asked).toEqual([
    ['campaign', 'files', 90, '', true],
    ['campaign', 'files', 90, 'c9', true],
    ['protocol_run', 'files', 90, '', true],
    ['task_run', 'files', 90, '', true],
  ]);
  expect(said).toEqual([
    ['what is old will be deleted', { what: 'files', planned: 104, older_than_days: 90 }],
  ]);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});
