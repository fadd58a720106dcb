import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/connection/index.js';
import { startPostgres, type RunningPostgres } from '../../src/embedded/index.js';

let root: string;
let server: RunningPostgres;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lab-failover-'));
  server = await startPostgres({ dataDir: join(root, 'data'), durable: false });
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

const opened = (statementTimeoutMs = 5_000) =>
  openDatabase({ url: server.url, poolSize: 1, statementTimeoutMs }, 'test');
const sessionOf = async ({ db }: ReturnType<typeof opened>): Promise<number | undefined> =>
  (await sql<{ id: number }>`select pg_backend_pid() as id`.execute(db)).rows[0]?.id;

test('a connection whose server takes no changes is not used again', async () => {
  const database = opened();
  const { db } = database;
  const before = await sessionOf(database);
  await sql`set session characteristics as transaction read only`.execute(db);
  await expect(sql`create table refused ()`.execute(db)).rejects.toMatchObject({ code: '25006' });
  expect(await sessionOf(database)).not.toBe(before);
  await sql`create table made ()`.execute(db);
  await db.destroy();
});

test('a connection whose server does not answer in time is not used again', async () => {
  const database = opened(500);
  const { db } = database;
  const before = await sessionOf(database);
  // Without its own limit, the server does not answer before the client gives up.
  await sql`set statement_timeout = 0`.execute(db);
  await expect(sql`select pg_sleep(30)`.execute(db)).rejects.toThrow(/timeout/);
  expect(await sessionOf(database)).not.toBe(before);
  await db.destroy();
});

test('a connection that answered with an error is used again', async () => {
  const database = opened();
  const before = await sessionOf(database);
  await expect(sql`select 1 / 0`.execute(database.db)).rejects.toMatchObject({ code: '22012' });
  expect(await sessionOf(database)).toBe(before);
  await database.db.destroy();
});

test('the server compiles no statement, because the estimates without sequential scans are high', async () => {
  const { db } = opened();
  expect((await sql`show jit`.execute(db)).rows).toEqual([{ jit: 'off' }]);
  await db.destroy();
});
