import { startTestPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRecords, openStore, type PostgresStore, type Records } from '../src/index.js';
import { campaign, codeHash, hash, lead, protocolRun, putDefinition, t0, taskRun } from './rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let store: PostgresStore;
let records: Records;
let epoch: number;

beforeAll(async () => {
  postgres = await startTestPostgres();
});

afterAll(() => postgres.stop());

beforeEach(async () => {
  database = await postgres.freshDatabase();
  store = await openStore({ url: database.url });
  records = openRecords({ url: database.url });
  epoch = await lead(store, 'first');
  await store.commit(epoch, [putDefinition]);
});

afterEach(async () => {
  await records.close();
  await store.close();
  await database.drop();
});

const iso = (ms: number): string => new Date(ms).toISOString();

describe('records', () => {
  test('show every field of a campaign, its runs and their tasks', async () => {
    const reason = { code: 'cancelled_by_request', message: 'asked for' };
    await store.commit(epoch, [
      {
        op: 'insertCampaign',
        row: campaign('c1', {
          state: 'running',
          ending: { state: 'cancelled', reason, since: t0 + 90 },
          runsStarted: 2,
          runsCompleted: 1,
          startedAt: t0 + 1,
        }),
      },
      {
        op: 'insertProtocolRun',
        row: protocolRun('r2', { campaignId: 'c1', state: 'running', startedAt: t0 + 4, createdAt: t0 + 3 }),
      },
      {
        op: 'insertProtocolRun',
        row: protocolRun('r1', {
          campaignId: 'c1',
          state: 'cancelled',
          reason,
          ending: { state: 'cancelled', reason, since: t0 },
          endedAt: t0 + 2,
        }),
      },
      {
        op: 'insertTaskRun',
        row: taskRun('t2', { runId: 'r1', name: 'analyze', state: 'cancelled', cancelRequestedAt: t0 }),
      },
      {
        op: 'insertTaskRun',
        row: taskRun('t1', {
          runId: 'r1',
          name: 'mix',
          state: 'completed',
          reason,
          outputParameters: { ph: 7.25 },
          outputResources: { beaker: { name: 'b', type: 'beaker', meta: { full: true } } },
          outputFiles: [{ name: 'a.csv', size: 12, sha256: 'f'.repeat(64) }],
          attempt: 2,
          computer: 'svc_computer',
          allocationTimeout: null,
          queuedAt: t0 + 1,
          startedAt: t0 + 2,
          endedAt: t0 + 3,
        }),
      },
    ]);
    const mix = {
      id: 't1',
      name: 'mix',
      type: 'mix',
      protocol_run: 'run r1',
      owner: 'ada',
      priority: 0,
      state: 'completed',
      reason,
      cancel_requested_at: null,
      devices: { mixer: { lab_name: 'color_lab', name: 'mixer_1' } },
      input_parameters: { volume: 0.1, label: '' },
      input_resources: { beaker: { name: 'beaker_1', type: 'beaker', meta: { capacity: 300 } } },
      output_parameters: { ph: 7.25 },
      output_resources: { beaker: { name: 'b', type: 'beaker', meta: { full: true } } },
      output_files: [{ name: 'a.csv', size: 12, sha256: 'f'.repeat(64) }],
      attempt: 2,
      computer: 'svc_computer',
      definition_hash: hash,
      code_hash: codeHash,
      allocation_timeout: null,
      meta: {},
      created_at: iso(t0),
      queued_at: iso(t0 + 1),
      started_at: iso(t0 + 2),
      ended_at: iso(t0 + 3),
    };
    const first = {
      id: 'r1',
      name: 'run r1',
      type: 'color_mixing',
      owner: 'ada',
      priority: -2,
      campaign: 'campaign c1',
      parameters: { mix: { cyan: 2.5 } },
      meta: {},
      state: 'cancelled',
      reason,
      cancel_requested_at: null,
      definition_hash: hash,
      created_at: iso(t0),
      started_at: null,
      ended_at: iso(t0 + 2),
      tasks: [mix, expect.objectContaining({ id: 't2', cancel_requested_at: null, output_parameters: null })],
    };
    expect(await records.campaign('campaign c1')).toEqual({
      id: 'c1',
      name: 'campaign c1',
      protocol: 'color_mixing',
      owner: 'ada',
      priority: 3,
      state: 'running',
      reason: null,
      cancel_requested_at: iso(t0 + 90),
      max_protocol_runs: 4,
      max_concurrent_protocol_runs: 2,
      optimize: false,
      optimizer_ip: '127.0.0.1',
      global_parameters: { mix: { cyan: 2.5 } },
      protocol_run_parameters: [{ mix: { cyan: 1 } }, {}],
      meta: { note: 'ünïcode \u{1F9EA}', nested: { list: [1, null, true, 'x'] } },
      protocol_runs_completed: 1,
      definition_hash: hash,
      created_at: iso(t0),
      started_at: iso(t0 + 1),
      ended_at: null,
      protocol_runs: [first, expect.objectContaining({ id: 'r2', started_at: iso(t0 + 4), tasks: [] })],
    });
    expect(await records.protocolRun('run r1')).toEqual(first);
    expect(await records.task('mix', 'run r1')).toEqual(mix);
    expect(await records.task('mix', 'run r2')).toBeUndefined();
    expect(await records.task('mix')).toBeUndefined();
  });

  test('show the on-demand task that was submitted last under a name', async () => {
    await store.commit(epoch, [
      { op: 'insertTaskRun', row: taskRun('t1', { name: 'rinse', state: 'cancelled', createdAt: t0 + 5 }) },
      { op: 'insertTaskRun', row: taskRun('t3', { name: 'rinse', state: 'failed', createdAt: t0 + 5 }) },
      {
        op: 'insertTaskRun',
        row: taskRun('t2', { name: 'rinse', state: 'running', createdAt: t0 + 6, cancelRequestedAt: t0 + 7 }),
      },
      { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run' }) },
      { op: 'insertTaskRun', row: taskRun('t4', { name: 'rinse', runId: 'r1', createdAt: t0 + 9 }) },
    ]);
    expect(await records.task('rinse')).toMatchObject({
      id: 't2',
      protocol_run: null,
      allocation_timeout: 600.5,
      cancel_requested_at: iso(t0 + 7),
    });
    expect(await records.task('rinse', 'run')).toMatchObject({ id: 't4', protocol_run: 'run' });
  });

  test('know no name that was never submitted, whatever it is', async () => {
    for (const name of ['none', '', "x' or ''='", 'a\u0000b', '\ud800', '%']) {
      expect(await records.campaign(name)).toBeUndefined();
      expect(await records.protocolRun(name)).toBeUndefined();
      expect(await records.task(name)).toBeUndefined();
      expect(await records.task('x', name)).toBeUndefined();
    }
  });

  test('are listed newest first, by state and up to the limit', async () => {
    const states = ['completed', 'running', 'completed', 'running', 'paused'] as const;
    await store.commit(
      epoch,
      states.flatMap((state, n) => [
        { op: 'insertCampaign' as const, row: campaign(`c${n}`, { state, createdAt: t0 + n }) },
        { op: 'insertProtocolRun' as const, row: protocolRun(`r${n}`, { state, createdAt: t0 + n }) },
        {
          op: 'insertTaskRun' as const,
          row: taskRun(`t${n}`, {
            state: state === 'paused' ? 'queued' : state,
            createdAt: t0 + n,
            runId: n === 0 ? 'r0' : null,
          }),
        },
      ]),
    );
    const ids = (list: { id: string }[]): string[] => list.map((record) => record.id);
    expect(ids(await records.campaigns({ limit: 3 }))).toEqual(['c4', 'c3', 'c2']);
    expect(ids(await records.campaigns({ limit: 10, state: 'running' }))).toEqual(['c3', 'c1']);
    expect(ids(await records.protocolRuns({ limit: 10 }))).toEqual(['r4', 'r3', 'r2', 'r1', 'r0']);
    expect(ids(await records.protocolRuns({ limit: 1, state: 'completed' }))).toEqual(['r2']);
    expect((await records.protocolRuns({ limit: 5 })).at(-1)?.tasks).toMatchObject([
      { id: 't0', protocol_run: 'run r0' },
    ]);
    expect(ids(await records.tasks({ limit: 10 }))).toEqual(['t4', 't3', 't2', 't1', 't0']);
    expect(ids(await records.tasks({ limit: 10, state: 'queued' }))).toEqual(['t4']);
    expect((await records.tasks({ limit: 10, state: 'completed' })).map((task) => task.protocol_run)).toEqual(
      [null, 'run r0'],
    );
  });

  test('are none in a new database, which answers', async () => {
    expect(await records.ping()).toBe(true);
    expect(await records.campaigns({ limit: 10 })).toEqual([]);
    expect(await records.protocolRuns({ limit: 10 })).toEqual([]);
    expect(await records.tasks({ limit: 10 })).toEqual([]);
  });
});
