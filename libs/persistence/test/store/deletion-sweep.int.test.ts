import type { Change, DeletionRow } from '@lab/engine';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGatewayStore, openRecords, openStore, type PostgresStore } from '../../src/index.js';
import { attempt, campaign, lead, protocolRun, putDefinition, t0, taskRun, trial } from '../rows.js';

let postgres: TestPostgres;
let store: PostgresStore;
let gateway: ReturnType<typeof openGatewayStore>;
let client: pg.Client;
let url = '';
let epoch = 0;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

const finished = { state: 'completed', endedAt: t0 } as const;
const runOf = (id: string, campaignId: string | null): Change[] => [
  { op: 'insertProtocolRun', row: protocolRun(id, { name: `run ${id}`, campaignId, ...finished }) },
  ...['a', 'b'].flatMap((name): Change[] => [
    {
      op: 'insertTaskRun',
      row: taskRun(`${id}${name}`, { name, runId: id, attempt: 1, devices: {}, resources: {}, ...finished }),
    },
    { op: 'insertAttempt', row: attempt(`${id}${name}1`, `${id}${name}`, finished) },
    { op: 'tell', event: { aggregate: `task_run/${id}${name}`, type: 'x', body: {}, at: t0 } },
  ]),
  { op: 'tell', event: { aggregate: `protocol_run/${id}`, type: 'x', body: {}, at: t0 } },
];

const counts = async (): Promise<Record<string, number>> => {
  const tables = [
    'campaign',
    'protocol_run',
    'task_run',
    'attempt',
    'attention',
    'trial',
    'log_line',
    'archive',
  ];
  const found: Record<string, number> = {};
  for (const table of tables)
    found[table] = Number((await client.query<{ n: string }>(`select count(*) n from ${table}`)).rows[0]?.n);
  return found;
};

const deletion = (workId: string, kind: DeletionRow['kind'], more: Partial<DeletionRow> = {}): Change => ({
  op: 'putDeletion',
  row: {
    ...{ id: `of ${workId}`, workId, kind, name: `the ${workId}`, owner: 'ada', labs: [] },
    ...{ what: 'everything', state: 'running', reason: 'r', by: 'ada', at: t0, dueAt: t0 },
    ...{ endedAt: null, endedBy: null, removed: null },
    ...more,
  },
});

const sweepAll = async (id: string, limit: number): Promise<number[]> => {
  const removed: number[] = [];
  for (;;) {
    removed.push(await store.removeRecords(id, limit));
    if (removed.at(-1) === 0) return removed;
  }
};

beforeEach(async () => {
  ({ url } = await postgres.freshDatabase());
  store = await openStore({ url: asRole(url, 'orchestrator') });
  gateway = openGatewayStore({ url: asRole(url, 'gateway') });
  client = new pg.Client({ connectionString: url });
  await client.connect();
  epoch = await lead(store, 'first');
  await store.commit(epoch, [
    putDefinition,
    { op: 'insertCampaign', row: campaign('c', { name: 'the c', ...finished }) },
    { op: 'insertCampaign', row: campaign('other', { name: 'other', ...finished }) },
    ...runOf('r1', 'c'),
    ...runOf('r2', 'c'),
    ...runOf('s', null),
    ...runOf('o', 'other'),
    { op: 'insertTrial', row: trial('c', 1) },
    { op: 'insertTaskRun', row: taskRun('alone', { name: 'the alone', attempt: 1, ...finished }) },
    { op: 'tell', event: { aggregate: 'campaign/c', type: 'x', body: {}, at: t0 } },
    { op: 'tell', event: { aggregate: 'campaign/c', type: 'y', body: {}, at: t0 } },
  ]);
  await client.query(`insert into attention (id, kind, state, task_run_id, attempt_id, reason, known, opened_at)
    values ('i1', 'task', 'resolved', 'r1a', 'r1a1', '{}', '{}', now()), ('i2', 'task', 'resolved', 'oa', 'oa1', '{}', '{}', now())`);
  await gateway.logs.append(
    'pc',
    'stream',
    [
      ...['r1a1', 'oa1'].map((id, n) => ({
        ...{ seq: n + 1, at: t0, level: 'info' as const, source: 'task' as const },
        ...{ attempt_id: id, message: 'hello' },
      })),
    ],
    0,
  );
});
afterEach(async () => {
  await client.end();
  await gateway.close();
  await store.close();
});

