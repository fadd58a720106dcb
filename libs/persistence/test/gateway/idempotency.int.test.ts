import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGatewayStore, openStore, type GatewayStore, type PostgresStore } from '../../src/index.js';

let postgres: TestPostgres;
let database: TestDatabase;
let engine: PostgresStore;
let store: GatewayStore;
let admin: pg.Client;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  database = await postgres.freshDatabase();
  engine = await openStore({ url: asRole(database.url, 'orchestrator') });
  store = openGatewayStore({ url: asRole(database.url, 'gateway') });
  admin = new pg.Client(database.url);
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
  await store.close();
  await engine.close();
  await database.drop();
});

const name = { principal: 'token:ada', route: 'POST /api/tasks', key: 'k' };
const answer = { status: 201, location: '/api/tasks/x', body: '{"name":"x"}' };
const take = (fingerprint = 'f', holder = 'one') => store.keys.take(name, fingerprint, holder, 15);
/** Simulates that this number of seconds has passed. */
const pass = (s: number) =>
  admin.query(
    `update idempotency_key set begun_at = begun_at - make_interval(secs => $1), held_until = held_until - make_interval(secs => $1)`,
    [s],
  );

test('one of many simultaneous requests gets a key', async () => {
  const states = await Promise.all(Array.from({ length: 8 }, (_, n) => take('f', `holder-${n}`)));
  expect(states.map(({ state }) => state).sort()).toEqual([...Array<string>(7).fill('in_progress'), 'new']);
});

test('an answer is kept for 24 hours, for its principal, route and request', async () => {
  expect(await take()).toMatchObject({ state: 'new' });
  await store.keys.answer(name, 'one', answer);
  expect(await take('f', 'two')).toEqual({ state: 'answered', answer });
  expect(await take('g', 'two')).toEqual({ state: 'other_request' });
  for (const other of [{ principal: 'token:bob' }, { route: 'POST /api/protocols' }, { key: 'l' }])
    expect(await store.keys.take({ ...name, ...other }, 'f', 'two', 15)).toMatchObject({ state: 'new' });
  await pass(24 * 3_600 - 60);
  expect(await store.keys.forget()).toBe(0);
  expect(await take('f', 'two')).toEqual({ state: 'answered', answer });
  await pass(120);
  expect(await take('g', 'two')).toMatchObject({ state: 'new' });
  expect(await store.keys.forget()).toBe(3);
});

test('a key is in progress while its holder renews it, and broken off after its lease', async () => {
  await take();
  await pass(14);
  expect(await take('f', 'two')).toEqual({ state: 'in_progress' });
  await store.keys.holdOn('one', 15);
  await pass(14);
  expect(await take('f', 'two')).toEqual({ state: 'in_progress' });
  await pass(2);
  expect(await take('g', 'two')).toEqual({ state: 'other_request' });
  expect(await take('f', 'two')).toMatchObject({ state: 'broken_off' });
  // The holder that was considered dead answers too late.
  await store.keys.answer(name, 'one', answer);
  await store.keys.giveBack(name, 'one');
  expect(await take('f', 'three')).toEqual({ state: 'in_progress' });
  await store.keys.answer(name, 'two', { ...answer, status: 202 });
  expect(await take('f', 'three')).toMatchObject({ answer: { status: 202 } });
});

test('a returned key is free, and an abandoned one is free after its lease', async () => {
  await take();
  await store.keys.giveBack(name, 'one');
  expect(await take('g', 'two')).toMatchObject({ state: 'new' });
  await store.keys.letGo(name, 'two');
  await store.keys.holdOn('two', 60);
  expect(await take('g', 'two')).toEqual({ state: 'in_progress' });
  await pass(16);
  expect(await take('g', 'two')).toMatchObject({ state: 'broken_off' });
});

test('a repeat has the id of the first submission, and a key that is free again gives another id', async () => {
  const idOf = async (...asked: Parameters<typeof take>): Promise<string> => {
    const state = await take(...asked);
    return 'submissionId' in state ? state.submissionId : state.state;
  };
  const first = await idOf();
  await pass(16);
  expect(await idOf('f', 'two')).toBe(first);
  await store.keys.giveBack(name, 'two');
  const second = await idOf('g', 'two');
  expect(second).not.toBe(first);
  await pass(24 * 3_600 + 60);
  expect([first, second]).not.toContain(await idOf('g', 'three'));
});
