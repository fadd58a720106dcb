import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/index.js';
import { lead, t0 } from '../rows.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

test('old events are removed in small batches, and the latest of every record stays, so that numbers continue', async () => {
  const { url } = await postgres.freshDatabase();
  const store = await openStore({ url: asRole(url, 'orchestrator') });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const epoch = await lead(store, 'first');
    const tell = (aggregate: string, at: number) => ({
      op: 'tell' as const,
      event: { aggregate, type: 'x', body: {}, at },
    });
    for (let n = 0; n < 30; n += 1) await store.commit(epoch, [tell('a', t0 + n), tell('b', t0 + n)]);
    await store.commit(epoch, [tell('b', t0 + 5_000), tell('c', t0)]);

    const rounds: { removed: number; next?: number }[] = [];
    for (let next: number | undefined = 0; next !== undefined;) {
      const done = await store.pruneEvents(t0 + 1_000, next, 25);
      rounds.push(done);
      next = done.next;
    }
    expect(rounds.length).toBe(3);
    expect(rounds.reduce((sum, { removed }) => sum + removed, 0)).toBe(59);
    const left = await client.query<{ line: string }>(
      `select aggregate || ' ' || seq as line from outbox order by aggregate`,
    );
    expect(left.rows.map(({ line }) => line)).toEqual(['a 30', 'b 31', 'c 1']);

    await store.commit(epoch, [tell('a', t0 + 6_000), tell('c', t0 + 6_000)]);
    const next = await client.query<{ line: string }>(
      `select aggregate || ' ' || seq as line from outbox where seq > 1 order by aggregate, seq`,
    );
    expect(next.rows.map(({ line }) => line)).toEqual(['a 30', 'a 31', 'b 31', 'c 2']);
    expect(await store.pruneEvents(t0 - 1, 0, 25)).toEqual({ removed: 0 });
    // All events of a except the latest are old now. A removal never passes a recent event.
    expect(await store.pruneEvents(t0 + 1_000, 0, 1)).toMatchObject({ removed: 1 });
  } finally {
    await client.end();
    await store.close();
  }
});