test('a campaign goes portion by portion with all that refers to it, and nothing else goes', async () => {
  expect(await counts()).toMatchObject({
    campaign: 2,
    protocol_run: 4,
    task_run: 9,
    attempt: 8,
    log_line: 2,
  });
  await store.commit(epoch, [deletion('c', 'campaign')]);
  // The files go first.
  expect(await store.removeRecords('of c', 3)).toBe(0);
  expect(await store.filesRemoved('of c')).toBeUndefined();
  const [waiting, ...more] = await gateway.fileSweeps.waiting();
  expect([waiting, more]).toEqual([{ id: 'of c', workId: 'c', kind: 'campaign' }, []]);
  if (waiting === undefined) return;
  expect(await gateway.fileSweeps.taskRuns(waiting, '', 3)).toEqual(['r1a', 'r1b', 'r2a']);
  expect(await gateway.fileSweeps.taskRuns(waiting, 'r2a', 3)).toEqual(['r2b']);
  for (let n = 0; n < 2; n += 1) await gateway.fileSweeps.done(waiting, { files: 5, bytes: 2 ** 40 });
  expect(await gateway.fileSweeps.waiting()).toEqual([]);
  expect(await store.filesRemoved('of c')).toEqual({ task_runs: 4, files: 5, bytes: 2 ** 40 });

  expect(await sweepAll('of c', 3)).toEqual([3, 1, 2, 1, 1, 0]);
  expect(await counts()).toEqual({
    ...{ campaign: 1, protocol_run: 2, task_run: 5, attempt: 4, attention: 1, trial: 0, log_line: 1 },
    archive: 0,
  });
  const events = await client.query<{ line: string }>(
    `select aggregate || ' ' || seq as line from outbox where aggregate like '%/c' or aggregate like '%/r%' order by 1`,
  );
  expect(events.rows.map(({ line }) => line)).toEqual(['campaign/c 1', 'campaign/c 2']);
  // The name is free.
  await store.commit(epoch, [{ op: 'insertCampaign', row: campaign('c2', { name: 'the c' }) }]);
});

test('a run and an on-demand task go with their archive rows, and their names are free', async () => {
  const archived = (id: string, kind: 'protocol_run' | 'task_run'): Change => ({
    op: 'archive',
    row: { id, kind, name: id, archivedAt: t0, archivedBy: 'ada', restoredAt: null },
  });
  await store.commit(epoch, [archived('s', 'protocol_run'), archived('alone', 'task_run')]);
  for (const [id, kind] of [
    ['s', 'protocol_run'],
    ['alone', 'task_run'],
  ] as const) {
    await store.commit(epoch, [deletion(id, kind)]);
    for (const waiting of await gateway.fileSweeps.waiting())
      await gateway.fileSweeps.done(waiting, { files: 0, bytes: 0 });
  }
  expect(await sweepAll('of s', 100)).toEqual([2, 1, 0]);
  expect(await sweepAll('of alone', 100)).toEqual([1, 0]);
  expect(await counts()).toMatchObject({ protocol_run: 3, task_run: 6, archive: 0 });
});

