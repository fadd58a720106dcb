import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRecords, openStore, type PostgresStore, type Records } from '../../src/index.js';
import { attempt, campaign, lead, optimizer, protocolRun, putDefinition, taskRun } from '../rows.js';

/** What records say of what executed code. */

const runtime = { name: 'python', version: '3.11.2', environment: 'ab12' } as const;

let postgres: TestPostgres;
let database: TestDatabase;
let store: PostgresStore;
let records: Records;
let epoch: number;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await postgres.freshDatabase();
  store = await openStore({ url: asRole(database.url, 'orchestrator') });
  records = openRecords({ url: asRole(database.url, 'gateway') });
  epoch = await lead(store, 'first');
  await store.commit(epoch, [putDefinition]);
});
afterEach(async () => {
  await records.close();
  await store.close();
  await database.drop();
});

test('an attempt has what executed it, and a task has that of its latest attempt', async () => {
  await store.commit(epoch, [
    { op: 'insertProtocolRun', row: protocolRun('r1') },
    { op: 'insertTaskRun', row: taskRun('t1', { name: 'mix', runId: 'r1', attempt: 2 }) },
    { op: 'insertTaskRun', row: taskRun('t2', { name: 'rinse', runId: 'r1', attempt: 0 }) },
    { op: 'insertAttempt', row: attempt('a1', 't1', { state: 'failed' }) },
    { op: 'insertAttempt', row: attempt('a2', 't1', { number: 2 }) },
  ]);
  expect(await records.taskById('t1')).toMatchObject({ runtime: null });
  await store.commit(epoch, [{ op: 'updateAttempt', id: 'a2', patch: { runtime } }]);
  expect((await store.load()).attempts.find(({ id }) => id === 'a2')).toMatchObject({ runtime });
  expect(await records.attempt('a1')).toMatchObject({ runtime: null });
  expect(await records.attempt('a2')).toMatchObject({ runtime });
  expect(await records.taskById('t1')).toMatchObject({ runtime });
  expect((await records.protocolRun('run r1'))?.tasks).toMatchObject([
    { name: 'mix', runtime },
    { name: 'rinse', runtime: null },
  ]);
  const order = { limit: 10, sort: 'created_at', descending: false, filters: {}, after: null };
  const { items } = await records.list('tasks', order);
  expect(items.map((task) => [task.name, task.runtime])).toEqual([
    ['mix', runtime],
    ['rinse', null],
  ]);
});

test('the optimizer of a campaign has what executed it, and null when the release before stored it', async () => {
  const row = campaign('c1', { name: 'c', optimize: true, optimizer: { ...optimizer, runtime } });
  await store.commit(epoch, [{ op: 'insertCampaign', row }]);
  expect((await records.campaign('c'))?.optimizer).toMatchObject({ runtime });
  const { runtime: _runtime, ...earlier } = optimizer;
  await store.commit(epoch, [
    { op: 'updateCampaign', id: 'c1', patch: { optimizer: earlier as typeof optimizer } },
  ]);
  expect((await records.campaign('c'))?.optimizer?.runtime).toBeNull();
});
