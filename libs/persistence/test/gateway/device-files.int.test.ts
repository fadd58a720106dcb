import type { DeviceFile, DeviceFileRecord, FileOwner, ListRequest } from '@lab/contracts';
import type { AttemptRow } from '@lab/engine';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  openEventLog,
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
let epoch: number;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

const reader = { lab: 'lab', name: 'reader' };
const devices = {
  reader: { ...reader, type: 'reader', computer: 'pc', inc: 1, fence: 1 },
} satisfies AttemptRow['devices'];
const slots = { reader: { lab_name: 'lab', name: 'reader' } };

beforeEach(async () => {
  database = await postgres.freshDatabase();
  engine = await openStore({ url: asRole(database.url, 'orchestrator') });
  store = openGatewayStore({ url: asRole(database.url, 'gateway'), undoHours: 1 });
  records = openRecords({ url: asRole(database.url, 'gateway') });
  epoch = await lead(engine, 'first');
  await engine.commit(epoch, [
    putDefinition,
    { op: 'insertCampaign', row: campaign('c1', { name: 'sweep' }) },
    { op: 'insertProtocolRun', row: protocolRun('r1', { name: 'run_1', campaignId: 'c1' }) },
  ]);
});
afterEach(async () => {
  await records.close();
  await store.close();
  await engine.close();
  await database.drop();
});

async function asOwner(text: string): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query(text);
  await client.end();
}

let count = 0;
const byTime: FileOwner = { by: 'time', grace_s: 60 };

function file(over: Partial<DeviceFile> = {}): DeviceFile {
  count += 1;
  return {
    ...{
      id: count.toString(16).padStart(32, '0'),
      lab: 'lab',
      device: 'reader',
      name: 'a.csv',
      path: 'run/a.csv',
    },
    ...{ size: 7, sha256: 'b'.repeat(64), made_ms: t0, modified_ms: t0, owner: byTime },
    ...over,
  };
}

/** A task of the run with one attempt, from and to these seconds after the start. */
async function work(id: string, from: number, to?: number, over: object = {}): Promise<void> {
  await engine.commit(epoch, [
    { op: 'insertTaskRun', row: taskRun(id, { name: id, runId: 'r1', devices: slots, ...over }) },
    {
      op: 'insertAttempt',
      row: attempt(`${id}/1`, id, {
        ...{ computer: 'pc', devices, createdAt: t0 + from * 1_000 },
        ...(to === undefined ? {} : { state: 'completed', endedAt: t0 + to * 1_000 }),
      }),
    },
  ]);
}

async function owner(given: Partial<DeviceFile>): Promise<string | null | undefined> {
  const stored = file(given);
  await store.deviceFiles.store('pc', 0, stored);
  return (await records.deviceFile(stored.id))?.attempt_id;
}
const at = (seconds: number): number => t0 + seconds * 1_000;

