import { setTimeout as delay } from 'node:timers/promises';
import type { EffectRecord, ListRequest, RecordedEffect } from '@lab/contracts';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  openGatewayStore,
  openRecords,
  openStore,
  type GatewayStore,
  type PostgresStore,
  type Records,
} from '../../src/index.js';
import { attempt, campaign, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let engine: PostgresStore;
let store: GatewayStore;
let records: Records;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  database = await postgres.freshDatabase();
  engine = await openStore({ url: asRole(database.url, 'orchestrator') });
  store = openGatewayStore({ url: asRole(database.url, 'gateway') });
  records = openRecords({ url: asRole(database.url, 'gateway') });
});
afterEach(async () => {
  await records.close();
  await store.close();
  await engine.close();
  await database.drop();
});

const effect = (id: string, over: Partial<RecordedEffect> = {}): RecordedEffect => ({
  ...{ call_id: id, lab: 'lab', device: 'arm', function: 'move', kind: 'effect' },
  ...{ arguments: { to: 'rack' }, state: 'running', began_ms: t0 },
  ...over,
});
const request: ListRequest = {
  ...{ limit: 100, sort: 'began_at', descending: true, filters: {}, after: null },
};
const list = async (filters: ListRequest['filters'] = {}): Promise<EffectRecord[]> =>
  (await records.list('effects', { ...request, filters })).items;
const ids = async (filters: ListRequest['filters'] = {}): Promise<string[]> =>
  (await list(filters)).map(({ id }) => id);

test('a call is stored with the work of its attempt, and its times are corrected by the offset', async () => {
  const epoch = await lead(engine, 'first');
  await engine.commit(epoch, [
    putDefinition,
    { op: 'insertCampaign', row: campaign('c1', { name: 'sweep' }) },
    { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1', campaignId: 'c1' }) },
    { op: 'insertTaskRun', row: taskRun('t1', { name: 'mix', runId: 'r1' }) },
    { op: 'insertAttempt', row: attempt('a1', 't1') },
  ]);
  const ended = { state: 'completed', ended_ms: t0 + 2_000, result: { at: 'rack' } } as const;
  const runtime = { name: 'python', version: '3.11.2', environment: 'ab12' } as const;
  await store.effects.append('bench_b', 7_000, [
    effect('a1/1', { ...ended, attempt_id: 'a1', code_hash: 'hash', runtime }),
  ]);
  expect(await records.effect('a1/1')).toEqual({
    ...{ id: 'a1/1', lab: 'lab', device: 'arm', computer: 'bench_b', function: 'move', kind: 'effect' },
    ...{ arguments: { to: 'rack' }, state: 'completed', result: { at: 'rack' }, error: null },
    ...{ person: null, attempt_id: 'a1', task: 'mix', protocol_run: 'run_1', campaign: 'sweep' },
    began_at: new Date(t0 - 7_000).toISOString(),
    ended_at: new Date(t0 - 5_000).toISOString(),
    ...{ clock_offset_ms: 7_000, code_hash: 'hash', runtime },
    ...{ package: null, package_version: null, package_commit: null, package_modified: null },
  });
  expect(await records.effect('none')).toBeUndefined();
});

test('a call names the version of the package that its code was loaded from before the call', async () => {
  const epoch = await lead(engine, 'first');
  const origin = { hash: 'hash', package: 'lab_a', version: '1.0.0', commit: 'c1', modified: false };
  await engine.noteCode(epoch, [origin, { ...origin, hash: 'other', version: null, commit: null }]);
  await engine.noteCode(epoch, [origin]);
  const between = Date.now() + 1;
  await delay(20);
  await engine.noteCode(epoch, [{ ...origin, version: '1.1.0', commit: 'c2', modified: true }]);
  await engine.noteCode(epoch - 1, [{ ...origin, commit: 'of a leader that was succeeded' }]);

  const code = { code_hash: 'hash', state: 'completed' } as const;
  await store.effects.append('bench_b', 0, [
    effect('before', { ...code, began_ms: between, ended_ms: between }),
    effect('after', { ...code, began_ms: Date.now() + 1_000 }),
    effect('earliest', { ...code, began_ms: t0 }),
    effect('unknown', { code_hash: 'none' }),
  ]);
  const versionOf = async (id: string): Promise<unknown[]> => {
    const found = await records.effect(id);
    return [found?.package, found?.package_version, found?.package_commit, found?.package_modified];
  };
  expect(await versionOf('before')).toEqual(['lab_a', '1.0.0', 'c1', false]);
  expect(await versionOf('after')).toEqual(['lab_a', '1.1.0', 'c2', true]);
  // The clocks of database and agent can differ by more than the start of a device takes.
  expect(await versionOf('earliest')).toEqual(['lab_a', '1.0.0', 'c1', false]);
  expect(await versionOf('unknown')).toEqual([null, null, null, null]);
  const origins = await records.codeOrigins('hash');
  expect(origins.map(({ commit }) => commit)).toEqual(['c2', 'c1']);
  expect(Date.parse(origins[0]?.loaded_at ?? '')).toBeGreaterThan(Date.parse(origins[1]?.loaded_at ?? ''));
});

test('a repeated batch changes nothing, an end replaces a beginning, and nothing replaces an end', async () => {
  await store.effects.append('bench_b', 0, [effect('c1'), effect('c2')]);
  await store.effects.append('bench_b', 0, [effect('c1')]);
  const error = { code: 'device_error', message: 'no \u0000 grip', effect: 'maybe' };
  await store.effects.append('bench_b', 0, [effect('c1', { state: 'failed', ended_ms: t0 + 1, error })]);
  await store.effects.append('bench_b', 0, [effect('c1'), effect('c1x', { person: 'ann' })]);
  const states = Object.fromEntries((await list()).map(({ id, state }) => [id, state]));
  expect(states).toEqual({ c1: 'failed', c2: 'running', c1x: 'running' });
  expect((await records.effect('c1'))?.error).toEqual({ ...error, message: 'no \u2400 grip' });
});

test('calls are found by device, person, state and time', async () => {
  await store.effects.append('bench_b', 0, [
    effect('c1', { began_ms: t0 }),
    effect('c2', { began_ms: t0 + 1_000, person: 'ann', state: 'completed' }),
    effect('c3', { began_ms: t0 + 2_000, device: 'oven', function: 'heat' }),
  ]);
  expect(await ids()).toEqual(['c3', 'c2', 'c1']);
  expect(await ids({ lab: 'lab', device: 'arm' })).toEqual(['c2', 'c1']);
  expect(await ids({ person: 'ann' })).toEqual(['c2']);
  expect(await ids({ state: ['running'] })).toEqual(['c3', 'c1']);
  expect(await ids({ function: 'heat' })).toEqual(['c3']);
  expect(await ids({ since: new Date(t0 + 1_000).toISOString() })).toEqual(['c3', 'c2']);
  expect(await ids({ until: new Date(t0 + 1_000).toISOString() })).toEqual(['c1']);
  const { items } = await records.list('effects', { ...request, within: ['other'] });
  expect(items).toEqual([]);
});
