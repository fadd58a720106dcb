import type { Change } from '@lab/engine';
import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openGatewayStore, openStore, type PostgresStore } from '../../src/index.js';
import { campaign, codeHash, lead, protocolRun, putDefinition, t0, taskRun } from '../rows.js';

/** Versions of packages under the rights of the services: what needs one, and how it goes away. */

let postgres: TestPostgres;
let store: PostgresStore;
let gateway: ReturnType<typeof openGatewayStore>;
let client: pg.Client;
let epoch = 0;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const database = await postgres.freshDatabase();
  client = new pg.Client(database.url);
  await client.connect();
  store = await openStore({ url: asRole(database.url, 'orchestrator') });
  gateway = openGatewayStore({ url: asRole(database.url, 'gateway') });
  epoch = await lead(store, 'o');
});
afterEach(async () => {
  await gateway.close();
  await store.close();
  await client.end();
});

async function* bytes(...pieces: string[]): AsyncGenerator<Buffer> {
  for (const each of pieces) yield await Promise.resolve(Buffer.from(each));
}

/** Stores a version with these modules, newer than those before. */
async function stored(name: string, sha256: string, modules: string[], at = Date.now()): Promise<void> {
  const origin = { commit: null, author: null, uploaded_by: 'ci' };
  const uploaded = { package: name, sha256, size: 3, ...origin, uploaded_at: new Date(at).toISOString() };
  await gateway.packages.add(uploaded, bytes('a', 'bc'));
  await store.packages.accept(epoch, name, sha256, { version: null, labs: ['wet'], modules });
}
const pieces = async (): Promise<string[]> =>
  (await client.query<{ sha256: string }>('select distinct sha256 from package_piece order by 1')).rows.map(
    (row) => row.sha256,
  );

test('the modules of a version are those that no other accepted version has', async () => {
  await stored('p', '1', ['shared', 'old'], t0);
  await stored('p', '2', ['shared', 'new'], t0 + 1);
  await stored('q', '3', ['other'], t0);
  expect(await store.packages.accepted()).toMatchObject([
    { package: 'p', sha256: '2', modules: ['new'], labs: ['wet'] },
    { package: 'p', sha256: '1', modules: ['old'] },
    { package: 'q', sha256: '3', modules: ['other'] },
  ]);
  expect((await store.packages.accepted('q')).map(({ sha256 }) => sha256)).toEqual(['3']);
});

test('work needs code until it is completed or archived, and an on-demand task until its end', async () => {
  const failed = { state: 'failed', endedAt: t0 } as const;
  const completed = { state: 'completed', endedAt: t0 } as const;
  const changes: Change[] = [
    putDefinition,
    { op: 'insertCampaign', row: campaign('1', failed) },
    { op: 'insertProtocolRun', row: protocolRun('2') },
    { op: 'insertProtocolRun', row: protocolRun('3', completed) },
    { op: 'insertTaskRun', row: taskRun('4') },
    { op: 'insertTaskRun', row: taskRun('5', failed) },
  ];
  await store.commit(epoch, changes);
  expect(await store.packages.workWith([codeHash, 'other'])).toEqual([
    'campaign campaign 1',
    'protocol run run 2',
    'task task 4',
  ]);
  expect(await store.packages.workWith(['other'])).toEqual([]);
  expect(await store.packages.workWith([])).toEqual([]);
});

test('a deletion removes the bytes that no other package has, and tells the audit', async () => {
  await stored('p', '1', []);
  await stored('q', '1', []);
  await stored('p', '2', []);
  await store.packages.remove(epoch, { package: 'p', sha256: '1' }, 'ada', 'why');
  expect(await pieces()).toEqual(['1', '2']);
  await store.packages.remove(epoch, { package: 'q', sha256: '1' }, 'service', 'why');
  expect(await pieces()).toEqual(['2']);
  expect((await store.packages.accepted()).map((each) => each.sha256)).toEqual(['2']);
  const { rows } = await client.query('select by, kind, action, subject, detail from audit order by seq');
  expect(rows).toEqual([
    {
      ...{ by: 'ada', kind: null, action: 'package.delete', subject: 'package/p/1' },
      detail: { package: 'p', sha256: '1', reason: 'why' },
    },
    expect.objectContaining({ by: 'service', subject: 'package/q/1' }),
  ]);
});

test('a leader that was succeeded deletes nothing', async () => {
  await stored('p', '1', []);
  await expect(
    store.packages.remove(epoch - 1, { package: 'p', sha256: '1' }, 'a', 'b'),
  ).rejects.toMatchObject({
    code: 'stale_message',
  });
  expect(await pieces()).toEqual(['1']);
});

test('a dry run leaves no version, and its bytes go with the next upload', async () => {
  const name = await gateway.packages.addForDryRun('9', 3, bytes('abc'));
  expect(await pieces()).toEqual(['9']);
  expect(await store.packages.accepted()).toEqual([]);
  await gateway.packages.removeDryRun(name);
  await stored('p', '1', []);
  expect(await pieces()).toEqual(['1']);
});