describe('a file of an instrument', () => {
  it('is stored once, with its task, and its times are corrected by the offset', async () => {
    await work('t1', 0, 10);
    const stored = file({ made_ms: at(12), modified_ms: at(13) });
    await store.deviceFiles.store('pc', 7_000, stored);
    await store.deviceFiles.store('pc', 0, { ...stored, name: 'another' });
    expect(await records.deviceFile(stored.id)).toEqual({
      ...{ id: stored.id, lab: 'lab', device: 'reader', computer: 'pc', name: 'a.csv', path: 'run/a.csv' },
      ...{ size: 7, sha256: 'b'.repeat(64), media_type: 'text/csv' },
      ...{ made_at: new Date(at(5)).toISOString(), modified_at: new Date(at(6)).toISOString() },
      stored_at: expect.any(String) as string,
      ...{ matched: 'time', attached_by: null, reason: null, attempt_id: 't1/1', task_run_id: 't1' },
      ...{ task: 't1', protocol_run: 'run_1', campaign: 'sweep' },
      ...{ delete_due_at: null, delete_by: null, delete_reason: null },
    });
    expect(await store.deviceFiles.has(stored.id)).toBe(true);
    expect(await store.deviceFiles.has('0'.repeat(32))).toBe(false);
  });

  it('belongs to the attempt that had the device when it was made, or a grace time before', async () => {
    await work('t1', 0, 10);
    await work('t2', 100);
    expect(await owner({ made_ms: at(5) })).toBe('t1/1');
    expect(await owner({ made_ms: at(69) })).toBe('t1/1');
    expect(await owner({ made_ms: at(71) })).toBeNull();
    expect(await owner({ made_ms: at(500) })).toBe('t2/1');
    expect(await owner({ made_ms: at(-60) })).toBeNull();
    expect(await owner({ made_ms: at(5), device: 'other' })).toBeNull();
  });

  it('belongs to the attempt that began last if several qualify', async () => {
    await work('t1', 0, 10);
    await work('t2', 20, 30);
    expect(await owner({ made_ms: at(25) })).toBe('t2/1');
    expect(await owner({ made_ms: at(15) })).toBe('t1/1');
  });

  it('belongs to the attempt that its name tells, by task, argument or parameter', async () => {
    await work('t1', 0, 10, { inputParameters: { sample_id: 'S1' } });
    await work('t2', 20, 30);
    await store.effects.append('pc', 0, [
      {
        ...{ call_id: 't2/1/1', lab: 'lab', device: 'reader', function: 'measure', kind: 'effect' },
        ...{
          arguments: { sample_id: 'S2' },
          state: 'completed',
          attempt_id: 't2/1',
          began_ms: at(21),
          ended_ms: at(22),
        },
      },
    ]);
    const named = (key: string, value: string, seconds = 10_000): Promise<string | null | undefined> =>
      owner({ made_ms: at(seconds), owner: { by: 'name', key, value } });
    expect(await named('sample_id', 'S1')).toBe('t1/1');
    expect(await named('sample_id', 'S2')).toBe('t2/1');
    expect(await named('sample_id', 'S3')).toBeNull();
    expect(await named('sample_id', 'S2', 15)).toBeNull();
    expect(await named('task', 't1')).toBe('t1/1');
    expect(await named('task', 't2/1')).toBe('t2/1');
    expect(await owner({ made_ms: at(5), owner: { by: 'nothing' } })).toBeNull();
  });

  it('belongs to an earlier attempt of a task that has another device now, by its calls', async () => {
    await work('t1', 0, 10);
    await store.effects.append('pc', 0, [
      {
        ...{ call_id: 't1/1/1', lab: 'lab', device: 'reader', function: 'measure', kind: 'effect' },
        ...{ arguments: {}, state: 'completed', attempt_id: 't1/1', began_ms: at(1), ended_ms: at(2) },
      },
    ]);
    await asOwner(`update task_run set devices = '{}' where id = 't1'`);
    expect(await owner({ made_ms: at(5) })).toBe('t1/1');
  });

  it('of another computer than that of the device belongs to no attempt', async () => {
    await work('t1', 0, 10);
    const stored = file({ made_ms: at(5) });
    await store.deviceFiles.store('other', 0, stored);
    expect(await records.deviceFile(stored.id)).toMatchObject({ computer: 'other', attempt_id: null });
  });

  it('is found by the attempt of its computer, in the order in which files were stored', async () => {
    await work('t1', 0);
    const stored = [file(), file(), file()];
    for (const each of stored) await store.deviceFiles.store('pc', 0, each);
    expect(await store.deviceFiles.isAttemptOf('pc', 't1/1')).toBe(true);
    expect(await store.deviceFiles.isAttemptOf('other', 't1/1')).toBe(false);
    const first = await store.deviceFiles.ofAttempt('t1/1', reader, 0, 2);
    expect(first.map(({ id }) => id)).toEqual(stored.slice(0, 2).map(({ id }) => id));
    const rest = await store.deviceFiles.ofAttempt('t1/1', reader, first[1]?.place ?? 0, 2);
    expect(rest.map(({ id }) => id)).toEqual([stored[2]?.id]);
    expect(await store.deviceFiles.ofAttempt('t1/1', { ...reader, name: 'other' }, 0, 2)).toEqual([]);
  });

  it('is attached by a person, who stays in the record', async () => {
    await work('t1', 0, 10);
    await work('t2', 20, 30);
    const stored = file({ owner: { by: 'nothing' } });
    await store.deviceFiles.store('pc', 0, stored);
    const attachment = { taskRunId: 't2', by: 'ada', reason: 'typed wrong' };
    expect(await store.deviceFiles.attach(stored.id, { ...reader, name: 'other' }, attachment)).toBe(false);
    expect(await store.deviceFiles.attach(stored.id, reader, { ...attachment, taskRunId: 'none' })).toBe(
      false,
    );
    expect(await store.deviceFiles.attach(stored.id, reader, attachment)).toBe(true);
    expect(await records.deviceFile(stored.id)).toMatchObject({
      ...{ matched: 'person', attached_by: 'ada', reason: 'typed wrong', attempt_id: 't2/1', task: 't2' },
    });
  });

  it('has an event when it is stored and when it is attached, and none when it is stored again', async () => {
    await work('t1', 0, 10);
    const log = openEventLog({ url: asRole(database.url, 'gateway') });
    const stored = file({ owner: { by: 'nothing' } });
    await store.deviceFiles.store('pc', 0, stored);
    await store.deviceFiles.store('pc', 0, stored);
    await store.deviceFiles.attach(stored.id, reader, { taskRunId: 't1', by: 'ada', reason: 'x' });
    const events = await log.history(`device_file/${stored.id}`, 0, 10);
    await log.close();
    expect(events.map(({ type, seq, body }) => [type, seq, body['labs'], body['task']])).toEqual([
      ['device_file.stored', 1, ['lab'], null],
      ['device_file.attached', 2, ['lab'], 't1'],
    ]);
  });

  it('is removed only with the work that it belongs to', async () => {
    await work('t1', 0, 10);
    const [own, loose] = [file(), file({ owner: { by: 'nothing' } })];
    for (const each of [own, loose]) await store.deviceFiles.store('pc', 0, each);
    expect(await store.deviceFiles.ofTaskRuns(['t1', 'none'])).toEqual([{ id: own.id, size: 7 }]);
    for (const { id } of [own, loose]) await store.deviceFiles.remove(id);
    expect(await records.deviceFile(own.id)).toBeDefined();
    await asOwner(
      `insert into deletion (id, work_id, kind, name, owner, labs, what, state, reason, by, at, due_at)
       values ('d1', 'c1', 'campaign', 'sweep', 'ada', '[]', 'files', 'running', 'x', 'ada', now(), now())`,
    );
    for (const { id } of [own, loose]) await store.deviceFiles.remove(id);
    expect(await records.deviceFile(own.id)).toBeUndefined();
    expect(await records.deviceFile(loose.id)).toBeDefined();
  });

  it('is listed by lab, device, task and time, and as a loose one', async () => {
    await work('t1', 0, 10);
    const files = [
      file({ made_ms: at(1) }),
      file({ made_ms: at(2), owner: { by: 'nothing' } }),
      file({ made_ms: at(3), lab: 'other' }),
    ];
    for (const each of files) await store.deviceFiles.store('pc', 0, each);
    const request: ListRequest = {
      ...{ limit: 100, sort: 'made_at', descending: true, filters: {}, after: null },
    };
    const listed = async (filters: ListRequest['filters'], within?: string[]): Promise<number[]> => {
      const asked = within === undefined ? { ...request, filters } : { ...request, filters, within };
      const { items } = await records.list('device_files', asked);
      return items.map(({ id }: DeviceFileRecord) => files.findIndex((each) => each.id === id));
    };
    expect(await listed({})).toEqual([2, 1, 0]);
    expect(await listed({ lab: 'lab', device: 'reader' })).toEqual([1, 0]);
    expect(await listed({ loose: true })).toEqual([2, 1]);
    expect(await listed({ loose: false, task: 't1' })).toEqual([0]);
    expect(await listed({ since: new Date(at(2)).toISOString() })).toEqual([2, 1]);
    expect(await listed({ matched: ['time'] })).toEqual([0]);
    expect(await listed({ text: 'RUN/' })).toEqual([2, 1, 0]);
    expect(await listed({}, ['other'])).toEqual([2]);
  });
});

