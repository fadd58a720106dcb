import { asRole, testPostgres, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openGatewayStore, openStore, type GatewayStore, type PostgresStore } from '../../src/index.js';

/** Versions of packages in the database, with the rights of the services. */

let postgres: TestPostgres;
let store: PostgresStore;
let gateway: GatewayStore;
let epoch = 0;

beforeAll(async () => {
  postgres = await testPostgres();
  store = await openStore({ url: asRole(postgres.url, 'orchestrator') });
  gateway = openGatewayStore({ url: asRole(postgres.url, 'gateway') });
  epoch = (await store.lead('test', 60_000)) ?? 0;
});
afterAll(async () => {
  await Promise.all([store?.close(), gateway?.close()]);
  await postgres?.stop();
});

const hash = (digit: string): string => digit.repeat(64);
async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
const upload = (sha256: string, name = 'my_lab') => ({
  ...{ package: name, sha256, size: 6, commit: 'abc', author: 'ada', uploaded_by: 'ci' },
  uploaded_at: '2026-11-28T02:00:00.000Z',
});
const found = { version: '1.0.0', labs: ['a'], modules: [hash('e')] };
const change = (expect: string | null, sha256: string | null, previous = 'none') => ({
  ...{ package: 'my_lab', expect, sha256, previous, by: 'ci' },
});
const bytesOf = async (sha256: string): Promise<string> => {
  let text = '';
  for await (const piece of store.packages.pieces(sha256)) text += piece.toString();
  return text;
};

it('keeps the pieces of an upload in their order, and lists it only after it was accepted', async () => {
  expect(await gateway.packages.add(upload(hash('a')), pieces('abc', 'def'))).toBe(true);
  expect(await bytesOf(hash('a'))).toBe('abcdef');
  expect(await gateway.packages.versions('my_lab')).toEqual([]);
  expect(await store.packages.version('my_lab', hash('a'))).toMatchObject({ checked: false, size: 6 });
  await store.packages.accept(epoch, 'my_lab', hash('a'), found);
  expect(await gateway.packages.versions('my_lab')).toEqual([
    { ...upload(hash('a')), version: '1.0.0', labs: ['a'], failure: null },
  ]);
  expect(await gateway.packages.add(upload(hash('a')), pieces('other'))).toBe(false);
  expect(await bytesOf(hash('a'))).toBe('abcdef');
  expect(await store.packages.withModule(hash('e'))).toEqual({ package: 'my_lab', sha256: hash('a') });
  expect(await store.packages.withModule(hash('f'))).toBeUndefined();
});

it('stores nothing of an upload that breaks off, and removes one that was refused', async () => {
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('abc');
    await Promise.reject(new Error('the file is gone'));
  };
  await expect(gateway.packages.add(upload(hash('b')), broken())).rejects.toThrow();
  expect(await store.packages.version('my_lab', hash('b'))).toBeUndefined();
  expect(await bytesOf(hash('b'))).toBe('');
  await gateway.packages.add(upload(hash('b')), pieces('refused'));
  await gateway.packages.remove('my_lab', hash('b'));
  await gateway.packages.remove('my_lab', hash('a'));
  await gateway.packages.add(upload(hash('c')), pieces('third'));
  expect(await store.packages.version('my_lab', hash('b'))).toBeUndefined();
  expect(await bytesOf(hash('b'))).toBe('');
  expect(await bytesOf(hash('a'))).toBe('abcdef');
});

it('activates a version in place of the expected one alone, together with what is loaded', async () => {
  await store.packages.accept(epoch, 'my_lab', hash('c'), found);
  await store.packages.activate(epoch, change(null, hash('a')), { loaded: 1 });
  expect(await store.loaded()).toEqual({ loaded: 1 });
  await expect(
    store.packages.activate(epoch, change(hash('c'), hash('a')), { loaded: 2 }),
  ).rejects.toMatchObject({ code: 'wrong_state' });
  await expect(
    store.packages.activate(epoch + 1, change(hash('a'), hash('c')), { loaded: 2 }),
  ).rejects.toMatchObject({ code: 'stale_message' });
  expect(await store.loaded()).toEqual({ loaded: 1 });
  expect(await store.packages.active()).toEqual([
    { package: 'my_lab', sha256: hash('a'), previous: 'none', waiting: null, commit: 'abc' },
  ]);
  const waiting = { sha256: hash('c'), by: 'ci', labs: ['a'] };
  await store.packages.wait(epoch, 'my_lab', waiting);
  expect(await gateway.packages.activation('my_lab')).toMatchObject({
    sha256: hash('a'),
    waiting: hash('c'),
  });
  await store.packages.noteFailure(epoch, 'my_lab', hash('c'), 'no port', '2026-11-28T02:10:00.000Z');
  const third = (await gateway.packages.versions('my_lab')).find((each) => each.sha256 === hash('c'));
  expect(third?.failure).toEqual({ at: '2026-11-28T02:10:00.000Z', reason: 'no port' });
  await store.packages.activate(epoch, change(hash('a'), hash('c'), hash('a')), { loaded: 3 });
  expect(await gateway.packages.activation('my_lab')).toMatchObject({
    ...{ sha256: hash('c'), previous: hash('a'), by: 'ci', waiting: null },
  });
  const versions = await gateway.packages.versions('my_lab');
  expect(versions.map(({ failure }) => failure)).toEqual([null, null]);
  await expect(store.packages.wait(epoch + 1, 'my_lab', waiting)).rejects.toMatchObject({
    code: 'stale_message',
  });
});
