import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isServiceError, type ServiceError } from '@lab/contracts';
import type { Change } from '@lab/engine';
import { freePort } from '@lab/testkit';
import { testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, dropDatabase, startPostgres } from '../../src/embedded/index.js';
import { openRecords, openStore, type PostgresStore } from '../../src/index.js';
import { FaultyProxy } from './faulty-proxy.js';
import { lead, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await testPostgres();
});

afterAll(() => postgres.stop());

async function errorOf(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!isServiceError(error)) throw error;
  return error;
}

const insert = (id: string): Change => ({ op: 'insertTaskRun', row: taskRun(id) });
const tell: Change = { op: 'tell', event: { aggregate: 'task_run/x', type: 'x', body: {}, at: t0 } };

describe('a commit with a broken connection', () => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let store: PostgresStore;
  let epoch: number;

  beforeEach(async () => {
    database = await postgres.freshDatabase();
    proxy = await FaultyProxy.start(database.url);
    store = await openStore({ url: proxy.url, settleTimeoutMs: 1_500 });
    epoch = await lead(store, 'first');
    await store.commit(epoch, [putDefinition]);
  });

  afterEach(async () => {
    await store.close();
    await proxy.close();
    await database.drop();
  });

  const ids = async (): Promise<string[]> => (await store.load()).taskRuns.map((row) => row.id);

  test('is acknowledged when only the reply was lost', async () => {
    proxy.fault = 'lose-reply';
    await store.commit(epoch, [insert('t1'), tell]);
    expect(await ids()).toEqual(['t1']);
    await store.commit(epoch, [insert('t2'), tell]);
    expect(await ids()).toEqual(['t1', 't2']);
    expect(await events(database.url)).toEqual([1, 2]);
  });

  test('is refused without effect when the request was lost', async () => {
    proxy.fault = 'lose-request';
    expect(await errorOf(store.commit(epoch, [insert('t1')]))).toMatchObject({
      code: 'store_unavailable',
      effect: 'none',
      retryable: true,
    });
    expect(await ids()).toEqual([]);
    await store.commit(epoch, [insert('t1')]);
  });

  test('is never applied later after it was reported as not applied', async () => {
    proxy.fault = 'delay-request';
    expect(await errorOf(store.commit(epoch, [insert('t1')]))).toMatchObject({
      code: 'store_unavailable',
      effect: 'none',
    });
    expect((await proxy.deliver()).toString('latin1')).toContain('LB003');
    expect(await ids()).toEqual([]);
  });

  test('is in doubt while the database is unreachable, and settled before anything is loaded', async () => {
    for (const fault of ['lose-reply', 'lose-request'] as const) {
      proxy.fault = fault;
      const commit = errorOf(store.commit(epoch, [insert(fault)]));
      proxy.open = false;
      expect(await commit).toMatchObject({ code: 'store_unavailable', effect: 'maybe', retryable: false });
      expect(await errorOf(store.load())).toMatchObject({ code: 'store_unavailable' });
      proxy.open = true;
      expect(await ids()).toEqual(['lose-reply']);
    }
  });

  test('is reported as stale when another leader took over meanwhile', async () => {
    proxy.fault = 'delay-request';
    proxy.open = false;
    const commit = errorOf(store.commit(epoch, [insert('t1')]));
    const other = await openStore({ url: database.url });
    await lead(other, 'second');
    proxy.open = true;
    expect(await commit).toMatchObject({ code: 'stale_message', effect: 'maybe' });
    expect((await proxy.deliver()).toString('latin1')).toContain('LB001');
    expect((await other.load()).taskRuns).toEqual([]);
    await other.close();
  });

  test('succeeds after the server ended all idle connections', async () => {
    await store.load();
    await query(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'lab-orchestrator' and datname = current_database()`,
    );
    const first = await store.commit(epoch, [insert('t1')]).then(
      () => 'applied',
      (error: ServiceError) => `${error.code}/${error.effect}`,
    );
    // The end of the connection may be noticed before or during the commit.
    expect(['applied', 'store_unavailable/none']).toContain(first);
    await store.commit(epoch, [insert('t2')]);
    expect(await ids()).toEqual(first === 'applied' ? ['t1', 't2'] : ['t2']);
  });
});

describe('the store', () => {
  test('reports a database that does not answer when nothing listens', async () => {
    const url = `postgresql://lab:secret-word@127.0.0.1:${await freePort()}/lab`;
    const error = await errorOf(openStore({ url }));
    expect(error).toMatchObject({ code: 'store_unavailable', effect: 'none', status: 503 });
    expect(error.message).not.toContain('secret-word');
    const records = openRecords({ url });
    expect(await errorOf(records.task('x'))).toMatchObject({ code: 'store_unavailable' });
    expect(await records.ping()).toBe(false);
    await records.close();
  });

  test('abandons a statement that waits too long, without effect', async () => {
    const database = await postgres.freshDatabase();
    const store = await openStore({ url: database.url, statementTimeoutMs: 200 });
    const epoch = await lead(store, 'first');
    await store.commit(epoch, [putDefinition]);
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select * from leadership for update');
    expect(await errorOf(store.commit(epoch, [insert('t1')]))).toMatchObject({
      code: 'store_unavailable',
      effect: 'none',
    });
    await blocker.query('rollback');
    await blocker.end();
    await store.commit(epoch, [insert('t2')]);
    expect((await store.load()).taskRuns.map((row) => row.id)).toEqual(['t2']);
    await store.close();
    await database.drop();
  });

  test('is set up once when many processes start together', async () => {
    const name = `together_${randomBytes(6).toString('hex')}`;
    const url = await createDatabase(postgres.url, name);
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ url })));
    expect(new Set(await Promise.all(stores.map((store) => lead(store, 'x')))).size).toBe(4);
    for (const store of stores) await store.close();
    expect(await query(url, 'select name from schema_migration order by name')).toEqual([
      { name: expect.stringMatching(/^0001_initial_[0-9a-f]{12}$/) as string },
      { name: '0002_effects' },
      { name: '0003_drains' },
      { name: '0004_outages' },
      { name: '0005_reservations' },
      { name: '0006_webhook_include' },
      { name: '0007_enrolment' },
      { name: '0008_security' },
      { name: '0009_attention_process' },
      { name: '0010_rollouts' },
      { name: '0011_sessions' },
      { name: '0012_plans' },
      { name: '0013_attention_claim' },
      { name: '0014_packages' },
      { name: '0015_deletions' },
      { name: '0016_backup_state' },
      { name: '0017_schema_reader' },
      { name: '0018_task_devices' },
      { name: '0019_usage' },
      { name: '0020_pipeline_tokens' },
      { name: '0021_task_order' },
      { name: '0022_runtimes' },
      { name: '0023_device_files' },
      { name: '0024_trial_durations' },
      { name: '0025_loose_file_deletions' },
    ]);
    await dropDatabase(postgres.url, name);
  });

  test('names the place of every text that cannot be stored and stores nothing', async () => {
    const database = await postgres.freshDatabase();
    const store = await openStore({ url: database.url });
    const epoch = await lead(store, 'first');
    const error = await errorOf(
      store.commit(epoch, [
        putDefinition,
        insert('t0'),
        {
          op: 'insertTaskRun',
          row: taskRun('t1', {
            inputParameters: { list: ['fine \\u0000', { deep: 'a\u0000b' }] },
            meta: { note: '\ud800', ['key\u0000']: 1, fine: '\u{1F9EA}' },
          }),
        },
      ]),
    );
    expect(error).toMatchObject({ code: 'invalid', effect: 'none', status: 422 });
    expect(error.faults.map((fault) => fault.path)).toEqual([
      'input_parameters.list[1].deep',
      'meta.note',
      'meta',
    ]);
    expect((await store.load()).taskRuns).toEqual([]);
    expect(await store.takenNames('onDemandTask', ['a\u0000', '\udc00'])).toEqual(new Set());
    await store.close();
    await database.drop();
  });
});

