import type { ListRequest, StoredListName } from '@lab/contracts';
import type { Change } from '@lab/engine';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  openRecords,
  openStore,
  type LabRecordKind,
  type PostgresStore,
  type Records,
} from '../../src/index.js';
import { attempt, campaign, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let store: PostgresStore;
let records: Records;

const hashOf = (labs: string[]): string => labs.join('+').padEnd(64, '0');

/** A protocol that names these labs. */
const protocolOf = (labs: string[]): Change => {
  const hash = hashOf(labs);
  const protocol = { type: 'mixing', desc: 'Mixes.', labs, resources: {}, tasks: [] };
  return { op: 'putDefinition', row: { hash, kind: 'protocol', body: { hash, protocol, tasks: {} } } };
};

/** A campaign, a run of it, and a task of the run with an attempt, all of a protocol of these labs. */
function work(name: string, labs: string[]): Change[] {
  const definitionHash = hashOf(labs);
  return [
    protocolOf(labs),
    { op: 'insertCampaign', row: campaign(`c_${name}`, { name, definitionHash }) },
    {
      op: 'insertProtocolRun',
      row: protocolRun(`r_${name}`, { name, campaignId: `c_${name}`, definitionHash }),
    },
    {
      op: 'insertTaskRun',
      row: taskRun(`t_${name}`, {
        name: 'mix',
        runId: `r_${name}`,
        definitionHash,
        devices: {},
        resources: {},
      }),
    },
    { op: 'insertAttempt', row: attempt(`a_${name}`, `t_${name}`) },
  ];
}

/** An on-demand task with devices of these labs and these resources. */
function onDemand(
  id: string,
  name: string,
  labs: string[],
  resources: string[] = [],
  createdAt = t0,
): Change {
  const device = (lab_name: string) => [`slot_${lab_name}`, { lab_name, name: 'mixer_1' }] as const;
  const resource = (each: string) => [each, { name: each, type: 'beaker', meta: {} }] as const;
  return {
    op: 'insertTaskRun',
    row: taskRun(id, {
      name,
      state: 'completed',
      createdAt,
      outputFiles: [{ name: `${id}.txt`, size: 1, sha256: '0'.repeat(64) }],
      devices: Object.fromEntries(labs.map(device)),
      resources: Object.fromEntries(resources.map(resource)),
    }),
  };
}

const item = (id: string, about: { kind: 'task' | 'device' | 'agent' } & Record<string, string>): Change => ({
  op: 'putAttention',
  row: {
    id,
    state: 'open',
    taskRunId: null,
    attemptId: null,
    device: null,
    computer: null,
    reason: { code: 'unknown_outcome', message: 'nobody knows' },
    known: {},
    openedAt: t0,
    resolvedAt: null,
    resolution: null,
    claim: null,
    ...about,
  },
});

const stop = (id: string, scope: string): Change => ({
  op: 'putEmergencyStop',
  row: { id, scope, by: 'ada', reason: '', at: t0, releasedAt: null, releasedBy: null },
});

beforeAll(async () => {
  postgres = await testPostgres();
  database = await postgres.freshDatabase();
  store = await openStore({ url: asRole(database.url, 'orchestrator') });
  records = openRecords({ url: asRole(database.url, 'gateway') });
  await store.commit(await lead(store, 'first'), [
    putDefinition,
    ...work('red', ['red']),
    ...work('both', ['red', 'blue']),
    ...work('none', []),
    { op: 'putResource', row: { name: 'cup', type: 'beaker', lab: 'blue', meta: {} } },
    onDemand('d1', 'rinse', ['red']),
    onDemand('d2', 'shake', ['red'], ['cup']),
    onDemand('d3', 'think', []),
    onDemand('d4', 'guess', ['red'], ['gone']),
    onDemand('d5', 'again', ['red']),
    onDemand('d6', 'again', ['blue'], [], t0 + 1),
    { op: 'insertAttempt', row: attempt('a_d2', 'd2') },
    item('i1', { kind: 'task', taskRunId: 't_both' }),
    item('i2', { kind: 'device', device: 'blue.mixer_1' }),
    item('i3', { kind: 'agent', computer: 'bench' }),
    stop('s1', 'all'),
    stop('s2', 'lab:red'),
    stop('s3', 'device:red.mixer_1'),
    stop('s4', 'lab:blue'),
    stop('s5', 'device:blue.mixer_1'),
    item('i4', { kind: 'task', taskRunId: 't_red' }),
    item('i5', { kind: 'device', device: 'red.mixer_1' }),
    item('i6', { kind: 'device', device: 'redder.mixer_1' }),
    item('i7', { kind: 'task', taskRunId: 'd3', device: 'red.mixer_1' }),
  ]);
});
afterAll(async () => {
  await records?.close();
  await store?.close();
  await database?.drop();
  await postgres?.stop();
});

describe('the labs of', () => {
  const cases: [LabRecordKind, string, string | undefined, string[] | undefined][] = [
    ['campaign', 'red', undefined, ['red']],
    ['campaign', 'both', undefined, ['red', 'blue']],
    ['campaign', 'none', undefined, []],
    ['campaign', 'absent', undefined, undefined],
    ['protocol_run', 'both', undefined, ['red', 'blue']],
    ['protocol_run', 'absent', undefined, undefined],
    ['task', 'mix', 'both', ['red', 'blue']],
    ['task', 'mix', 'absent', undefined],
    ['task', 'mix', undefined, undefined],
    ['task', 'rinse', undefined, ['red']],
    ['task', 'shake', undefined, ['blue', 'red']],
    ['task', 'think', undefined, []],
    ['task', 'guess', undefined, []],
    ['task', 'again', undefined, ['blue']],
    ['task', 'a\u0000b', undefined, undefined],
    ['task', 'mix', 'a\u0000b', undefined],
    ['task_run', 't_red', undefined, ['red']],
    ['task_run', 'd5', undefined, ['red']],
    ['task_run', 'absent', undefined, undefined],
    ['attempt', 'a_both', undefined, ['red', 'blue']],
    ['attempt', 'a_d2', undefined, ['blue', 'red']],
    ['attempt', 'absent', undefined, undefined],
    ['attention', 'i1', undefined, ['red', 'blue']],
    ['attention', 'i2', undefined, ['blue']],
    ['attention', 'i3', undefined, []],
    ['attention', 'absent', undefined, undefined],
    ['resource', 'cup', undefined, ['blue']],
    ['resource', 'absent', undefined, undefined],
  ];

  test.each(cases)('%s %s (run %s) are %j', async (kind, key, run, expected) => {
    expect(await records.labsOf(kind, key, run)).toEqual(expected);
  });
});

describe('a list', () => {
  const newest = { limit: 100, sort: 'created_at', descending: true, after: null };
  const ids = async (
    name: 'tasks' | 'protocol_runs' | 'campaigns',
    narrowed: { lab?: string; within?: string[] },
  ): Promise<string[]> => {
    const { lab, within } = narrowed;
    const request: ListRequest = {
      ...newest,
      filters: lab === undefined ? {} : { lab },
      ...(within === undefined ? {} : { within }),
    };
    return (await records.list(name, request)).items.map(({ id }) => id).sort();
  };

  test('of a laboratory contains all records of that laboratory', async () => {
    expect(await ids('campaigns', { lab: 'red' })).toEqual(['c_both', 'c_red']);
    expect(await ids('protocol_runs', { lab: 'blue' })).toEqual(['r_both']);
    expect(await ids('tasks', { lab: 'red' })).toEqual(['d1', 'd2', 'd4', 'd5', 't_both', 't_red']);
    expect(await ids('tasks', { lab: 'blue' })).toEqual(['d2', 'd6', 't_both']);
    expect(await ids('tasks', { lab: '%' })).toEqual([]);
  });

  test('for a person with roles for some laboratories contains only records of these laboratories', async () => {
    expect(await ids('campaigns', { within: ['red'] })).toEqual(['c_red']);
    expect(await ids('protocol_runs', { within: ['red'] })).toEqual(['r_red']);
    expect(await ids('tasks', { within: ['red'] })).toEqual(['d1', 'd5', 't_red']);
    expect(await ids('tasks', { lab: 'red', within: ['red', 'green'] })).toEqual(['d1', 'd5', 't_red']);
    expect(await ids('tasks', { lab: 'blue', within: ['red', 'blue'] })).toEqual(['d2', 'd6', 't_both']);
    expect(await ids('campaigns', { within: [] })).toEqual([]);
    const cups = { ...newest, sort: 'name', filters: {} };
    expect((await records.list('resources', { ...cups, within: ['red'] })).items).toEqual([]);
    expect((await records.list('resources', { ...cups, within: ['blue'] })).items).toHaveLength(1);
  });

  test('of attention items and attempts hides those that also belong to other laboratories', async () => {
    const idsOf = async (
      name: 'attention' | 'attempts',
      narrowed: { lab?: string; within?: string[] },
    ): Promise<string[]> => {
      const { lab, within } = narrowed;
      const request: ListRequest = {
        ...newest,
        sort: name === 'attention' ? 'opened_at' : 'created_at',
        filters: lab === undefined ? {} : { lab },
        ...(within === undefined ? {} : { within }),
      };
      return (await records.list(name, request)).items.map(({ id }) => id).sort();
    };
    expect(await idsOf('attention', { lab: 'red' })).toEqual(['i1', 'i4', 'i5']);
    expect(await idsOf('attention', { within: ['red'] })).toEqual(['i4', 'i5']);
    expect(await idsOf('attention', { lab: 'red', within: ['red'] })).toEqual(['i4', 'i5']);
    expect(await idsOf('attention', { within: ['red', 'blue'] })).toEqual(['i1', 'i2', 'i4', 'i5']);
    expect(await idsOf('attention', { within: [] })).toEqual([]);
    expect(await idsOf('attempts', { lab: 'red' })).toEqual(['a_both', 'a_d2', 'a_red']);
    expect(await idsOf('attempts', { lab: 'red', within: ['red'] })).toEqual(['a_red']);
  });

  test('of files contains those of tasks of the laboratory alone', async () => {
    const filesOf = async (narrowed: Pick<ListRequest, 'filters' | 'within'>): Promise<string[]> =>
      (await records.list('files', { ...newest, ...narrowed })).items.map(({ name }) => name).sort();
    expect(await filesOf({ filters: { lab: 'blue' } })).toEqual(['d2.txt', 'd6.txt']);
    expect(await filesOf({ filters: {}, within: ['red'] })).toEqual(['d1.txt', 'd5.txt']);
    expect(await filesOf({ filters: { lab: 'blue' }, within: ['red'] })).toEqual([]);
  });

  test('of emergency stops contains those that reach the laboratory', async () => {
    const idsOf = async (narrowed: Pick<ListRequest, 'filters' | 'within'>): Promise<string[]> => {
      const request = { ...newest, sort: 'engaged_at', ...narrowed };
      return (await records.list('emergency_stops', request)).items.map(({ id }) => id).sort();
    };
    expect(await idsOf({ filters: { lab: 'red' } })).toEqual(['s1', 's2', 's3']);
    expect(await idsOf({ filters: {}, within: ['blue'] })).toEqual(['s1', 's4', 's5']);
    expect(await idsOf({ filters: { lab: 'red' }, within: ['blue'] })).toEqual(['s1']);
  });

  test('is refused to such a person when its records name no laboratory', async () => {
    const request = { ...newest, filters: {}, within: ['red'] };
    for (const name of ['webhooks', 'audit'] satisfies StoredListName[])
      await expect(
        records.list(name, { ...request, sort: name === 'audit' ? 'seq' : 'created_at' }),
      ).rejects.toThrow();
  });
});
