import type { Change, ProtocolRunRow } from '@lab/engine';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords, openStore, type PostgresStore, type Records } from '../../src/index.js';
import { campaign, hash, lead, protocolRun, putDefinition, t0, taskRun, trial } from '../rows.js';

let postgres: TestPostgres;
let store: PostgresStore;
let records: Records;

const protocolHash = (version: number): string => String(version).repeat(64);
const putProtocol = (version: number): Change => ({
  op: 'putDefinition',
  row: {
    hash: protocolHash(version),
    kind: 'protocol',
    body: {
      hash: protocolHash(version),
      protocol: { type: `version ${version}`, desc: '', labs: [], resources: {}, tasks: [] },
      tasks: {},
    },
  },
});
const idOf = (number: number): string => `run ${String(number).padStart(4, '0')}`;
const insertRun = (number: number, over: Partial<ProtocolRunRow> = {}): Change => ({
  op: 'insertProtocolRun',
  row: protocolRun(idOf(number), {
    name: `a_run_7_run_${number}`,
    campaignId: 'c',
    definitionHash: protocolHash(number < 3 ? 1 : 2),
    ...over,
  }),
});

beforeAll(async () => {
  postgres = await testPostgres();
  store = await openStore({ url: asRole(postgres.url, 'orchestrator') });
  records = openRecords({ url: asRole(postgres.url, 'gateway') });
  const epoch = await lead(store, 'first');
  const outputs = { loss: 0.1 + 0.2, label: 'ü', done: true, spectrum: [1, 2], more: { a: 1 }, none: null };
  await store.commit(epoch, [
    putDefinition,
    putProtocol(1),
    putProtocol(2),
    putProtocol(3),
    {
      op: 'insertCampaign',
      row: campaign('c', { name: 'a_run_7', optimize: true, definitionHash: protocolHash(1) }),
    },
    { op: 'insertCampaign', row: campaign('d', { definitionHash: protocolHash(3) }) },
    // Inserted in another order than that of their ids.
    ...[5, 4, 3, 1, 2].map((number) =>
      insertRun(number, {
        parameters: { mix: { cyan: number } },
        ...(number === 2
          ? {
              state: 'failed',
              reason: { code: 'task_failed', message: 'dry' },
              startedAt: t0,
              endedAt: t0 + 1,
            }
          : {}),
      }),
    ),
    { op: 'insertProtocolRun', row: protocolRun('other', { name: 'a_run_7_run_9' }) },
    { op: 'insertTrial', row: trial('c', 2, { run: 'a_run_7_run_2', source: 'ai' }) },
    ...(['mix', 'score', 'clean'] as const).map((name): Change => {
      const outputParameters = { mix: outputs, score: null, clean: {} }[name];
      return {
        op: 'insertTaskRun',
        row: taskRun(`t ${name}`, { name, runId: idOf(2), outputParameters }),
      };
    }),
  ]);
});
afterAll(async () => {
  await records?.close();
  await store?.close();
  await postgres?.stop();
});

test('the runs of a campaign are read by their numbers, part by part, with inputs and outputs', async () => {
  const extent = await records.campaignExtent({ id: 'c', definition_hash: protocolHash(1) });
  expect(extent.last).toBe(idOf(5));
  expect(extent.protocols.map(({ protocol }) => protocol.type)).toEqual(['version 1', 'version 2']);
  const first = await records.campaignRuns('c', { after: null, upTo: idOf(4), limit: 2 });
  expect(first).toMatchObject([{ number: 1, source: 'given', outputs: {}, started_at: null }, { number: 2 }]);
  expect(first[1]).toEqual({
    id: idOf(2),
    number: 2,
    name: 'a_run_7_run_2',
    state: 'failed',
    reason: { code: 'task_failed', message: 'dry' },
    source: 'ai',
    parameters: { mix: { cyan: 2 } },
    outputs: { mix: { loss: 0.30000000000000004, label: 'ü', done: true } },
    started_at: new Date(t0).toISOString(),
    ended_at: new Date(t0 + 1).toISOString(),
  });
  const rest = await records.campaignRuns('c', { after: idOf(2), upTo: idOf(4), limit: 9 });
  expect(rest.map(({ number, parameters }) => [number, parameters])).toEqual([
    [3, { mix: { cyan: 3 } }],
    [4, { mix: { cyan: 4 } }],
  ]);
});

test('a campaign without runs has its original protocol, and the hash of no protocol gives none', async () => {
  const empty = await records.campaignExtent({ id: 'd', definition_hash: protocolHash(3) });
  expect(empty).toMatchObject({ last: null, protocols: [{ protocol: { type: 'version 3' } }] });
  expect(await records.campaignExtent({ id: 'd', definition_hash: hash })).toEqual({
    last: null,
    protocols: [],
  });
});