test('nothing goes unless the deletion runs and is one of everything', async () => {
  await store.commit(epoch, [
    deletion('s', 'protocol_run', { id: 'files', what: 'files' }),
    deletion('c', 'campaign', { id: 'planned', state: 'planned' }),
  ]);
  const [waiting] = await gateway.fileSweeps.waiting();
  expect(waiting?.id).toBe('files');
  if (waiting !== undefined) await gateway.fileSweeps.done(waiting, { files: 1, bytes: 1 });
  expect(await store.filesRemoved('files')).toEqual({ task_runs: 0, files: 1, bytes: 1 });
  expect([await store.removeRecords('files', 9), await store.removeRecords('planned', 9)]).toEqual([0, 0]);
  expect(await counts()).toMatchObject({ task_run: 9 });
});

test('files of an attempt that did not complete wait until no upload of it can arrive', async () => {
  await client.query(`update attempt set state = 'failed', ended_at = now() where id = 'sa1'`);
  await store.commit(epoch, [deletion('s', 'protocol_run')]);
  expect(await gateway.fileSweeps.waiting()).toEqual([]);
  await client.query(`update attempt set ended_at = now() - interval '21 minutes' where id = 'sa1'`);
  expect(await gateway.fileSweeps.waiting()).toHaveLength(1);
});

test('an attempt that never ran delays no deletion', async () => {
  await client.query(`update attempt set state = 'never_ran', ended_at = now() where id = 'sa1'`);
  await store.commit(epoch, [deletion('s', 'protocol_run')]);
  expect(await gateway.fileSweeps.waiting()).toHaveLength(1);
});

test('the services themselves cannot remove rows', async () => {
  for (const role of ['orchestrator', 'gateway'] as const) {
    const other = new pg.Client({ connectionString: asRole(url, role) });
    await other.connect();
    for (const table of ['campaign', 'protocol_run', 'task_run', 'attempt', 'trial', 'attention', 'deletion'])
      await expect(other.query(`delete from ${table}`)).rejects.toMatchObject({ code: '42501' });
    if (role === 'gateway')
      await expect(other.query(`select sweep_deletion('x', 1)`)).rejects.toMatchObject({ code: '42501' });
    await other.end();
  }
});

test('old work is found by the age of its end or of its archiving, once', async () => {
  const page = { before: t0 + 1, after: '', limit: 10 };
  const names = async (what: 'files' | 'everything'): Promise<string[]> =>
    (await store.deletableBefore('protocol_run', what, page)).map(({ id }) => id);
  expect(await names('files')).toEqual(['s']);
  expect(await names('everything')).toEqual([]);
  const row = { id: 's', kind: 'protocol_run', name: 's', archivedAt: t0, archivedBy: 'ada' } as const;
  await store.commit(epoch, [{ op: 'archive', row: { ...row, restoredAt: null } }]);
  expect(await names('everything')).toEqual(['s']);
  await store.commit(epoch, [deletion('s', 'protocol_run', { state: 'cancelled' })]);
  expect(await names('everything')).toEqual([]);
  expect(await names('files')).toEqual(['s']);
});

test('deletions are listed with their filters', async () => {
  await store.commit(epoch, [
    deletion('c', 'campaign', { labs: ['color_lab'], removed: { task_runs: 1, files: 2, bytes: 3 } }),
    deletion('s', 'protocol_run', { state: 'done', owner: 'bob', at: t0 + 1_000 }),
  ]);
  const records = openRecords({ url: asRole(url, 'gateway') });
  const request = { limit: 10, sort: 'created_at', descending: true, filters: {}, after: null };
  const ids = async (more: object): Promise<string[]> =>
    (await records.list('deletions', { ...request, ...more })).items.map(({ work_id: id }) => id);
  expect(await ids({})).toEqual(['s', 'c']);
  expect(await ids({ filters: { state: ['done'] } })).toEqual(['s']);
  expect(await ids({ filters: { lab: 'color_lab' } })).toEqual(['c']);
  expect(await ids({ within: ['color_lab', 'x'] })).toEqual(['c']);
  expect(await ids({ within: ['x'] })).toEqual([]);
  await records.close();
});
