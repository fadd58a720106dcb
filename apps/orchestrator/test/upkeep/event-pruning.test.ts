import { ServiceError } from '@lab/contracts';
import { VirtualClock } from '@lab/ports';
import { expect, it } from 'vitest';
import { pruneEvents } from '../../src/upkeep/event-pruning.js';

it('the service prunes events once an hour, batch after batch, continues where it was after an outage and leaves no timer behind', async () => {
  const clock = new VirtualClock();
  const asked: { before: number; after: number }[] = [];
  let away = false;
  const store = {
    pruneEvents: async (before: number, after: number) => {
      if (away) throw new ServiceError('store_unavailable', 'the database is away');
      asked.push({ before: clock.now() - before, after });
      return after < 2_000 ? { removed: 1_000, next: after + 1_000 } : { removed: 10 };
    },
  };
  const said: string[] = [];
  const log = {
    debug: () => undefined,
    info: (_message: string, fields?: Record<string, unknown>) =>
      void said.push(`${String(fields?.['events'])} removed`),
    warn: (message: string) => void said.push(message),
    error: () => undefined,
  };
  const stop = pruneEvents({ store, clock, timers: clock, log }, 7);
  await clock.advance(120_000);
  expect(asked).toEqual([0, 1_000, 2_000].map((after) => ({ before: 7 * 86_400_000, after })));
  away = true;
  await clock.advance(3_600_000);
  away = false;
  await clock.advance(3_600_000);
  expect(said).toEqual(['2010 removed', 'old events could not be removed', '10 removed']);
  expect(asked.slice(3).map(({ after }) => after)).toEqual([2_000]);
  stop();
  await clock.settle();
  expect(clock.pending).toBe(0);
});
