import {
  storedLists,
  type ListFilter,
  type ListPosition,
  type ListRequest,
  type ListShape,
  type Portion,
  type StoredListName,
  type TaskFileRecord,
  type TaskRunRecord,
} from '@lab/contracts';
import type { Change } from '@lab/engine';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openRecords, openStore, type PostgresStore, type Records } from '../../src/index.js';
import { attempt, campaign, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

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

const iso = (ms: number): string => new Date(ms).toISOString();
const newest = { limit: 100, sort: 'created_at', descending: true, filters: {}, after: null };
const ids = async (filters: ListRequest['filters']): Promise<string[]> =>
  (await records.list('tasks', { ...newest, filters })).items.map(({ id }) => id).sort();

const sampleOf = (filter: ListFilter): ListRequest['filters'][string] => {
  if (filter.kind === 'choice') return [...filter.values];
  if (filter.kind === 'at_least') return filter.values[1] ?? '';
  if (filter.kind === 'flag') return true;
  if (filter.kind === 'one_of') return filter.usual;
  if (filter.kind === 'above') return 0;
  return filter.kind === 'since' || filter.kind === 'until' ? iso(t0) : '%_\\';
};

describe('a page', () => {
  test('is available for every list by every field and with every filter', async () => {
    for (const [name, shape] of Object.entries<ListShape>(storedLists)) {
      const filters = Object.fromEntries(
        Object.entries(shape.filters).map(([filter, declared]) => [filter, sampleOf(declared)]),
      );
      for (const [sort, kind] of Object.entries(shape.sort)) {
        const value = { time: iso(t0), number: 3, text: 'x' }[kind];
        for (const descending of [true, false]) {
          const request = { limit: 2, sort, descending, filters, after: { value, id: 'x' } };
          expect(await records.list(name as StoredListName, request, 'x')).toEqual({ items: [], end: null });
        }
      }
    }
  });

  test('after page gives every record once, in order, despite insertions', async () => {
    const row = (n: number, tie: number, priority: number): Change => ({
      op: 'insertTaskRun',
      row: taskRun(`t${n}`, { name: `task ${n % 7}`, state: 'failed', createdAt: t0 + tie, priority }),
    });
    const first = Array.from({ length: 40 }, (_, n) => row(n, n % 5, n % 3));
    await store.commit(epoch, first);
    let next = 100;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('created_at', 'name', 'priority', 'state'),
        fc.boolean(),
        fc.integer({ min: 1, max: 17 }),
        async (sort, descending, limit) => {
          const seen: string[] = [];
          // Bounded, because a cursor could otherwise follow new insertions forever.
          const last = next + 60;
          const before = (await records.list('tasks', { ...newest, limit: 500 })).items;
          let after: ListPosition | null = null;
          do {
            const page: Portion<TaskRunRecord> = await records.list('tasks', {
              limit,
              sort,
              descending,
              filters: {},
              after,
            });
            seen.push(...page.items.map(({ id }) => id));
            after = page.end;
            if (next < last) await store.commit(epoch, [row(next++, next % 5, next % 3)]);
          } while (after !== null);
          expect(new Set(seen).size).toBe(seen.length);
          expect(before.filter(({ id }) => !seen.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
  });

  test('contains only records that pass all filters', async () => {
    await store.commit(epoch, [
      { op: 'insertCampaign', row: campaign('c1', { name: 'sweep' }) },
      { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1', campaignId: 'c1' }) },
      { op: 'insertTaskRun', row: taskRun('t1', { name: 'Mix_A', runId: 'r1', type: 'mix', owner: 'ada' }) },
      {
        op: 'insertTaskRun',
        row: taskRun('t2', { name: 'mix%b', type: 'rinse', owner: 'bo', createdAt: t0 + 10, devices: {} }),
      },
      {
        op: 'insertTaskRun',
        row: taskRun('t3', { name: 'mixxa', state: 'failed', type: 'mix', computer: 'bench_b' }),
      },
    ]);
    expect(await ids({ text: 'mix_a' })).toEqual(['t1']);
    expect(await ids({ text: 'X%' })).toEqual(['t2']);
    expect(await ids({ type: 'mix' })).toEqual(['t1', 't3']);
    expect(await ids({ type: 'mix', state: ['failed', 'queued'] })).toContain('t3');
    expect(await ids({ owner: 'bo' })).toEqual(['t2']);
    expect(await ids({ campaign: 'sweep' })).toEqual(['t1']);
    expect(await ids({ protocol_run: 'run_1' })).toEqual(['t1']);
    expect(await ids({ computer: 'bench_b' })).toEqual(['t3']);
    expect(await ids({ lab: 'color_lab' })).toEqual(['t1', 't3']);
    expect(await ids({ device: 'color_lab.mixer_1' })).toEqual(['t1', 't3']);
    expect(await ids({ device: 'color_lab.mixer_2' })).toEqual([]);
    expect(await ids({ since: iso(t0 + 1) })).toEqual(['t2']);
    expect(await ids({ until: iso(t0 + 10) })).toEqual(['t1', 't3']);
    expect(await ids({ since: iso(t0), until: iso(t0) })).toEqual([]);
  });

  test('of files and attempts covers all tasks', async () => {
    const file = (name: string) => ({ name, size: 3, sha256: 'f'.repeat(64) });
    await store.commit(epoch, [
      { op: 'insertCampaign', row: campaign('c1', { name: 'sweep' }) },
      { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1', campaignId: 'c1' }) },
      {
        op: 'insertTaskRun',
        row: taskRun('t1', { name: 'scan', runId: 'r1', attempt: 2, outputFiles: ['a', 'b', 'c'].map(file) }),
      },
      { op: 'insertTaskRun', row: taskRun('t2', { name: 'none' }) },
      {
        op: 'insertTaskRun',
        row: taskRun('t3', { name: 'alone', createdAt: t0 + 1, outputFiles: [file('A.csv')] }),
      },
      { op: 'insertAttempt', row: attempt('a1', 't1', { state: 'failed' }) },
      { op: 'insertAttempt', row: attempt('a2', 't3', { number: 1, createdAt: t0 + 3 }) },
    ]);
    const names: string[] = [];
    let after: ListPosition | null = null;
    do {
      const page: Portion<TaskFileRecord> = await records.list('files', { ...newest, limit: 2, after });
      names.push(...page.items.map(({ task, name }) => `${task}/${name}`));
      after = page.end;
    } while (after !== null);
    expect(names).toEqual(['alone/A.csv', 'scan/c', 'scan/b', 'scan/a']);
    const [found] = (await records.list('files', { ...newest, filters: { campaign: 'sweep', text: 'A' } }))
      .items;
    expect(found).toMatchObject({ ...file('a'), task_run_id: 't1', protocol_run: 'run_1', attempt: 2 });
    const attempts = await records.list('attempts', newest);
    const none = await records.list('attempts', { ...newest, filters: { device: 'color_lab.none' } });
    expect(none.items).toEqual([]);
    expect(attempts.items.map(({ id, task }) => [id, task])).toEqual([
      ['a2', 'alone'],
      ['a1', 'scan'],
    ]);
    const failed = await records.list('attempts', {
      ...newest,
      filters: { state: ['failed'], task: 'scan' },
    });
    expect(failed.items).toMatchObject([{ id: 'a1', protocol_run: 'run_1' }]);
  });
});

describe('a resource', () => {
  const beaker = (meta: Record<string, number>) => ({ name: 'beaker_1', type: 'beaker', meta });

  test('shows its holder, and every task that had it with the values before and after', async () => {
    const uses = (id: string, over: object): Change => ({
      op: 'insertTaskRun',
      row: taskRun(id, { name: id, resources: { cup: beaker({ ml: 0 }) }, ...over }),
    });
    await store.commit(epoch, [
      { op: 'putResource', row: { ...beaker({ ml: 5 }), lab: 'color_lab' } },
      { op: 'putResource', row: { name: 'plate', type: 'plate', lab: 'other', meta: {} } },
      { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1' }) },
      uses('t1', {
        runId: 'r1',
        state: 'completed',
        startedAt: t0 + 1,
        endedAt: t0 + 2,
        outputResources: { out: beaker({ ml: 5 }) },
      }),
      uses('t2', { state: 'running', startedAt: t0 + 3, resources: { cup: beaker({ ml: 5 }) } }),
      uses('t3', { state: 'queued', startedAt: null }),
      uses('t4', { state: 'failed', startedAt: t0, resources: {} }),
      { op: 'claim', kind: 'resource', key: 'beaker_1', taskRunId: 't2', fence: 1, at: t0 + 3 },
      { op: 'claim', kind: 'resource', key: 'plate', taskRunId: 't1', fence: 1, at: t0 },
      { op: 'release', kind: 'resource', key: 'plate', at: t0 + 2 },
    ]);
    const known = {
      ...beaker({ ml: 5 }),
      lab: 'color_lab',
      used_by: 't2',
      held_by: null,
      since: iso(t0 + 3),
    };
    expect(await records.resource('beaker_1')).toEqual(known);
    const all = { ...newest, sort: 'name', descending: false };
    expect((await records.list('resources', all)).items).toEqual([
      known,
      { name: 'plate', type: 'plate', lab: 'other', meta: {}, used_by: null, held_by: null, since: null },
    ]);
    expect((await records.list('resources', { ...all, filters: { lab: 'other' } })).items).toHaveLength(1);
    const reset = { before: { ml: 7 }, after: { ml: 0 }, reason: 'washed' };
    await store.commit(epoch, [
      ...['beaker_1', 'beaker_2'].map((name) => ({
        op: 'audit' as const,
        row: {
          id: `reset_${name}`,
          at: t0 + 4,
          by: 'ada',
          action: 'resource.reset',
          subject: `resource/${name}`,
          detail: reset,
        },
      })),
    ]);
    const byStart = { ...newest, sort: 'started_at' };
    const history = await records.list('resource_uses', byStart, 'beaker_1');
    expect(history.items).toEqual([
      {
        kind: 'reset',
        task_run_id: null,
        task: null,
        type: null,
        protocol_run: null,
        campaign: null,
        state: null,
        slot: null,
        taken: { ml: 7 },
        left: { ml: 0 },
        by: 'ada',
        reason: 'washed',
        started_at: iso(t0 + 4),
        ended_at: iso(t0 + 4),
      },
      {
        kind: 'task',
        task_run_id: 't2',
        task: 't2',
        type: 'mix',
        protocol_run: null,
        campaign: null,
        state: 'running',
        slot: 'cup',
        taken: { ml: 5 },
        left: null,
        by: null,
        reason: null,
        started_at: iso(t0 + 3),
        ended_at: null,
      },
      expect.objectContaining({
        task_run_id: 't1',
        protocol_run: 'run_1',
        taken: { ml: 0 },
        left: { ml: 5 },
        ended_at: iso(t0 + 2),
      }),
    ]);
    const first = await records.list('resource_uses', { ...byStart, limit: 1 }, 'beaker_1');
    const second = await records.list(
      'resource_uses',
      { ...byStart, limit: 1, after: first.end },
      'beaker_1',
    );
    expect([...first.items, ...second.items].map(({ kind }) => kind)).toEqual(['reset', 'task']);
    const ran = { ...byStart, filters: { state: ['running'] } };
    expect((await records.list('resource_uses', ran, 'beaker_1')).items).toHaveLength(1);
    expect(await records.resource('none')).toBeUndefined();
  });

  test('that a run keeps between its tasks is held, and no task uses it', async () => {
    await store.commit(epoch, [
      { op: 'putResource', row: { ...beaker({}), lab: 'color_lab' } },
      { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1' }) },
      { op: 'insertTaskRun', row: taskRun('t1', { runId: 'r1', name: 'mix', state: 'running' }) },
      { op: 'claim', kind: 'resource', key: 'beaker_1', taskRunId: 't1', fence: 1, at: t0 },
      { op: 'hold', kind: 'resource', key: 'beaker_1', taskRunId: 't1', runId: 'r1' },
    ]);
    expect(await records.resource('beaker_1')).toMatchObject({ used_by: 'run_1/mix', held_by: 'run_1' });
    await store.commit(epoch, [{ op: 'updateTaskRun', id: 't1', patch: { state: 'completed' } }]);
    expect(await records.resource('beaker_1')).toMatchObject({ used_by: null, held_by: 'run_1' });
  });
});

test('archived records leave every list except those within them, together with everything that belongs to them', async () => {
  const files = [{ name: 'a.csv', size: 1, sha256: 'a'.repeat(64) }];
  const over = { state: 'completed', endedAt: t0 } as const;
  await store.commit(epoch, [
    { op: 'insertCampaign', row: campaign('c1', { name: 'c', ...over }) },
    { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'c_run_1', campaignId: 'c1', ...over }) },
    { op: 'insertProtocolRun', row: protocolRun('r2', { name: 'alone', ...over }) },
    ...['r1', 'r2', null].map((runId, n): Change => ({
      op: 'insertTaskRun',
      row: taskRun(`t${n + 1}`, { name: `task ${n + 1}`, runId, outputFiles: files, attempt: 1, ...over }),
    })),
    ...[1, 2, 3].map((n): Change => ({
      op: 'insertAttempt',
      row: attempt(`a${n}`, `t${n}`, { state: 'completed', endedAt: t0 }),
    })),
    {
      op: 'archive',
      row: { id: 'c1', kind: 'campaign', name: 'c', archivedAt: t0 + 5, archivedBy: 'ada', restoredAt: null },
    },
    {
      op: 'archive',
      row: {
        id: 't3',
        kind: 'task_run',
        name: 'task 3',
        archivedAt: t0 + 6,
        archivedBy: 'ada',
        restoredAt: null,
      },
    },
  ]);
  const lists = ['campaigns', 'protocol_runs', 'tasks', 'attempts', 'files'] as const;
  const of = async (archived: string): Promise<unknown> =>
    Object.fromEntries(
      await Promise.all(
        lists.map(async (name) => {
          const { items } = await records.list(name, { ...newest, filters: { archived } });
          return [name, items.map((item) => ('task_run_id' in item ? item.task_run_id : item.id)).sort()];
        }),
      ),
    );
  const listed = { campaigns: [], protocol_runs: ['r2'], tasks: ['t2'], attempts: ['t2'], files: ['t2'] };
  const archived = {
    campaigns: ['c1'],
    protocol_runs: ['r1'],
    tasks: ['t1', 't3'],
    attempts: ['t1', 't3'],
    files: ['t1', 't3'],
  };
  expect(await of('false')).toEqual(listed);
  expect(await of('true')).toEqual(archived);
  expect(await of('all')).toEqual(
    Object.fromEntries(lists.map((name) => [name, [...listed[name], ...archived[name]].sort()])),
  );
  const within = await records.list('campaign_runs', newest, 'c');
  const since = { archived_at: iso(t0 + 5) };
  expect(within.items).toMatchObject([{ id: 'r1', ...since }]);
  expect(await records.campaign('c')).toMatchObject(since);
  expect(await records.protocolRun('c_run_1')).toMatchObject({ ...since, tasks: [since] });
  expect(await records.task('task 1', 'c_run_1')).toMatchObject(since);
  expect(await records.taskById('t3')).toMatchObject({ archived_at: iso(t0 + 6) });
  expect(await records.protocolRun('alone')).toMatchObject({ archived_at: null });
  await store.commit(epoch, [{ op: 'restore', id: 'c1', at: t0 + 7 }]);
  expect(await of('true')).toMatchObject({ campaigns: [], protocol_runs: [], tasks: ['t3'] });
  expect(await of('false')).toMatchObject({ campaigns: ['c1'], tasks: ['t1', 't2'], files: ['t1', 't2'] });
});
