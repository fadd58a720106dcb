import type { Change, DefinitionRow, DeletionRow, UsageRow } from '@lab/engine';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openGatewayStore, openStore, type PostgresStore } from '../../src/index.js';
import { campaign, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

/** What owners and laboratories store, as the triggers count it. */

let postgres: TestPostgres;
let store: PostgresStore;
let gateway: ReturnType<typeof openGatewayStore>;
let admin: pg.Client;
let url = '';
let epoch = 0;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  ({ url } = await postgres.freshDatabase());
  store = await openStore({ url: asRole(url, 'orchestrator') });
  gateway = openGatewayStore({ url: asRole(url, 'gateway') });
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  epoch = await lead(store, 'first');
});
afterEach(async () => {
  await admin.end();
  await gateway.close();
  await store.close();
});

const protocolOf = (labs: string[]): DefinitionRow => {
  const hash = `protocol of ${labs.join()}`;
  const protocol = { type: 'p', desc: '', labs, resources: {}, tasks: [] };
  return { hash, kind: 'protocol', body: { hash, protocol, tasks: {} } };
};
const beaker: Change = {
  op: 'putResource',
  row: { name: 'beaker_1', type: 'beaker', lab: 'store_lab', meta: {} },
};
const over = { state: 'completed', endedAt: t0 } as const;
const filesOf = (...sizes: number[]) => sizes.map((size, n) => ({ name: `f${n}`, size, sha256: 's' }));

/** A run with tasks `<id>1` to `<id>n`. */
const runOf = (
  id: string,
  owner: string,
  labs: string[],
  tasks: number,
  campaignId: string | null = null,
): Change[] => {
  const definition = protocolOf(labs);
  const { hash: definitionHash } = definition;
  return [
    { op: 'putDefinition', row: definition },
    {
      op: 'insertProtocolRun',
      row: protocolRun(id, { name: id, owner, campaignId, definitionHash, ...over }),
    },
    ...Array.from({ length: tasks }, (_, n): Change => {
      const row = taskRun(`${id}${n + 1}`, { name: `t${n}`, runId: id, owner, definitionHash, attempt: 1 });
      return { op: 'insertTaskRun', row: { ...row, devices: {}, resources: {} } };
    }),
  ];
};
const leaves = (id: string, ...sizes: number[]): Change => ({
  op: 'updateTaskRun',
  id,
  patch: { outputFiles: filesOf(...sizes) },
});
const deletionOf = (workId: string, kind: DeletionRow['kind'], what: DeletionRow['what']): Change => ({
  op: 'putDeletion',
  row: {
    ...{
      id: `${what} of ${workId}`,
      workId,
      kind,
      name: workId,
      owner: '',
      labs: [],
      what,
      state: 'running',
    },
    ...{ reason: '', by: '', at: t0, dueAt: t0, endedAt: null, endedBy: null, removed: null },
  },
});

const numbers = (rows: readonly UsageRow[]): Record<string, number[]> =>
  Object.fromEntries(
    rows.map(({ kind, name, records, files, bytes }) => [`${kind} ${name}`, [records, files, bytes]]),
  );
const counted = async (): Promise<Record<string, number[]>> => numbers(await store.usage());

/** Deletes as the services do, in portions of two. */
const remove = async (...asked: Parameters<typeof deletionOf>): Promise<number[]> => {
  await store.commit(epoch, [deletionOf(...asked)]);
  for (const waiting of await gateway.fileSweeps.waiting())
    await gateway.fileSweeps.done(waiting, { files: 0, bytes: 0 });
  const [workId, , what] = asked;
  const removed: number[] = [];
  while (removed.at(-1) !== 0) removed.push(await store.removeRecords(`${what} of ${workId}`, 2));
  return removed;
};

