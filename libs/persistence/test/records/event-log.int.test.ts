import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEventLog, openStore, type EventLog } from '../../src/index.js';
import { lead, t0 } from '../rows.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

const tell = (aggregate: string, type = 'x') => ({
  op: 'tell' as const,
  event: { aggregate, type, body: { name: aggregate }, at: t0 },
});

/** Reads everything behind an id, as a follower does. */
async function everything(log: EventLog, from = 0): Promise<{ id: number; line: string }[]> {
  const found: { id: number; line: string }[] = [];
  for (let id = from; ;) {
    const { events } = await log.after(id, 3);
    if (events.length === 0) return found;
    found.push(...events.map((event) => ({ id: event.id, line: `${event.aggregate} ${event.seq}` })));
    id = events.at(-1)?.id ?? id;
  }
}

test('a follower misses no event that is committed late by one of two writers', async () => {
  const { url } = await postgres.freshDatabase();
  const store = await openStore({ url: asRole(url, 'orchestrator') });
  const log = openEventLog({ url: asRole(url, 'gateway') });
  const slow = new pg.Client({ connectionString: url });
  await slow.connect();
  try {
    const epoch = await lead(store, 'first');
    const seen: string[] = [];
    let last = 0;
    const follow = async (): Promise<void> => {
      for (const { id, line } of await everything(log, last)) {
        expect(id).toBeGreaterThan(last);
        last = id;
        seen.push(line);
      }
    };
    for (let n = 0; n < 10; n += 1) {
      // One commit has drawn its ids and is not visible yet, while another one tries to overtake it.
      await slow.query('begin');
      const events = [tell(`slow${n}`), tell('both')].map(({ event }) => ({
        ...event,
        at: new Date(event.at).toISOString(),
      }));
      await slow.query('select commit_changes($1, gen_random_uuid(), $2::jsonb)', [
        epoch,
        JSON.stringify({ events }),
      ]);
      const fast = store.commit(epoch, [tell(`fast${n}`), tell('both')]);
      await follow();
      await slow.query(n === 4 ? 'rollback' : 'commit');
      await fast;
      await follow();
    }
    expect(seen).toEqual((await everything(log)).map(({ line }) => line));
    expect(seen.filter((line) => line.startsWith('both'))).toEqual(
      Array.from({ length: 19 }, (_, index) => `both ${index + 1}`),
    );
    expect(seen).toHaveLength(38);
  } finally {
    await slow.end();
    await log.close();
    await store.close();
  }
});

test('a listener is called after every commit with events, also after a lost connection', async () => {
  const { url } = await postgres.freshDatabase();
  const store = await openStore({ url: asRole(url, 'orchestrator') });
  const log = openEventLog({ url: asRole(url, 'gateway') });
  try {
    const epoch = await lead(store, 'first');
    let calls = 0;
    let called = (): void => undefined;
    const next = async (act: () => Promise<unknown>): Promise<void> => {
      const before = calls;
      await act();
      while (calls === before)
        await new Promise<void>((resolve) => {
          called = resolve;
        });
    };
    const listen = (): Promise<void> => {
      log.listen(() => {
        calls += 1;
        called();
      });
      return Promise.resolve();
    };
    await next(listen);
    await next(() => store.commit(epoch, [tell('a')]));
    await next(async () => {
      const admin = new pg.Client({ connectionString: postgres.url });
      await admin.connect();
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity 
         where application_name = 'lab-events' and datname = $1`,
        [new URL(url).pathname.slice(1)],
      );
      await admin.end();
    });
    await next(() => store.commit(epoch, [tell('b')]));
    expect((await everything(log)).map(({ line }) => line)).toEqual(['a 1', 'b 1']);
  } finally {
    await log.close();
    await store.close();
  }
});

test('the last removed event is known, and the history of each record is read by its numbers', async () => {
  const { url } = await postgres.freshDatabase();
  const store = await openStore({ url: asRole(url, 'orchestrator') });
  const log = openEventLog({ url: asRole(url, 'gateway') });
  try {
    expect(await log.extent()).toEqual({ latest: 0, pruned: 0 });
    expect(await log.after(0, 10)).toEqual({ pruned: 0, events: [] });
    const epoch = await lead(store, 'first');
    await store.commit(epoch, [tell('a'), tell('b'), tell('a'), tell('a', 'y')]);
    const [first] = (await log.after(0, 1)).events;
    expect(first).toEqual({
      id: 1,
      type: 'x',
      schema: 1,
      aggregate: 'a',
      seq: 1,
      at: new Date(t0).toISOString(),
      body: { name: 'a' },
    });
    const history = async (after: number, limit: number): Promise<number[]> =>
      (await log.history('a', after, limit)).map(({ seq }) => seq);
    expect(await history(0, 10)).toEqual([1, 2, 3]);
    expect(await history(1, 1)).toEqual([2]);
    expect(await log.history('none\u0000', 0, 1)).toEqual([]);

    await store.pruneEvents(t0 + 1, 0, 100);
    expect(await log.extent()).toEqual({ latest: 4, pruned: 3 });
    expect(await history(0, 10)).toEqual([3]);
    await store.pruneEvents(t0 + 1, 0, 100);
    expect(await log.after(4, 10)).toEqual({ pruned: 3, events: [] });
  } finally {
    await log.close();
    await store.close();
  }
});
