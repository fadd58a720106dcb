import { hostname } from 'node:os';
import type { ServiceError } from '@lab/contracts';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/index.js';

const full = `the disk of the database on computer ${hostname()} is full (53100)`;
let postgres: TestPostgres;
beforeAll(async () => void (postgres = await testPostgres()));
afterAll(() => postgres.stop());

test('a store tells the outcome of each commit, in words when the database cannot be used', async () => {
  const { url } = await postgres.freshDatabase();
  const told: (string | undefined)[] = [];
  const onCommit = (error: ServiceError | undefined): void => void told.push(error?.message);
  const store = await openStore({ url: asRole(url, 'orchestrator'), onCommit });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    const epoch = (await store.lead('i', 0)) ?? 0;
    const put = (inc: number) =>
      store.commit(epoch, [{ op: 'putAgent', row: { computer: 'pc', inc, session: 's' } }]);
    await put(1);
    await store.proveWritable(epoch);
    expect(told).toEqual([undefined]);

    await admin.query(`create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file "base/1/2"' using errcode = '53100'; end $$`);
    await admin.query('create trigger no_room before insert or update on agent execute function no_room()');
    await expect(put(2)).rejects.toMatchObject({ code: 'store_unavailable', effect: 'none' });
    expect(told.splice(0).at(-1)).toBe(full);

    await admin.query('drop trigger no_room on agent');
    await admin.query('create trigger no_room before update on leadership execute function no_room()');
    await expect(store.proveWritable(epoch)).rejects.toMatchObject({
      ...{ code: 'store_unavailable', message: full },
    });
    expect(told).toEqual([]);

    await admin.query('drop trigger no_room on leadership');
    await expect(store.commit(epoch - 1, [])).rejects.toMatchObject({ code: 'stale_message' });
    expect(told.splice(0)).toEqual([undefined]);
  } finally {
    await admin.end();
    await store.close();
  }
});

test('a proof writes beyond its memory, so that it needs room on the disk', async () => {
  const { url } = await postgres.freshDatabase();
  const store = await openStore({ url: asRole(url, 'orchestrator') });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    const epoch = (await store.lead('i', 0)) ?? 0;
    const { rows } = await admin.query<{ name: string }>('select current_database() as name');
    await admin.query(`alter database "${rows[0]?.name ?? ''}" set temp_file_limit = '16kB'`);
    const limited = await openStore({ url: asRole(url, 'orchestrator') });
    await expect(limited.proveWritable(epoch)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { message: expect.stringContaining('temp_file_limit') as string },
    });
    await limited.close();
  } finally {
    await admin.end();
    await store.close();
  }
});