describe('a loose file', () => {
  const nobody = { owner: { by: 'nothing' } } as const;
  const asked = { by: 'ada', reason: 'a test' };
  const hour = "interval '61 minutes'";

  async function stored(given: Partial<DeviceFile> = nobody): Promise<DeviceFile> {
    const one = file(given);
    await store.deviceFiles.store('pc', 0, one);
    return one;
  }
  const begun = async (): Promise<string[]> =>
    (await store.deviceFiles.beginDeletions(10)).map(({ id }) => id);
  const hold = (released: string): Promise<void> =>
    asOwner(`insert into legal_hold (id, kind, name, reason, by, at, released_at)
      values ('h1', 'lab', 'lab', 'x', 'eve', now(), null) on conflict (id) do update set released_at = ${released}`);
  const isLater = (): Promise<void> => asOwner(`update device_file set delete_at = delete_at - ${hour}`);
  const used = async (): Promise<Record<string, number[]>> =>
    Object.fromEntries(
      (await engine.usage()).map(({ kind, name, files, bytes }) => [`${kind} ${name}`, [files, bytes]]),
    );

  it('is deleted when its time to take it back is over, and the audit keeps what it was', async () => {
    const [one, other] = [await stored(), await stored()];
    expect(await store.deviceFiles.delete(one.id, asked)).toBeUndefined();
    expect(await store.deviceFiles.delete(one.id, asked)).toBe('planned');
    const record = await records.deviceFile(one.id);
    expect(record).toMatchObject({ delete_by: 'ada', delete_reason: 'a test' });
    const wait = Date.parse(record?.delete_due_at ?? '') - Date.parse(record?.stored_at ?? '');
    expect(wait / 3_600_000).toBeCloseTo(1, 1);
    expect(await begun()).toEqual([]);
    await isLater();
    expect(await begun()).toEqual([one.id]);
    // The bytes may be gone now: nobody sees, keeps or attaches the file any more.
    expect(await records.deviceFile(one.id)).toBeUndefined();
    expect(await store.deviceFiles.keep(one.id)).toBe(false);
    expect(await store.deviceFiles.delete(one.id, asked)).toBe('missing');
    await work('t1', 0, 10);
    const attachment = { taskRunId: 't1', by: 'ada', reason: 'x' };
    expect(await store.deviceFiles.attach(one.id, reader, attachment)).toBe(false);
    expect(await begun()).toEqual([one.id]);
    await store.deviceFiles.removed(one.id);
    await store.deviceFiles.removed(other.id);
    expect(await begun()).toEqual([]);
    expect([await store.deviceFiles.has(one.id), await store.deviceFiles.has(other.id)]).toEqual([
      false,
      true,
    ]);
    const { items } = await records.list('audit', {
      ...{ limit: 10, sort: 'at', descending: true, filters: { action: 'device_file.remove' }, after: null },
    });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      ...{ by: 'ada', subject: `device_file/${one.id}` },
      detail: {
        path: 'run/a.csv',
        size: 7,
        sha256: 'b'.repeat(64),
        reason: 'a test',
        lab: 'lab',
        device: 'reader',
      },
    });
  });

  it('stays when somebody takes its deletion back or attaches it', async () => {
    await work('t1', 0, 10);
    const [kept, attached] = [await stored(), await stored()];
    for (const { id } of [kept, attached]) await store.deviceFiles.delete(id, asked);
    expect(await store.deviceFiles.keep(kept.id)).toBe(true);
    expect(await store.deviceFiles.keep(kept.id)).toBe(false);
    await store.deviceFiles.attach(attached.id, reader, { taskRunId: 't1', by: 'ada', reason: 'x' });
    await isLater();
    expect(await begun()).toEqual([]);
    for (const { id } of [kept, attached])
      expect(await records.deviceFile(id)).toMatchObject({ delete_due_at: null, delete_by: null });
    expect(await store.deviceFiles.delete(attached.id, asked)).toBe('attached');
  });

  it('is deleted by its age, unless somebody kept it', async () => {
    await work('t1', 0, 10);
    const [old, kept, young] = [await stored(), await stored(), await stored()];
    const ofTask = await stored({ made_ms: at(5) });
    await store.deviceFiles.delete(kept.id, asked);
    await store.deviceFiles.keep(kept.id);
    const aged = [old, kept, ofTask].map(({ id }) => `'${id}'`).join(', ');
    await asOwner(`update device_file set stored_at = stored_at - interval '31 days' where id in (${aged})`);
    expect(await store.deviceFiles.deleteOld(40, 10)).toBe(0);
    expect(await store.deviceFiles.deleteOld(30, 10)).toBe(1);
    expect(await store.deviceFiles.deleteOld(30, 10)).toBe(0);
    expect(await records.deviceFile(old.id)).toMatchObject({
      ...{ delete_by: 'service', delete_reason: 'it was stored more than 30 days ago' },
    });
    for (const { id } of [kept, young, ofTask])
      expect(await records.deviceFile(id)).toMatchObject({ delete_due_at: null });
  });

  it('of a held laboratory is not deleted, and a hold takes a deletion back that has not begun', async () => {
    const [one, begins] = [await stored(), await stored()];
    await store.deviceFiles.delete(begins.id, asked);
    await isLater();
    expect(await begun()).toEqual([begins.id]);
    await store.deviceFiles.delete(one.id, asked);
    await hold('null');
    await isLater();
    expect(await begun()).toEqual([begins.id]);
    expect(await records.deviceFile(one.id)).toMatchObject({ delete_due_at: null });
    expect(await store.deviceFiles.delete(one.id, asked)).toBe('held');
    await asOwner(`update device_file set stored_at = stored_at - interval '31 days'`);
    expect(await store.deviceFiles.deleteOld(30, 10)).toBe(0);
    await hold('now()');
    expect(await store.deviceFiles.deleteOld(30, 10)).toBe(1);
  });

  it('counts for its laboratory, and with a task for its owner, until it is removed', async () => {
    await work('t1', 0, 10, { owner: 'ada' });
    await work('t2', 0, 10, { owner: 'bob' });
    const [one, other] = [await stored(), await stored({ ...nobody, size: 5, lab: 'other' })];
    expect(await used()).toMatchObject({ 'lab lab': [1, 7], 'lab other': [1, 5] });
    const attach = (taskRunId: string): Promise<boolean> =>
      store.deviceFiles.attach(one.id, reader, { taskRunId, by: 'ada', reason: 'x' });
    await attach('t1');
    expect(await used()).toMatchObject({ 'owner ada': [1, 7], 'owner bob': [0, 0], 'lab lab': [1, 7] });
    await attach('t2');
    expect(await used()).toMatchObject({ 'owner ada': [0, 0], 'owner bob': [1, 7], 'lab lab': [1, 7] });
    await store.deviceFiles.delete(other.id, asked);
    await isLater();
    await begun();
    expect(await used()).toMatchObject({ 'lab other': [1, 5] });
    await store.deviceFiles.removed(other.id);
    expect(await used()).toMatchObject({ 'lab other': [0, 0] });
  });
});