test('a SIGKILL of the server during commits loses no acknowledged commit and creates none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lab-pg-'));
  const port = await freePort();
  const dataDir = join(folder, 'data');
  let server = await startPostgres({ dataDir, port, durable: true });
  const store = await openStore({ url: server.url, settleTimeoutMs: 8_000 });
  try {
    let epoch = await lead(store, 'first');
    await store.commit(epoch, [putDefinition]);
    const acknowledged: string[] = [];
    const refused: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const target = acknowledged.length + 40 + round * 17;
      let killed: Promise<void> | undefined;
      for (let n = 0; killed === undefined || n < 5; n += killed === undefined ? 0 : 1) {
        const id = `t${round}-${String(acknowledged.length + refused.length).padStart(5, '0')}`;
        const commit = store.commit(epoch, [insert(id), tell]);
        if (killed === undefined && acknowledged.length >= target) {
          killed = server.kill().then(async () => {
            server = await startPostgres({ dataDir, port, durable: true });
          });
        }
        try {
          await commit;
          acknowledged.push(id);
        } catch (error) {
          expect(error).toMatchObject({ code: 'store_unavailable', effect: 'none' });
          refused.push(id);
        }
      }
      await killed;
      expect((await store.load()).taskRuns.map((row) => row.id)).toEqual(acknowledged);
      epoch = await lead(store, 'first');
    }
    expect(await events(server.url)).toEqual(acknowledged.map((_, index) => index + 1));
  } finally {
    await store.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function events(url: string): Promise<number[]> {
  return (await query(url, 'select seq::int from outbox order by id')).map((row) => row['seq'] as number);
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
