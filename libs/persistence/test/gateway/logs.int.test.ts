import type { ListRequest, LogLine, WrittenLine } from '@lab/contracts';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  openGatewayStore,
  openRecords,
  openStore,
  type GatewayStore,
  type PostgresStore,
  type Records,
} from '../../src/index.js';
import { attempt, campaign, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let engine: PostgresStore;
let store: GatewayStore;
let records: Records;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  database = await postgres.freshDatabase();
  engine = await openStore({ url: asRole(database.url, 'orchestrator') });
  store = openGatewayStore({ url: asRole(database.url, 'gateway') });
  records = openRecords({ url: asRole(database.url, 'gateway') });
});
afterEach(async () => {
  await records.close();
  await store.close();
  await engine.close();
  await database.drop();
});

const line = (seq: number, over: Partial<WrittenLine> = {}): WrittenLine => ({
  seq,
  at: t0 + seq,
  level: 'info',
  source: 'task',
  message: `line ${seq}`,
  ...over,
});
const request: ListRequest = { limit: 100, sort: 'id', descending: false, filters: {}, after: null };
const list = async (filters: ListRequest['filters'] = {}): Promise<LogLine[]> =>
  (await records.list('logs', { ...request, filters })).items;
const messages = async (filters: ListRequest['filters'] = {}): Promise<string[]> =>
  (await list(filters)).map(({ message }) => message);

test('a line is stored with the work of its attempt and can be searched by it', async () => {
  const epoch = await lead(engine, 'first');
  await engine.commit(epoch, [
    putDefinition,
    { op: 'insertCampaign', row: campaign('c1', { name: 'sweep' }) },
    { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1', campaignId: 'c1' }) },
    { op: 'insertTaskRun', row: taskRun('t1', { name: 'mix', runId: 'r1' }) },
    { op: 'insertAttempt', row: attempt('a1', 't1', { number: 2 }) },
  ]);
  await store.logs.append('bench_b', 's1', [
    line(1, { attempt_id: 'a1', level: 'warn' }),
    line(2, { source: 'device', lab: 'lab', device: 'arm', level: 'debug', message: 'Moved 100% to_a' }),
    line(3, { attempt_id: 'unheard' }),
  ]);
  const [first, second] = await list();
  expect(first).toEqual({
    id: 1,
    at: new Date(t0 + 1).toISOString(),
    level: 'warn',
    source: 'task',
    computer: 'bench_b',
    lab: null,
    device: null,
    task_run_id: 't1',
    task: 'mix',
    protocol_run: 'run_1',
    campaign: 'sweep',
    attempt_id: 'a1',
    attempt: 2,
    message: 'line 1',
  });
  expect(second).toMatchObject({ lab: 'lab', device: 'arm', task: null, attempt: null });
  const moved = 'Moved 100% to_a';
  expect(await messages({ task_run: 't1' })).toEqual(['line 1']);
  expect(await messages({ protocol_run: 'run_1', task: 'mix', campaign: 'sweep' })).toEqual(['line 1']);
  expect(await messages({ lab: 'lab', device: 'arm', computer: 'bench_b' })).toEqual([moved]);
  expect(await messages({ source: ['device'] })).toEqual([moved]);
  expect(await messages({ text: '100% TO_' })).toEqual([moved]);
  expect(await messages({ level: 'info' })).toEqual(['line 1', 'line 3']);
  expect(await messages({ level: 'warn' })).toEqual(['line 1']);
  const between = { since: new Date(t0 + 2).toISOString(), until: new Date(t0 + 3).toISOString() };
  expect(await messages(between)).toEqual([moved]);
});

test('the time of a line is corrected by the offset of the clock of its computer', async () => {
  await store.logs.append('bench_b', 's1', [line(1)], 7_200_000.25);
  await store.logs.append('bench_c', 's2', [line(1)], -3_000);
  expect((await list()).map(({ at }) => Date.parse(at) - t0)).toEqual([1 - 7_200_000, 1 + 3_000]);
});

test('a repeated line is stored once, also when it arrives twice at the same time', async () => {
  const batch = Array.from({ length: 50 }, (_, n) => line(n + 1));
  const [ahead, rest] = [batch.slice(0, 20), batch.slice(10)];
  await store.logs.append('c', 's1', ahead);
  await Promise.all([1, 2, 3, 4].map(() => store.logs.append('c', 's1', rest)));
  await store.logs.append('c', 's2', [line(1, { message: 'of another process' })]);
  const seen = await list();
  expect(seen.map(({ message }) => message)).toEqual([
    ...batch.map(({ message }) => message),
    'of another process',
  ]);
  // A reader after an id would have to skip the numbers that repeats had used.
  expect(seen.at(-1)?.id).toBe(51);
});

test('a text that the database cannot store is stored with replacement characters', async () => {
  await store.logs.append('c', 's1', [line(1, { message: 'a\u0000b\ud800c', lab: 'l\u0000', device: 'd' })]);
  expect(await messages()).toEqual(['a\u2400b\ufffdc']);
});

test('lines are removed by age and by number, the oldest first', async () => {
  for (let batch = 0; batch < 27; batch += 1) {
    const lines = Array.from({ length: 200 }, (_, n) => line(batch * 200 + n + 1));
    await store.logs.append('c', 's1', lines);
  }
  expect(await store.logs.prune(t0, 20_000)).toBe(0);
  expect(await store.logs.prune(t0, 3)).toBe(5_397);
  expect(await messages()).toEqual(['line 5398', 'line 5399', 'line 5400']);
  expect(await store.logs.prune(Date.now() + 60_000, 20_000)).toBe(3);
  await store.logs.append('c', 's1', [line(5_401)]);
  expect((await list()).map(({ id }) => id)).toEqual([5_401]);
});

test('lines are read after an id, with or without a filter, and the last removed one is known', async () => {
  const ids = async (id: number, limit: number, filters = {}): Promise<number[]> =>
    (await store.logs.after(id, limit, filters)).lines.map((each) => each.id);
  expect(await store.logs.extent()).toEqual({ latest: 0, pruned: 0 });
  expect(await store.logs.after(0, 5)).toEqual({ pruned: 0, lines: [] });
  await store.logs.append(
    'c',
    's1',
    Array.from({ length: 9 }, (_, n) => line(n + 1, { level: n % 3 === 0 ? 'warn' : 'info' })),
  );
  expect((await store.logs.after(0, 1)).lines).toEqual((await list()).slice(0, 1));
  expect(await ids(2, 3)).toEqual([3, 4, 5]);
  expect(await ids(2, 3, { level: 'warn' })).toEqual([4, 7]);
  expect(await ids(0, 3, { text: 'LINE 8', source: ['task', 'device'], computer: 'c' })).toEqual([8]);
  await store.logs.prune(t0, 4);
  expect(await store.logs.after(7, 9, { level: 'error' })).toEqual({ pruned: 5, lines: [] });
  expect(await ids(0, 9)).toEqual([6, 7, 8, 9]);
  await store.logs.prune(Date.now() + 60_000, 4);
  expect(await store.logs.extent()).toEqual({ latest: 9, pruned: 9 });
});
