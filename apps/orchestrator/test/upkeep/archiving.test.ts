import { ServiceError, type WorkKind } from '@lab/contracts';
import { VirtualClock } from '@lab/ports';
import { expect, it } from 'vitest';
import { archiveOld } from '../../src/upkeep/archiving.js';

it('the service archives batch after batch once an hour, continues after an outage and leaves no timer behind', async () => {
  const clock = new VirtualClock();
  const asked: { kind: WorkKind; age: number; after: string }[] = [];
  let away = false;
  const changes = {
    archiveOld: async (kind: WorkKind, { before, after }: { before: number; after: string }) => {
      if (away) throw new ServiceError('store_unavailable', 'the database is away');
      asked.push({ kind, age: clock.now() - before, after });
      if (kind === 'protocol_run') return after === '' ? { archived: 100, next: 'r9' } : { archived: 7 };
      return { archived: 0 };
    },
  };
  const said: unknown[] = [];
  const log = {
    debug: () => undefined,
    info: (message: string, fields?: Record<string, unknown>) => void said.push([message, fields]),
    warn: (message: string) => void said.push(message),
    error: () => undefined,
  };
  const stop = archiveOld({ changes, clock, timers: clock, log }, 30);
  await clock.advance(120_000);
  expect(asked.map(({ kind, after }) => [kind, after])).toEqual([
    ['campaign', ''],
    ['protocol_run', ''],
    ['protocol_run', 'r9'],
    ['task_run', ''],
  ]);
  expect(Math.min(...asked.map(({ age }) => age))).toBeGreaterThanOrEqual(30 * 86_400_000);
  away = true;
  await clock.advance(3_600_000);
  away = false;
  await clock.advance(3_600_000);
  const done = ['what is old was archived', { protocol_run: 107, older_than_days: 30 }];
  expect(said).toEqual([done, 'what is old could not be archived', done]);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});
