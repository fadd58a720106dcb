import { testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openGatewayStore, openStore, type GatewayStore, type PostgresStore } from '../../src/index.js';

let postgres: TestPostgres;
let database: TestDatabase;
let engine: PostgresStore;
let store: GatewayStore;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await postgres.freshDatabase();
  engine = await openStore({ url: database.url });
  store = openGatewayStore({ url: database.url });
});
afterEach(async () => {
  await store.close();
  await engine.close();
  await database.drop();
});

const at = '2026-11-26T00:00:00.000Z';

async function invite(id: string, uses = 1): Promise<void> {
  await store.enrolments.invite({
    ...{ id, uses, secret_hash: '00', computer: 'bench_*', lab: null, needs_approval: false },
    ...{ created_at: at, created_by: 'root', expires_at: at },
  });
}

const applicant = (key: string, computer: string) => ({
  key,
  computer,
  address: '10.0.0.1',
  version: '0.1.0',
});

it('lets in as many computers as an invitation allows, however many ask at once', async () => {
  await invite('one', 3);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, each) =>
      store.enrolments.join('one', applicant(`U${each}`, `bench_${each}`), true, at),
    ),
  );
  expect(answers.filter((answer) => answer === 'spent')).toHaveLength(5);
  expect(await store.enrolments.list({ limit: 10 })).toHaveLength(3);
  expect((await store.enrolments.invitation('one'))?.used).toBe(3);
});

it('lets in one agent of a computer, also with two invitations at once, and again after it was revoked', async () => {
  await Promise.all([invite('one'), invite('two')]);
  const answers = await Promise.all(
    ['one', 'two'].map((id) => store.enrolments.join(id, applicant(`U${id}`, 'bench_b'), true, at)),
  );
  expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
  const [left] = (await store.enrolments.invitations(10)).filter(({ used }) => used === 0);
  await store.enrolments.revoke('bench_b', { by: 'root', reason: 'replaced', at });
  expect(await store.enrolments.join(left?.id ?? '', applicant('Unew', 'bench_b'), true, at)).toMatchObject({
    key: 'Unew',
  });
  expect(await engine.revokedAgents()).toEqual([{ key: expect.stringMatching(/^U(one|two)$/), at }]);
});

it('repeats its answer to the same key, and knows it no more once it is revoked', async () => {
  await invite('one');
  const first = await store.enrolments.join('one', applicant('U1', 'bench_b'), false, at);
  expect(await store.enrolments.join('one', applicant('U1', 'bench_b'), false, at)).toEqual(first);
  expect(await store.enrolments.join('one', applicant('U1', 'bench_c'), false, at)).toBe('revoked');
  expect(await store.enrolments.issued('U1', at, '0.1.0')).toBe(false);
  expect(await store.enrolments.approve('bench_b', 'root', at)).toMatchObject({ approved_by: 'root' });
  expect(await store.enrolments.approve('bench_b', 'root', at)).toBeUndefined();
  expect(await store.enrolments.issued('U1', at, '0.2.0')).toBe(true);
  await store.enrolments.revoke('bench_b', { by: 'root', reason: '', at });
  expect(await store.enrolments.issued('U1', at, '0.3.0')).toBe(false);
  expect(await store.enrolments.join('one', applicant('U1', 'bench_b'), true, at)).toBe('revoked');
  expect(await store.enrolments.revoke('bench_b', { by: 'root', reason: '', at })).toBeUndefined();
});

it('lists invitations that are not withdrawn', async () => {
  await Promise.all([invite('one'), invite('two')]);
  await store.enrolments.withdraw('one', 'root', at);
  expect((await store.enrolments.invitations(10)).map(({ id }) => id)).toEqual(['two']);
  expect(await store.enrolments.invitation('one')).toMatchObject({ withdrawn_by: 'root' });
});
