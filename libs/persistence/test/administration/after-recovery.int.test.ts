import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { restorer } from '@lab/contracts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginAnew, countRecords, recordedFiles } from '../../src/administration/index.js';
import { openStore } from '../../src/index.js';
import { attempt, lead, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  postgres = await testPostgres();
  database = await postgres.freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await postgres.stop();
});

async function rows<Row extends object>(text: string): Promise<Row[]> {
  return (await client.query<Row>(text)).rows;
}

describe('a database that was recovered to a moment', () => {
  it('gets numbers above all that agents have seen, and lets nobody conclude that an attempt never began', async () => {
    const store = await openStore({ url: asRole(database.url, 'orchestrator') });
    const states = ['dispatching', 'uncertain', 'running', 'cancelling'] as const;
    await store.commit(await lead(store, 'before'), [
      putDefinition,
      ...states.flatMap((state) => [
        { op: 'insertTaskRun' as const, row: taskRun(`t-${state}`, { state: 'running', attempt: 1 }) },
        { op: 'insertAttempt' as const, row: attempt(`a-${state}`, `t-${state}`, { state }) },
      ]),
      {
        op: 'insertTaskRun',
        row: taskRun('t-done', {
          state: 'completed',
          attempt: 2,
          endedAt: t0,
          outputFiles: [{ name: 'plate.csv', size: 3, sha256: 'f'.repeat(64) }],
        }),
      },
      { op: 'putAgent', row: { computer: 'bench', inc: 7, session: 's' } },
    ]);
    await client.query(`insert into allocation (kind, key, fence) values ('device', 'lab.arm', 40)`);

    await client.query(`insert into device_file (id, lab, device, computer, name, path, size, sha256, made_at, modified_at, delete_at,
        delete_by, delete_reason, removing)
      select id, 'lab', 'reader', 'bench', 'a.csv', 'a.csv', 1, '', now(), now(), now(), 'ada', 'x', removing
      from (values ('planned', false), ('begun', true)) file (id, removing)`);

    const began = Date.now();
    await beginAnew(database.url, '2026-11-15T14:20:00.000Z');
    const seconds = Math.floor(began / 1_000) - 1;
    const [numbers] = await rows<{ epoch: string; inc: string; fence: string }>(
      `select epoch, inc, fence from leadership, agent, allocation where computer = 'bench' and key = 'lab.arm'`,
    );
    expect(Number(numbers?.epoch)).toBeGreaterThanOrEqual(seconds);
    expect(Number(numbers?.inc)).toBeGreaterThanOrEqual(seconds);
    expect(Number(numbers?.fence)).toBeGreaterThanOrEqual(began - 1_000);
    expect(await rows('select id, state from attempt order by id')).toEqual([
      { id: 'a-cancelling', state: 'cancelling' },
      { id: 'a-dispatching', state: 'running' },
      { id: 'a-running', state: 'running' },
      { id: 'a-uncertain', state: 'running' },
    ]);
    expect(await rows('select by, resumed_at from queue_pause')).toEqual([
      { by: `${restorer} --to 2026-11-15T14:20:00.000Z`, resumed_at: null },
    ]);
    expect(await rows('select by, action, subject, detail from audit')).toEqual([
      { by: restorer, action: 'restore', subject: 'service', detail: { moment: '2026-11-15T14:20:00.000Z' } },
    ]);
    // A restore takes the deletions of files back, as it does with those of work.
    const file = { delete_at: null, delete_by: null, kept: true, removing: false };
    expect(
      await rows('select id, delete_at, delete_by, kept, removing from device_file order by id'),
    ).toEqual([
      { id: 'begun', ...file },
      { id: 'planned', ...file },
    ]);
    // The next leader leads at once, with the next number.
    expect(await store.lead('after', 3_000)).toBe(Number(numbers?.epoch) + 1);
    expect(await countRecords(database.url)).toEqual({ campaigns: 0, protocolRuns: 0, taskRuns: 5 });
    expect(await recordedFiles(database.url)).toEqual([
      { taskRunId: 't-done', attempt: 2, name: 'plate.csv' },
    ]);

    // The database of an earlier release does not know such deletions.
    await client.query('drop table device_file cascade');
    // A second restore comes after everything that agents have seen since the first.
    await beginAnew(database.url, undefined);
    const [again] = await rows<{ epoch: string }>('select epoch from leadership');
    expect(Number(again?.epoch)).toBeGreaterThan(Number(numbers?.epoch) + 1);
    expect(await rows('select by from queue_pause')).toHaveLength(1);
    await store.close();
  });
});
