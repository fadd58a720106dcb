import type { Change } from '@lab/engine';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords, openStore, type PostgresStore, type Records } from '../../src/index.js';
import { lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let store: PostgresStore;
let records: Records;

const iso = (seconds: number): string => new Date(t0 + 1_000 * seconds).toISOString();
const plan = { start: iso(5), end: iso(25), at: iso(0), devices: { mixer: 'color_lab.mixer_1' } };

/** A completed task. Times are seconds after `t0`. */
const ended = (id: string, startedAt: number | null, endedAt: number | null, more = {}): Change => ({
  op: 'insertTaskRun',
  row: taskRun(id, {
    state: endedAt === null ? 'running' : 'completed',
    startedAt: startedAt === null ? null : t0 + 1_000 * startedAt,
    endedAt: endedAt === null ? null : t0 + 1_000 * endedAt,
    ...more,
  }),
});

beforeAll(async () => {
  postgres = await testPostgres();
  database = await postgres.freshDatabase();
  store = await openStore({ url: asRole(database.url, 'orchestrator') });
  records = openRecords({ url: asRole(database.url, 'gateway') });
  const devices = { oven: { lab_name: 'heat_lab', name: 'oven' } };
  await store.commit(await lead(store, 'first'), [
    putDefinition,
    { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'paint', campaignId: null }) },
    ended('long', 0, 100),
    ended('early', 0, 10, { runId: 'r1', name: 'mix', firstPlan: plan, lastPlan: { ...plan, at: iso(4) } }),
    ended('late', 20, 30, { devices }),
    ended('instant', 40, 40),
    // The clock was set back while it ran.
    ended('backwards', 50, 45),
    ended('heated', 2_000, 2_001, { devices, resources: {} }),
    ended('shared', 2_000, 2_001, {
      devices: { ...devices, mixer: { lab_name: 'color_lab', name: 'mixer_1' } },
      resources: {},
    }),
    ended('of no lab', 2_000, 2_001, { devices: {}, resources: {} }),
    ended('running', 0, null),
    ended('unstarted', null, 10),
  ]);
});

afterAll(async () => {
  await records.close();
  await store.close();
  await postgres.stop();
});

const idsIn = async (from: number, to: number, more = {}): Promise<string[]> =>
  (await records.endedTasks({ from: iso(from), to: iso(to), limit: 10, ...more })).map(({ id }) => id);

test('a window has the ended tasks whose actual time touches it, by their starts', async () => {
  expect(await idsIn(-10, 0)).toEqual([]);
  expect(await idsIn(0, 15)).toEqual(['early', 'long']);
  expect(await idsIn(10, 20)).toEqual(['early', 'long']);
  expect(await idsIn(11, 31)).toEqual(['long', 'late']);
  expect(await idsIn(35, 60)).toEqual(['long', 'instant', 'backwards']);
  expect(await idsIn(101, 1_000)).toEqual([]);
  expect(await idsIn(0, 200, { limit: 2 })).toEqual(['early', 'long']);
});

test('the filters select by run and by the devices that tasks had', async () => {
  expect(await idsIn(0, 200, { run: 'paint' })).toEqual(['early']);
  expect(await idsIn(0, 200, { device: 'heat_lab.oven' })).toEqual(['late']);
  expect(await idsIn(0, 200, { lab: 'heat_lab' })).toEqual(['late']);
  expect(await idsIn(0, 200, { lab: 'heat' })).toEqual([]);
  expect(await idsIn(0, 200, { run: 'nul\u0000' })).toEqual([]);
});

test('an entry has its plans beside its actual time', async () => {
  const [early] = await records.endedTasks({ from: iso(0), to: iso(5), run: 'paint', limit: 1 });
  expect(early).toMatchObject({
    ...{ label: 'paint/mix', protocol_run: 'paint', state: 'completed', planned_start: null },
    ...{ started_at: iso(0), ended_at: iso(10), first_plan: plan, last_plan: { ...plan, at: iso(4) } },
    ...{ devices: { mixer: 'color_lab.mixer_1' }, resources: { beaker: 'beaker_1' }, waits_for: [] },
  });
});

test('a reader of single laboratories gets tasks whose laboratories are all among these', async () => {
  const seen = (more: object): Promise<string[]> => idsIn(1_999, 2_100, more);
  expect(await seen({ within: ['heat_lab'] })).toEqual(['heated']);
  expect(await seen({ within: ['heat_lab', 'color_lab'] })).toEqual(['heated', 'shared']);
  expect(await seen({ within: ['heat_lab', 'color_lab'], lab: 'color_lab' })).toEqual(['shared']);
  expect(await seen({ within: ['color_lab'], lab: 'heat_lab' })).toEqual([]);
  expect(await seen({ within: [] })).toEqual([]);
  expect(await seen({})).toEqual(['heated', 'of no lab', 'shared']);
});
