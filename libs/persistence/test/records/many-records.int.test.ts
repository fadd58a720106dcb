import { testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { openRecords, openStore, type Records } from '../../src/index.js';

let postgres: TestPostgres;
let admin: pg.Client;
let records: Records;
let url: string;

/** 5,000 runs of one campaign, with two ended tasks each, one second apart, on 300 devices in turn. */
const history = `
insert into definition (hash, kind, body) values ('h', 'protocol',
  '{"protocol": {"type": "p"}, "tasks": {"mix": {"type": "mix", "module": {"hash": "m"}}}}');
insert into campaign (id, name, protocol, owner, priority, state, max_protocol_runs, max_concurrent_protocol_runs, optimize,
  optimizer_ip, global_parameters, meta, runs_started, runs_completed, runs_failed, on_run_failure, failure_policy,
  definition_hash, created_at)
values ('c', 'sweep', 'p', 'ada', 0, 'completed', 1, 1, false, '', '{}', '{}', 0, 0, 0, 'stop', '{}', 'h', now());
insert into protocol_run (id, name, type, owner, priority, campaign_id, parameters, failure_policy, meta, state, definition_hash,
  created_at)
select 'r' || n, 'run_' || n, 'p', 'ada', 0, 'c', '{}', '{}', '{}', 'completed', 'h', now() from generate_series(0, 4999) n;
insert into task_run (id, name, type, run_id, owner, priority, state, definition_hash, devices, resources, input_parameters,
  input_files, output_files, attempt, failures, failure_policy, meta, created_at, started_at, ended_at)
select 't' || lpad(n::text, 5, '0'), 'task_' || n, 'mix', 'r' || n / 2, 'ada', 0, 'completed', 'h', jsonb_build_object('arm',
  jsonb_build_object('lab_name', 'hall', 'name', 'robot_' || n % 300)), '{}', '{}', '{}', '[]', 1, 0, '{}', '{}', at, at, at
from generate_series(0, 9999) n, lateral (select '2026-01-01'::timestamptz + make_interval(secs => n) as at) moment;
analyze;
select pg_stat_force_next_flush();`;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  ({ url } = await postgres.freshDatabase());
  await (await openStore({ url })).close();
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(history);
  records = openRecords({ url });
});
afterEach(() => admin.end());

const one = async (query: string): Promise<number> =>
  (await admin.query<{ value: number }>(query)).rows[0]?.value ?? NaN;
const scansOf = (index: string) => (): Promise<number> =>
  one(`select idx_scan::int as value from pg_stat_user_indexes where indexrelname = '${index}'`);

const ofRobot = {
  ...{ sort: 'created_at', descending: true, after: null },
  filters: { device: 'hall.robot_7', archived: 'false' },
};

test('the tasks of one device among hundreds are found by an index, newest first', async () => {
  const scans = scansOf('task_device_pkey');
  const before = await scans();
  const page = await records.list('tasks', { ...ofRobot, limit: 50 });
  expect(page.items.map(({ name }) => name)).toEqual(
    Array.from({ length: 34 }, (_, n) => `task_${9_907 - n * 300}`),
  );
  // A session reports its use of indexes when it ends.
  await records.close();
  await expect.poll(() => scans()).toBe(before + 1);
});

test('a page of the tasks of a device reads no others, and tasks by name read only a page', async () => {
  const read = `select (seq_tup_read + idx_tup_fetch)::int as value from pg_stat_user_tables where relname = 'task_run'`;
  const before = await one(read);
  const page = await records.list('tasks', { ...ofRobot, limit: 4 });
  expect(page.items.map(({ name }) => name)).toEqual(['task_9907', 'task_9607', 'task_9307', 'task_9007']);
  const byName = { ...ofRobot, filters: { archived: 'false' }, sort: 'name', descending: false, limit: 4 };
  const named = await records.list('tasks', byName);
  expect(named.items.map(({ name }) => name)).toEqual(['task_0', 'task_1', 'task_10', 'task_100']);
  const next = await records.list('tasks', { ...byName, after: named.end });
  expect(next.items.map(({ name }) => name)).toEqual(['task_1000', 'task_1001', 'task_1002', 'task_1003']);
  await records.close();
  await expect.poll(() => one(read)).toBeGreaterThan(before);
  expect((await one(read)) - before).toBeLessThan(40);
});

test('a request that reads all tasks ends in time, and says how to ask for less', async () => {
  await records.close();
  records = openRecords({ url: url, statementTimeoutMs: 1 });
  const asked = {
    ...ofRobot,
    limit: 50,
    sort: 'priority',
    filters: { text: 'zebra', archived: 'false', owner: 'ada' },
  };
  await expect(records.list('tasks', asked)).rejects.toMatchObject({
    code: 'deadline_exceeded',
    effect: 'none',
    message:
      'the database has to read too many records for this, more than it can in 3 s; ' +
      'add since=, protocol_run=, campaign=, or device= and leave out sort=, so that the list is sorted by created_at',
  });
});

test('a part of the schedule of the past reads only the runs and campaigns of its tasks', async () => {
  const wholeReads = `select (seq_scan)::int as value from pg_stat_user_tables where relname = 'protocol_run'`;
  const before = await one(wholeReads);
  const names = scansOf('protocol_run_pkey');
  const lookups = await names();
  const part = { from: '2026-01-01T00:10:00Z', to: '2026-01-01T00:10:04Z', limit: 1_000 };
  const tasks = await records.endedTasks(part);
  expect(tasks.map(({ label, campaign }) => `${campaign} ${label}`)).toEqual([
    'sweep run_300/task_600',
    'sweep run_300/task_601',
    'sweep run_301/task_602',
    'sweep run_301/task_603',
  ]);
  await records.close();
  await expect.poll(() => names()).toBeGreaterThan(lookups);
  expect(await one(wholeReads)).toBe(before);
});
