import { testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../src/index.js';
import { engineTables } from '../../src/schema/tables.js';
import { lead, putDefinition, taskRun } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  database = await postgres.freshDatabase();
  admin = new pg.Client(database.url);
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
  await database.drop();
});

describe('the schema of the migrations', () => {
  test.each(engineTables.map((table) => table.name))('has the declared columns of %s', async (name) => {
    const { rows } = await admin.query(
      `select column_name as name, data_type as type, is_nullable = 'YES' as nullable from information_schema.columns
       where table_name = $1`,
      [name],
    );
    const types = { id: 'text', timestamptz: 'timestamp with time zone' } as const;
    const declared = engineTables.find((table) => table.name === name)?.columns ?? [];
    expect(declared.length).toBeGreaterThan(0);
    expect(rows).toEqual(
      expect.arrayContaining(
        declared.map(({ name, kind, nullable }) => ({
          name,
          type: kind === 'id' || kind === 'timestamptz' ? types[kind] : kind,
          nullable,
        })),
      ),
    );
  });
});

/** Digest of the functions and grants of each release, by its last migration. Add an entry with each release. */
const released: Readonly<Record<string, string>> = {
  // 0.2.0
  '0017_schema_reader': '389d04f1f4b5cd4184ab8b66670910b625e603771fbce82f4dbe2d88d8eacdc1',
};

test('a change of the functions comes with a migration, or the release before would put its own in place', async () => {
  const { rows } = await admin.query<{ last: string; digest: string }>(
    `select (select max(name) from schema_migration) as last,
       obj_description('commit_changes(bigint, uuid, jsonb)'::regprocedure) as digest`,
  );
  const { last = '', digest = '' } = rows[0] ?? {};
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect({ last, digest }).toEqual({ last, digest: released[last] ?? digest });
});

describe('a database of another development version', () => {
  const sentence = /another development version made this database, .* use a new database/;

  test('is refused when it has migrations that this version does not know', async () => {
    await admin.query(`insert into schema_migration values ('0002_a_branch', '2026-01-01')`);
    await expect(openStore({ url: database.url })).rejects.toThrow(sentence);
  });

  test('is refused as that of a newer version when only later migrations are not known', async () => {
    await admin.query(`delete from schema_migration where name = '0002_a_branch'`);
    await admin.query(`insert into schema_migration values ('9999_later', '2026-01-01')`);
    await admin.query(`update schema_reader set oldest = '9999_later'`);
    await expect(openStore({ url: database.url })).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringMatching(
        /^a newer version of the service made this database: its schema has 9999_later, .* start the newer version again/,
      ) as string,
    });
  });

  test('is used as it is when the newer version says that this one works with it', async () => {
    const { rows } = await admin.query<{ oldest: string }>('select oldest from schema_reader');
    expect(rows).toEqual([{ oldest: expect.stringMatching(/^\d{4}_/) as string }]);
    await admin.query(
      `insert into schema_migration values ('9999_later', '2026-01-01') on conflict do nothing`,
    );
    await admin.query(`alter table task_run add column later text`);
    await admin.query(`comment on function commit_changes(bigint, uuid, jsonb) is 'of the newer version'`);
    await admin.query(`update schema_reader set oldest = '0017_schema_reader'`);
    const store = await openStore({ url: database.url });
    await store.commit(await lead(store, 'earlier'), [
      putDefinition,
      { op: 'insertTaskRun', row: taskRun('t1', { state: 'queued' }) },
    ]);
    expect((await store.load()).taskRuns).toMatchObject([{ id: 't1' }]);
    await store.close();
    // The functions of the newer version stay in place.
    const { rows: comments } = await admin.query<{ comment: string }>(
      `select obj_description('commit_changes(bigint, uuid, jsonb)'::regprocedure) as comment`,
    );
    expect(comments).toEqual([{ comment: 'of the newer version' }]);
    await admin.query(`update schema_reader set oldest = '9999_later'`);
    await expect(openStore({ url: database.url })).rejects.toThrow(/^a newer version of the service/);
  });

  test('is refused when its initial schema differs', async () => {
    await admin.query(`update schema_migration set name = '0001_initial' where name like '0001%'`);
    await expect(openStore({ url: database.url })).rejects.toThrow(sentence);
    const { rows } = await admin.query('select name from schema_migration order by name');
    expect(rows.map(({ name }: { name: string }) => name)).toEqual([
      ...['0001_initial', '0002_effects', '0003_drains', '0004_outages', '0005_reservations'],
      ...['0006_webhook_include', '0007_enrolment', '0008_security', '0009_attention_process'],
      ...['0010_rollouts', '0011_sessions', '0012_plans', '0013_attention_claim'],
      '0014_packages',
      '0015_deletions',
      '0016_backup_state',
      '0017_schema_reader',
      '0018_task_devices',
      '0019_usage',
      '0020_pipeline_tokens',
      '0021_task_order',
      '0022_runtimes',
      '0023_device_files',
      '0024_trial_durations',
      '0025_loose_file_deletions',
    ]);
  });
});