describe('the store', () => {
  test('counts task runs for their owner and their laboratories', async () => {
    await store.commit(epoch, [beaker]);
    await store.commit(epoch, [
      ...runOf('r', 'ada', ['lab_a', 'lab_b'], 3),
      ...runOf('s', 'ada', [], 1),
      putDefinition,
      { op: 'insertTaskRun', row: taskRun('alone', { owner: '' }) },
    ]);
    const expected = {
      ...{ 'owner ada': [4, 0, 0], 'owner ': [1, 0, 0], 'lab lab_a': [3, 0, 0], 'lab lab_b': [3, 0, 0] },
      ...{ 'lab color_lab': [1, 0, 0], 'lab store_lab': [1, 0, 0] },
    };
    expect(await counted()).toEqual(expected);
    expect(numbers((await store.load()).usage)).toEqual(expected);
  });

  test('counts the files of every attempt, and none twice', async () => {
    await store.commit(epoch, runOf('r', 'ada', ['lab_a'], 2));
    await store.commit(epoch, [leaves('r1', 5, 7)]);
    await store.commit(epoch, [
      leaves('r1', 5, 7),
      { op: 'updateTaskRun', id: 'r1', patch: { meta: { a: 1 } } },
    ]);
    expect(await counted()).toEqual({ 'owner ada': [2, 2, 12], 'lab lab_a': [2, 2, 12] });
    await store.commit(epoch, [
      { op: 'updateTaskRun', id: 'r1', patch: { outputFiles: [] } },
      leaves('r2', 1),
    ]);
    await store.commit(epoch, [leaves('r1', 2 ** 40)]);
    const all = [2, 4, 13 + 2 ** 40];
    expect(await counted()).toEqual({ 'owner ada': all, 'lab lab_a': all });
  });

  test('counts nothing of a commit that is refused', async () => {
    await store.commit(epoch, runOf('r', 'ada', ['lab_a'], 1));
    const refused = [...runOf('s', 'ada', ['lab_a'], 1), leaves('r1', 5), ...runOf('r', 'ada', ['lab_a'], 1)];
    await expect(store.commit(epoch, refused)).rejects.toThrow();
    await expect(store.commit(epoch - 1, runOf('s', 'ada', ['lab_a'], 1))).rejects.toThrow();
    expect(await counted()).toEqual({ 'owner ada': [1, 0, 0], 'lab lab_a': [1, 0, 0] });
  });

  test('forgets files when their deletion runs, and records when theirs does', async () => {
    await store.commit(epoch, [
      ...runOf('kept', 'ada', ['lab_a'], 1),
      {
        op: 'insertCampaign',
        row: campaign('c', { name: 'c', ...over, definitionHash: protocolOf(['lab_a']).hash }),
      },
      ...runOf('r', 'ada', ['lab_a'], 3, 'c'),
      // The protocol was loaded again with another laboratory.
      ...runOf('s', 'ada', ['lab_b'], 2, 'c'),
    ]);
    await store.commit(epoch, [
      leaves('kept1', 1),
      ...['r1', 'r2', 'r3', 's1'].map((id) => leaves(id, 10, 20)),
    ]);
    expect(await counted()).toEqual({
      'owner ada': [6, 9, 121],
      'lab lab_a': [4, 7, 91],
      'lab lab_b': [2, 2, 30],
    });
    expect(await remove('c', 'campaign', 'files')).toEqual([2, 2, 0]);
    const kept = [1, 1, 1];
    expect(await counted()).toEqual({
      'owner ada': [6, 1, 1],
      'lab lab_a': [4, 1, 1],
      'lab lab_b': [2, 0, 0],
    });
    // A run that goes on after that leaves new files.
    await store.commit(epoch, [leaves('s2', 100)]);
    expect(await counted()).toMatchObject({ 'owner ada': [6, 2, 101], 'lab lab_b': [2, 1, 100] });
    expect(await remove('c', 'campaign', 'everything')).toEqual([2, 2, 1, 2, 1, 0]);
    expect(await counted()).toEqual({ 'owner ada': kept, 'lab lab_a': kept, 'lab lab_b': [0, 0, 0] });
    expect(await remove('kept', 'protocol_run', 'everything')).toEqual([1, 1, 0]);
    expect(await counted()).toMatchObject({ 'owner ada': [0, 0, 0], 'lab lab_a': [0, 0, 0] });
  });

  test('counts on while commits and deletions run at the same time', async () => {
    const works = Array.from({ length: 8 }, (_, n) => `d${n}`);
    const labs = ['lab_a', 'lab_b', 'lab_c'];
    const pair = (n: number): string[] => [labs[n % 3] ?? '', labs[(n + 1) % 3] ?? ''];
    for (const [n, id] of works.entries()) {
      await store.commit(epoch, runOf(id, n % 2 === 0 ? 'ada' : 'bob', pair(n), 4));
      await store.commit(epoch, [leaves(`${id}1`, 10), leaves(`${id}3`, 10)]);
    }
    await Promise.all([
      ...works.map((id) => remove(id, 'protocol_run', 'everything')),
      (async () => {
        for (let n = 0; n < 30; n += 1) {
          const id = `n${n}`;
          await store.commit(epoch, [
            ...(n === 0 ? [] : [leaves(`n${n - 1}1`, 3)]),
            ...runOf(id, n % 2 === 0 ? 'bob' : 'ada', pair(n), 2),
          ]);
        }
      })(),
    ]);
    expect(await counted()).toEqual({
      ...{ 'owner ada': [30, 14, 42], 'owner bob': [30, 15, 45] },
      ...{ 'lab lab_a': [40, 19, 57], 'lab lab_b': [40, 20, 60], 'lab lab_c': [40, 19, 57] },
    });
  });

  test('counts what was stored before the tables were there', async () => {
    await store.commit(epoch, [beaker]);
    await store.commit(epoch, [
      ...runOf('r', 'ada', ['lab_a', 'lab_b'], 2),
      ...runOf('s', 'bob', ['lab_a'], 1),
      putDefinition,
      { op: 'insertTaskRun', row: taskRun('alone', { owner: '' }) },
    ]);
    await store.commit(epoch, [leaves('r1', 5, 6), leaves('s1', 9), leaves('alone', 1)]);
    await remove('s', 'protocol_run', 'files');
    await admin.query(`update deletion set state = 'done'`);
    const before = await counted();
    expect(before).toMatchObject({
      'owner bob': [1, 0, 0],
      'lab lab_b': [2, 2, 11],
      'lab store_lab': [1, 1, 1],
    });
    await admin.query(`
      drop table stored_files, usage, definition_lab;
      drop function note_labs(), count_task_runs(), count_files(), note_files() cascade;
      drop function labs_of_task(text, text, jsonb, jsonb);
      comment on function commit_changes(bigint, uuid, jsonb) is null;
      drop table task_device;
      drop function task_device_keep(), device_of(jsonb) cascade;
      drop index task_run_by_name;
      create index task_run_devices on task_run (id);
      alter table access_token drop column pipeline, drop column exchanged;
      alter table trial drop column durations;
      alter table attempt drop column runtime;
      alter table effect drop column runtime;
      drop function count_device_files() cascade;
      drop function device_file_store(text, double precision, jsonb), device_file_remove(text),
        device_file_delete(text, text, text, interval),
        device_file_keep(text), device_files_delete_old(integer, interval, integer), device_files_begin_deletion(integer),
        device_file_removed(text), lab_is_held(text), count_device_file(device_file, integer),
        device_file_attach(text, text, text, text, text, text),
        attempt_of_file(text, text, text, jsonb, timestamptz), tell_of_device_file(device_file, text);
      drop table device_file;
      delete from schema_migration where name >= '0019';`);
    await (await openStore({ url })).close();
    expect(await counted()).toEqual(before);
  });

  test('lets no service change the count', async () => {
    for (const role of ['orchestrator', 'gateway'] as const) {
      const other = new pg.Client({ connectionString: asRole(url, role) });
      await other.connect();
      for (const change of [
        `update usage set records = 0`,
        `delete from usage`,
        `insert into stored_files values ('x', 1, 1)`,
        `delete from stored_files`,
        `delete from definition_lab`,
      ])
        await expect(other.query(change)).rejects.toMatchObject({ code: '42501' });
      await other.end();
    }
  });
});
