import {
  CampaignRecord,
  fieldNamesOf,
  ProtocolRunRecord,
  TaskRunRecord,
  storedLists,
  type ListRequest,
  type Portion,
  type StoredItems,
  type StoredListName,
} from '@lab/contracts';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  acceptedTaskRecord,
  openRecords,
  openStore,
  type PostgresStore,
  type Records,
} from '../../src/index.js';
import {
  attempt,
  campaign,
  codeHash,
  hash,
  lead,
  optimizer,
  protocolRun,
  putDefinition,
  t0,
  taskRun,
  trial,
} from '../rows.js';

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

/** One page in the usual order of the list, and at most 100 records of it, unless asked otherwise. */
function page<Name extends StoredListName>(
  name: Name,
  request: Partial<ListRequest>,
  owner?: string,
): Promise<Portion<StoredItems[Name]>> {
  const { usual } = storedLists[name];
  const order = { sort: usual.replace('-', ''), descending: usual.startsWith('-') };
  return records.list(name, { limit: 100, ...order, filters: {}, after: null, ...request }, owner);
}

const iso = (ms: number): string => new Date(ms).toISOString();

describe('records', () => {
  test('show a task as its acceptance does', async () => {
    const row = taskRun('t1', {
      runId: null,
      name: 'mix',
      state: 'running',
      inputParameters: { seconds: 1.5, cyan: { a: [1, null] } },
      queuedAt: t0,
      startedAt: t0 + 1,
      computer: 'svc_computer',
    });
    await store.commit(epoch, [{ op: 'insertTaskRun', row }]);
    expect(acceptedTaskRecord(row, codeHash)).toEqual(await records.task('mix'));
  });

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
          runsFailed: 1,
          pausedAt: t0 + 80,
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
          pausedAt: t0 + 1,
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
          inputFiles: {
            curve: { task_run_id: 'other', attempt: 2, name: 'b.csv', size: 3, sha256: 'e'.repeat(64) },
          },
          outputFiles: [{ name: 'a.csv', size: 12, sha256: 'f'.repeat(64) }],
          attempt: 2,
          failures: 1,
          retryAt: t0 + 5,
          lateByS: 1.5,
          computer: 'svc_computer',
          allocationTimeout: null,
          queuedAt: t0 + 1,
          startedAt: t0 + 2,
          endedAt: t0 + 3,
        }),
      },
    ]);
    const mix: unknown = expect.objectContaining({
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
      input_files: {
        curve: {
          id: 'other/2/b.csv',
          name: 'b.csv',
          size: 3,
          sha256: 'e'.repeat(64),
          media_type: 'text/csv',
        },
      },
      output_files: [{ name: 'a.csv', size: 12, sha256: 'f'.repeat(64), media_type: 'text/csv' }],
      attempt: 2,
      failure_policy: {},
      failures: 1,
      retry_at: iso(t0 + 5),
      late_by_s: 1.5,
      computer: 'svc_computer',
      definition_hash: hash,
      code_hash: codeHash,
      runtime: null,
      allocation_timeout: null,
      meta: {},
      created_at: iso(t0),
      queued_at: iso(t0 + 1),
      started_at: iso(t0 + 2),
      ended_at: iso(t0 + 3),
      archived_at: null,
    });
    const first = {
      id: 'r1',
      name: 'run r1',
      type: 'color_mixing',
      owner: 'ada',
      priority: -2,
      campaign: 'campaign c1',
      parameters: { mix: { cyan: 2.5 } },
      failure_policy: { mix: { on_failure: 'ask' } },
      meta: {},
      state: 'cancelled',
      reason,
      cancel_requested_at: null,
      paused_at: iso(t0 + 1),
      definition_hash: hash,
      created_at: iso(t0),
      started_at: null,
      ended_at: iso(t0 + 2),
      archived_at: null,
      estimated_completion: null,
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
      paused_at: iso(t0 + 80),
      max_protocol_runs: 4,
      max_concurrent_protocol_runs: 2,
      optimize: false,
      optimizer_ip: '127.0.0.1',
      optimizer: null,
      global_parameters: { mix: { cyan: 2.5 } },
      protocol_run_parameters: [{ mix: { cyan: 1 } }, {}],
      failure_policy: { mix: { timeout: 2.5, retry: { attempts: 3 } } },
      on_run_failure: 'continue',
      max_failures: 2,
      meta: { note: 'ünïcode \u{1F9EA}', nested: { list: [1, null, true, 'x'] } },
      protocol_runs_started: 2,
      protocol_runs_completed: 1,
      protocol_runs_failed: 1,
      definition_hash: hash,
      created_at: iso(t0),
      started_at: iso(t0 + 1),
      ended_at: null,
      archived_at: null,
      estimated_completion: null,
    });
    const { tasks: _tasks, ...summary } = first;
    expect((await page('campaign_runs', {}, 'campaign c1')).items).toEqual([
      summary,
      expect.objectContaining({ id: 'r2', started_at: iso(t0 + 4) }),
    ]);
    expect(await records.protocolRun('run r1')).toEqual(first);
    expect(await records.task('mix', 'run r1')).toEqual(mix);
    expect(await records.task('mix', 'run r2')).toBeUndefined();
    expect(await records.task('mix')).toBeUndefined();
  });

  test('show the optimizer of a campaign without secrets, and its trials page by page', async () => {
    await store.commit(epoch, [
      { op: 'insertCampaign', row: campaign('c1', { name: 'c', optimize: true, optimizer }) },
      ...[1, 2, 3, 10].map((n) => ({
        op: 'insertTrial' as const,
        row: trial('c1', n, n === 2 ? { note: {} } : { state: 'measured', outputs: { 'analyze.score': n } }),
      })),
    ]);
    const { overrides: _secrets, revision: _own, ...kept } = optimizer;
    const record = await records.campaign('c');
    expect(record?.optimizer).toEqual(kept);
    expect(JSON.stringify(record)).not.toContain('sealed');
    const { id: _id, campaignId: _campaign, ...second } = trial('c1', 2, { note: {} });
    expect((await page('trials', { limit: 2 }, 'c')).items).toEqual([
      expect.objectContaining({ number: 1, outputs: { 'analyze.score': 1 } }),
      second,
    ]);
    const numbers = async (filters: ListRequest['filters']) =>
      (await page('trials', { filters }, 'c')).items.map(({ number }) => number);
    expect(await numbers({ after: 2 })).toEqual([3, 10]);
    expect(await numbers({ state: ['measured'], after: 1 })).toEqual([3, 10]);
    expect(await numbers({ after: 10 })).toEqual([]);
    expect((await page('trials', {}, 'd')).items).toEqual([]);
    const { run, source, note } = trial('c1', 10);
    const newest = await page('journal', { limit: 1, sort: 'number', descending: true }, 'c');
    expect(newest.items).toEqual([{ number: 10, run, source, note }]);
    const all = { sort: 'number', descending: true, after: newest.end };
    expect((await page('journal', all, 'c')).items.map(({ number }) => number)).toEqual([3, 1]);
  });

  test('show the latest on-demand task of a name', async () => {
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

  test('have every field of their class and no other', async () => {
    await store.commit(epoch, [
      { op: 'insertCampaign', row: campaign('c1') },
      { op: 'insertProtocolRun', row: protocolRun('r1') },
      { op: 'insertTaskRun', row: taskRun('t1', { runId: 'r1' }) },
    ]);
    const run = await records.protocolRun('run r1');
    const fields = (record: object = {}): string[] => Object.keys(record).sort();
    expect(fields(await records.campaign('campaign c1'))).toEqual([...fieldNamesOf(CampaignRecord)].sort());
    expect(fields(run)).toEqual([...fieldNamesOf(ProtocolRunRecord)].sort());
    expect(fields(run?.tasks[0])).toEqual([...fieldNamesOf(TaskRunRecord)].sort());
    expect(fields(await records.taskById('t1'))).toEqual([...fieldNamesOf(TaskRunRecord)].sort());
  });

  test('show which submission made a record without its id', async () => {
    await store.commit(epoch, [
      { op: 'insertCampaign', row: campaign('c1', { name: 'same', submissionId: 's-1' }) },
      { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'same', submissionId: 's-2' }) },
      { op: 'insertTaskRun', row: taskRun('t1', { name: 'same', submissionId: 's-3' }) },
    ]);
    expect(await records.isOfSubmission('campaign', 'same', 's-1')).toBe(true);
    expect(await records.isOfSubmission('protocol_run', 'same', 's-2')).toBe(true);
    expect(await records.isOfSubmission('task_run', 'same', 's-3')).toBe(true);
    for (const kind of ['campaign', 'protocol_run', 'task_run'] as const) {
      expect(await records.isOfSubmission(kind, 'same', 's-4')).toBe(false);
      expect(await records.isOfSubmission(kind, 'other', 's-1')).toBe(false);
    }
    const shown = [
      await records.campaign('same'),
      await records.protocolRun('same'),
      await records.task('same'),
    ];
    expect(JSON.stringify(shown)).not.toMatch(/s-[123]|submission/);
  });

  test('contain no unknown name, whatever the name is', async () => {
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
    const ids = async (
      name: 'campaigns' | 'protocol_runs' | 'tasks',
      request: Partial<ListRequest>,
    ): Promise<string[]> => (await page(name, request)).items.map(({ id }) => id);
    const running = { filters: { state: ['running'] } };
    expect(await ids('campaigns', { limit: 3 })).toEqual(['c4', 'c3', 'c2']);
    expect(await ids('campaigns', running)).toEqual(['c3', 'c1']);
    expect(await ids('protocol_runs', {})).toEqual(['r4', 'r3', 'r2', 'r1', 'r0']);
    expect(await ids('protocol_runs', { limit: 1, filters: { state: ['completed'] } })).toEqual(['r2']);
    expect(await ids('tasks', {})).toEqual(['t4', 't3', 't2', 't1', 't0']);
    expect(await ids('tasks', { filters: { state: ['queued', 'running'] } })).toEqual(['t4', 't3', 't1']);
    const completed = await page('tasks', { filters: { state: ['completed'] } });
    expect(completed.items.map((task) => task.protocol_run)).toEqual([null, 'run r0']);
  });

  test('show the attempts of a task by their number, with their effects on devices', async () => {
    const binding = {
      lab: 'color_lab',
      name: 'mixer_1',
      type: 'mixer',
      computer: 'bench_b',
      inc: 7,
      fence: 4,
    };
    const call = { device: 'color_lab.mixer_1', function: 'dose', call_id: 'k' };
    const calls = { effects: 2, last_confirmed: call, in_doubt: null };
    const reason = { code: 'timeout', message: 'took longer than 600 s' };
    await store.commit(epoch, [
      { op: 'insertProtocolRun', row: protocolRun('r1') },
      { op: 'insertTaskRun', row: taskRun('t1', { name: 'mix', runId: 'r1', attempt: 2 }) },
      { op: 'insertTaskRun', row: taskRun('t2', { name: 'mix' }) },
      { op: 'insertAttempt', row: attempt('a2', 't1', { number: 2, state: 'running', deadlineAt: t0 + 60 }) },
      {
        op: 'insertAttempt',
        row: attempt('a1', 't1', {
          state: 'failed',
          devices: { mixer: binding },
          computer: 'bench_b',
          reason,
          calls,
          endedAt: t0 + 9,
        }),
      },
    ]);
    expect((await page('task_attempts', {}, 't1')).items).toEqual([
      {
        id: 'a1',
        task_run_id: 't1',
        task: 'mix',
        protocol_run: 'run r1',
        number: 1,
        state: 'failed',
        reason,
        computer: 'bench_b',
        devices: { mixer: { lab_name: 'color_lab', name: 'mixer_1' } },
        calls,
        runtime: null,
        deadline_at: null,
        created_at: iso(t0),
        ended_at: iso(t0 + 9),
      },
      expect.objectContaining({ number: 2, state: 'running', calls: null, deadline_at: iso(t0 + 60) }),
    ]);
    expect((await page('task_attempts', {}, 't2')).items).toEqual([]);
    expect(await records.attempt('a2')).toMatchObject({ number: 2, task: 'mix', protocol_run: 'run r1' });
    expect(await records.attempt('\u0000')).toBeUndefined();
    expect(await records.taskById('t2')).toMatchObject({ name: 'mix', protocol_run: null });
    expect(await records.taskById('none')).toBeUndefined();
  });

  test('show the attention items, newest first, and their decisions', async () => {
    const reason = { code: 'outcome_unknown', message: 'the agent ended' };
    const resolution = { action: 'idle' as const, by: 'ada', note: 'it stands still' };
    const open = { reason, known: { effects: 1 }, resolvedAt: null, resolution: null, claim: null } as const;
    const nothing = { taskRunId: null, attemptId: null, device: null, computer: null };
    const refused = { code: 'messages_refused', message: 'refused' };
    await store.commit(epoch, [
      { op: 'insertProtocolRun', row: protocolRun('r1') },
      { op: 'insertTaskRun', row: taskRun('t1', { name: 'mix', runId: 'r1', state: 'needs_attention' }) },
      { op: 'insertTaskRun', row: taskRun('t2', { name: 'rinse', state: 'needs_attention' }) },
      { op: 'insertAttempt', row: attempt('a3', 't1', { number: 3, state: 'needs_attention' }) },
      ...[
        {
          id: 'i1',
          kind: 'task',
          state: 'open',
          taskRunId: 't1',
          attemptId: 'a3',
          computer: 'bench_b',
          openedAt: t0 + 1,
        } as const,
        { id: 'i2', kind: 'task', state: 'open', taskRunId: 't2', openedAt: t0 + 2 } as const,
        { id: 'i3', kind: 'agent', state: 'open', computer: 'bench_b', openedAt: t0 + 3 } as const,
        {
          id: 'i5',
          kind: 'process',
          state: 'open',
          computer: 'gateway/x',
          openedAt: t0 + 5,
          reason: refused,
        } as const,
      ].map((given) => ({ op: 'putAttention' as const, row: { ...nothing, ...open, ...given } })),
      {
        op: 'putAttention',
        row: {
          ...nothing,
          ...open,
          id: 'i4',
          kind: 'device',
          device: 'color_lab.mixer_1',
          computer: 'bench_b',
          state: 'resolved',
          openedAt: t0 + 4,
          resolvedAt: t0 + 9,
          resolution,
        },
      },
    ]);
    const [about, ...all] = (await page('attention', {})).items;
    expect(about).toMatchObject({ kind: 'process', subject: 'gateway/x', actions: [] });
    expect(all.map(({ subject, actions }) => [subject, actions])).toEqual([
      ['color_lab.mixer_1', []],
      ['bench_b', ['lost']],
      ['rinse', ['completed', 'failed', 'retry']],
      ['run r1/mix', ['completed', 'failed', 'retry']],
    ]);
    expect(all[0]).toMatchObject({ resolved_at: iso(t0 + 9), resolution, choices: [], look_at: [] });
    expect(all[3]).toEqual({
      id: 'i1',
      kind: 'task',
      state: 'open',
      subject: 'run r1/mix',
      reason,
      actions: ['completed', 'failed', 'retry'],
      choices: [
        {
          action: 'completed',
          effect: 'the task is completed with the outputs that you give; its run goes on',
        },
        {
          action: 'failed',
          effect:
            'the task has failed and is not repeated; its run fails, or goes on without the task under the policy skip',
        },
        {
          action: 'retry',
          effect:
            'the task starts again from its beginning; look first whether what it has done may be done again',
        },
      ],
      look_at: ['computer bench_b: how far did the task get?'],
      protocol_run: 'run r1',
      task: 'mix',
      attempt: 3,
      device: null,
      computer: 'bench_b',
      known: { effects: 1 },
      opened_at: iso(t0 + 1),
      resolved_at: null,
      resolution: null,
      claim: null,
    });
    const ids = async (state: 'open' | 'resolved', limit: number): Promise<string[]> =>
      (await page('attention', { limit, filters: { state: [state] } })).items.map(({ id }) => id);
    expect(await ids('open', 2)).toEqual(['i5', 'i3']);
    expect(await ids('resolved', 2)).toEqual(['i4']);
    expect(await records.attentionItem('i1')).toEqual(all[3]);
    expect(await records.attentionItem('i\u0000')).toBeUndefined();
    await store.commit(epoch, [
      {
        op: 'updateProtocolRun',
        id: 'r1',
        patch: { ending: { state: 'failed', reason, since: t0 + 10 } },
      },
      { op: 'updateTaskRun', id: 't2', patch: { cancelRequestedAt: t0 + 10 } },
    ]);
    const claimed = async (until: number): Promise<unknown> => {
      const item = { ...nothing, ...open, id: 'i3', kind: 'agent', state: 'open', openedAt: t0 + 3 } as const;
      const claim = { by: 'ada', since: t0 + 5, until };
      await store.commit(epoch, [{ op: 'claimAttention', row: { ...item, claim }, by: 'ada' }]);
      return (await records.attentionItem('i3'))?.claim;
    };
    const until = Date.now() + 60_000;
    expect(await claimed(until)).toEqual({ by: 'ada', since: iso(t0 + 5), until: iso(until) });
    expect(await claimed(Date.now() - 1)).toBeNull();
    const withoutRetry = ['completed', 'failed'];
    for (const id of ['i1', 'i2']) {
      const item = await records.attentionItem(id);
      expect(item?.actions).toEqual(withoutRetry);
      expect(item?.choices.map(({ action }) => action)).toEqual(withoutRetry);
    }
  });

  test('show emergency stops in force, and the released ones on request, but no pause of the queue', async () => {
    const stop = { by: 'ada', reason: 'spill', at: t0, releasedAt: null, releasedBy: null };
    await store.commit(epoch, [
      { op: 'putEmergencyStop', row: { ...stop, id: 'h1', scope: 'lab:color_lab' } },
      {
        op: 'putEmergencyStop',
        row: { ...stop, id: 'h2', scope: 'all', at: t0 + 1, releasedAt: t0 + 2, releasedBy: 'bo' },
      },
      { op: 'putQueuePause', row: { id: 'h3', by: 'ada', at: t0 + 3, resumedAt: null, resumedBy: null } },
    ]);
    const first = {
      id: 'h1',
      scope: 'lab:color_lab',
      reason: 'spill',
      by: 'ada',
      engaged_at: iso(t0),
      released_at: null,
      released_by: null,
    };
    expect((await page('emergency_stops', { filters: { all: false } })).items).toEqual([first]);
    const all = await page('emergency_stops', { filters: { all: true } });
    expect(all.items.map(({ id }) => id)).toEqual(['h2', 'h1']);
    expect(await records.emergencyStop('h2')).toMatchObject({ released_at: iso(t0 + 2), released_by: 'bo' });
    expect(await records.emergencyStop('h3')).toBeUndefined();
    expect(await records.emergencyStop('\u0000')).toBeUndefined();
  });

  test('are absent from a new database, which answers', async () => {
    expect(await records.ping()).toBe(true);
    for (const name of Object.keys(storedLists) as StoredListName[])
      expect(await page(name, name === 'emergency_stops' ? { filters: { all: true } } : {}, 'x')).toEqual({
        items: [],
        end: null,
      });
  });
});
