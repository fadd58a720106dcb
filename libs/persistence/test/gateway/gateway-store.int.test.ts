import { randomUUID } from 'node:crypto';
import { asRole, testPostgres, type TestDatabase, type TestPostgres } from '@lab/testkit/testing';
import type { RefusalRecord } from '@lab/contracts';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  issuePipelineToken,
  openGatewayStore,
  openStore,
  type AuditEntry,
  type GatewayStore,
  type NewAccessToken,
  type PostgresStore,
  type TokenOwner,
} from '../../src/index.js';
import { lead, t0 } from '../rows.js';

let postgres: TestPostgres;
let database: TestDatabase;
let engine: PostgresStore;
let store: GatewayStore;
let admin: pg.Client;

beforeAll(async () => {
  postgres = await testPostgres();
});
afterAll(() => postgres.stop());

beforeEach(async () => {
  database = await postgres.freshDatabase();
  engine = await openStore({ url: asRole(database.url, 'orchestrator') });
  store = openGatewayStore({ url: asRole(database.url, 'gateway') });
  admin = new pg.Client(database.url);
  await admin.connect();
});
afterEach(async () => {
  await admin.end();
  await store.close();
  await engine.close();
  await database.drop();
});

const iso = (ms: number): string => new Date(ms).toISOString();

function token(given: Partial<NewAccessToken> = {}): NewAccessToken {
  return {
    id: 'k1',
    hash: 'a'.repeat(64),
    prefix: 'svc_pat_abcd',
    kind: 'personal',
    name: 'ada',
    note: 'notebook',
    grants: [{ role: 'viewer' }, { role: 'operator', lab: 'color_lab' }],
    created_at: iso(t0),
    created_by: 'root',
    issuer: null,
    subject: null,
    expires_at: iso(t0 + 1_000),
    made_from: null,
    ...{ pipeline: null, exchanged: null },
    ...given,
  };
}

function entry(given: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: randomUUID(),
    at: t0,
    by: 'ada',
    kind: 'token',
    action: 'POST /api/tasks',
    subject: '/api/tasks',
    detail: { status: 201, 'ä"': [1.5, null] },
    request_id: 'r1',
    ip: '127.0.0.1',
    ...given,
  };
}

describe('refusals', () => {
  const refusal = (id: string, ageDays = 0): RefusalRecord => ({
    id,
    kind: 'wrong_token',
    principal: 'a\u0000b',
    address: '192.0.2.7',
    count: 3,
    first_at: new Date(Date.now() - ageDays * 86_400_000).toISOString(),
    last_at: new Date(Date.now() - ageDays * 86_400_000).toISOString(),
    action: 'GET /api/me',
    request_id: null,
  });
  const kept = async (): Promise<string[]> =>
    (await admin.query<{ id: string }>('select id from security_refusal order by id')).rows.map(
      ({ id }) => id,
    );

  test('are stored once, and removed when they are old', async () => {
    await store.refusals.add([refusal('r1'), refusal('r2', 100)]);
    await store.refusals.add([refusal('r1')]);
    expect(await kept()).toEqual(['r1', 'r2']);
    expect(await store.refusals.prune(90, 100_000)).toBe(1);
    expect(await kept()).toEqual(['r1']);
  });

  test('of the last day stay, whatever the gateway asks for', async () => {
    await store.refusals.add([refusal('r1'), refusal('r2')]);
    expect(await store.refusals.prune(0, 0)).toBe(0);
    expect(await kept()).toEqual(['r1', 'r2']);
  });
});

describe('tokens', () => {
  test('a signed token of a pipeline is exchanged once, at whatever gateway', async () => {
    const origin = {
      ...{ issuer: 'https://i.org', subject: 's', repository: 'o/r' },
      ...{ ref: null, commit: null, run: '7' },
    };
    const made = (): Promise<boolean> =>
      store.tokens.addExchanged(
        issuePipelineToken(
          { origin, grants: [{ role: 'deployer', lab: 'wet' }], signedId: 'job', lifeMs: 60_000 },
          Date.now(),
        ).row,
      );
    expect((await Promise.all([made(), made(), made()])).sort()).toEqual([false, false, true]);
    const [row] = await store.tokens.list({ limit: 10 });
    expect(row).toMatchObject({
      name: 'o/r@https://i.org',
      kind: 'service',
      pipeline: origin,
      note: 'run 7',
    });
  });

  const kept = { last_used_at: null, revoked_at: null, revoked_by: null };

  test('are found by their hash and by their id, with all their fields', async () => {
    await store.tokens.add(token());
    await store.tokens.add(token({ id: 'k2', hash: 'b'.repeat(64), kind: 'service', expires_at: null }));
    expect(await store.tokens.byHash('a'.repeat(64))).toEqual({ ...token(), ...kept });
    expect(await store.tokens.byId('k2')).toMatchObject({ kind: 'service', expires_at: null });
    expect(await store.tokens.byHash('c'.repeat(64))).toBeUndefined();
    expect(await store.tokens.byId('k3')).toBeUndefined();
  });

  test('are listed newest first, page by page, for all names or for one', async () => {
    for (const [id, name, at] of [
      ['k1', 'ada', 0],
      ['k2', 'eve', 1],
      ['k3', 'ada', 1],
      ['k4', 'ada', 2],
    ] as const)
      await store.tokens.add(token({ id, name, hash: id.repeat(32), created_at: iso(t0 + at) }));
    const [first, ...rest] = await store.tokens.list({ limit: 2 });
    expect([first, ...rest].map((each) => each?.id)).toEqual(['k4', 'k3']);
    const after = rest[0] ?? token();
    expect((await store.tokens.list({ limit: 5, after })).map(({ id }) => id)).toEqual(['k2', 'k1']);
    expect((await store.tokens.list({ limit: 5, of: { name: 'ada' }, after })).map(({ id }) => id)).toEqual([
      'k1',
    ]);
  });

  test('of a person of an issuer are apart from those of the same name here', async () => {
    const person = { issuer: 'https://login.example.org', subject: '4711' };
    await store.tokens.add(token());
    await store.tokens.add(
      token({ id: 'k2', hash: 'b'.repeat(64), name: 'ada@https://login.example.org', ...person }),
    );
    await store.tokens.add(
      token({ id: 'k3', hash: 'c'.repeat(64), name: 'old@https://login.example.org', ...person }),
    );
    const idsOf = async (of: TokenOwner): Promise<string[]> =>
      (await store.tokens.list({ limit: 5, of })).map(({ id }) => id).sort();
    expect(await idsOf({ name: 'ada' })).toEqual(['k1']);
    expect(await idsOf(person)).toEqual(['k2', 'k3']);
    expect(await idsOf({ name: 'ada@https://login.example.org' })).toEqual([]);
    const all = await store.tokens.revokeAllOf('ada@https://login.example.org', 'root', iso(t0));
    expect(all.sort()).toEqual(['k2', 'k3']);
    expect(await store.tokens.revokeAllOf('ada@https://login.example.org', 'root', iso(t0))).toEqual([]);
    expect(await store.tokens.byId('k1')).toMatchObject({ revoked_at: null });
  });

  test('remember the latest proof of a person, whatever order proofs arrive in', async () => {
    const person = { issuer: 'https://login.example.org', subject: '4711' };
    const proof = (ms: number, role: 'viewer' | 'operator') => ({
      ...person,
      proven_at: iso(t0 + ms),
      grants: [{ role }],
    });
    expect(await store.tokens.provenOf([person])).toEqual([]);
    await store.tokens.proven([proof(5, 'viewer'), { ...proof(1, 'operator'), subject: 'other' }]);
    await store.tokens.proven([proof(9, 'operator')]);
    await store.tokens.proven([proof(7, 'viewer')]);
    expect(await store.tokens.provenOf([person])).toEqual([proof(9, 'operator')]);
    await store.tokens.proven([]);
  });

  test('of sessions end with the token with which they began, and none begins with one that was revoked', async () => {
    await store.tokens.add(token());
    const session = (id: string, ms: number): NewAccessToken =>
      token({ id, hash: id.repeat(32), kind: 'session', expires_at: iso(t0 + ms) });
    // The token ends 1 s after t0.
    expect(await store.tokens.addSession(session('s1', 500), 'a'.repeat(64))).toBe(iso(t0 + 500));
    expect(await store.tokens.addSession(session('s2', 5_000), 'a'.repeat(64))).toBe(iso(t0 + 1_000));
    // A token of an issuer is not stored.
    expect(await store.tokens.addSession(session('s3', 5_000), 'f'.repeat(64))).toBe(iso(t0 + 5_000));
    expect(await store.tokens.byId('s1')).toMatchObject({
      kind: 'session',
      made_from: 'k1',
      grants: token().grants,
    });
    expect(await store.tokens.byId('s3')).toMatchObject({ made_from: null });
    expect((await store.tokens.revoke('k1', 'eve', iso(t0 + 5))).sort()).toEqual(['k1', 's1', 's2']);
    expect(await store.tokens.addSession(session('s4', 500), 'a'.repeat(64))).toBeUndefined();
    expect(await store.tokens.byId('s4')).toBeUndefined();
    expect(await store.tokens.revokedOf(['k1', 's1', 's2', 's3'])).toEqual(
      expect.not.arrayContaining(['s3']),
    );
  });

  test('are revoked once and then recorded as revoked', async () => {
    await store.tokens.add(token());
    expect(await store.tokens.revokedOf(['k1', 'k9'])).toEqual([]);
    expect(await store.tokens.revoke('k1', 'eve', iso(t0 + 5))).toEqual(['k1']);
    expect(await store.tokens.revoke('k1', 'bob', iso(t0 + 6))).toEqual([]);
    expect(await store.tokens.byId('k1')).toMatchObject({ revoked_by: 'eve', revoked_at: iso(t0 + 5) });
    expect(await store.tokens.revokedOf(['k1', 'k9'])).toEqual(['k1']);
    expect(await store.tokens.revokedOf([])).toEqual([]);
  });

  test('keep the time of their last use, never an earlier time', async () => {
    await store.tokens.add(token());
    await store.tokens.used(new Map([['k1', iso(t0 + 9)]]));
    await store.tokens.used(new Map([['k1', iso(t0 + 3)]]));
    await store.tokens.used(new Map());
    expect((await store.tokens.byId('k1'))?.last_used_at).toBe(iso(t0 + 9));
  });
});

describe('the audit', () => {
  /** Changes an entry despite the protecting rule, as a person with the database password could. */
  const tamper = (statement: string): Promise<unknown> =>
    admin.query(
      `alter table audit disable rule audit_is_not_changed; alter table audit disable rule audit_is_not_deleted; ${statement}`,
    );

  test('is one chain of the entries of engine and gateway, also of simultaneous ones', async () => {
    const epoch = await lead(engine, 'first');
    const act = (id: string) =>
      engine.commit(epoch, [
        { op: 'audit', row: { id, at: t0, by: 'ada', action: 'queue.pause', subject: 'halt/1', detail: {} } },
      ]);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? act(`e${index}`) : store.audit.append([entry(), entry()]),
      ),
    );
    const { entries, broken, head } = await store.audit.check();
    expect({ entries, broken }).toEqual({ entries: 30, broken: null });
    const { rows } = await admin.query('select hash from audit order by seq desc limit 1');
    expect(rows).toEqual([{ hash: head }]);
  });

  test('has the same entry of a request, whether the engine commits it or the gateway appends it', async () => {
    const epoch = await lead(engine, 'first');
    const given = entry();
    const { request_id: requestId, ...others } = entry();
    await engine.commit(epoch, [{ op: 'audit', row: { ...given, requestId: given.request_id } }]);
    await store.audit.append([given, { ...others, request_id: requestId }]);
    const { rows } = await admin.query('select id, at, by, kind, action, subject, request_id, ip from audit');
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([given.id, others.id]);
    expect({ ...rows[0], id: others.id }).toEqual(rows[1]);
    expect(await store.audit.check()).toMatchObject({ entries: 2, broken: null });
  });

  test('is sound when it is empty', async () => {
    expect(await store.audit.check()).toEqual({ entries: 0, broken: null, head: '' });
  });

  test('stores an entry once, however often it arrives', async () => {
    const twice = entry();
    await store.audit.append([twice]);
    await store.audit.append([twice, entry()]);
    expect(await store.audit.check()).toMatchObject({ entries: 2, broken: null });
  });

  test('cannot be changed or shortened by an ordinary statement', async () => {
    await store.audit.append([entry(), entry()]);
    await admin.query(`update audit set by = 'eve'`);
    await admin.query('delete from audit');
    const { rows } = await admin.query('select distinct by, kind, request_id, ip from audit');
    expect(rows).toEqual([{ by: 'ada', kind: 'token', request_id: 'r1', ip: '127.0.0.1' }]);
    expect(await store.audit.check()).toMatchObject({ entries: 2, broken: null });
  });

  test.each([
    [`update audit set by = 'eve' where seq = 2`, 2, 'it was changed'],
    [`update audit set detail = detail || '{"status": 403}' where seq = 3`, 3, 'it was changed'],
    [`update audit set at = at + interval '1 second' where seq = 1`, 1, 'it was changed'],
    [`delete from audit where seq = 2`, 3, 'the entries 2 to 2 before it are missing'],
    [`delete from audit where seq = 4`, 4, 'the chain does not end with what was written last'],
    [
      `update audit set by = 'eve' where seq = 2; update audit a set hash = audit_hash(a) where seq = 2`,
      3,
      'it does not follow the entry before it',
    ],
    [
      `delete from audit where seq = 4; update audit_head set seq = 3`,
      4,
      'the chain does not end with what was written last',
    ],
  ])('after "%s" is broken at %i', async (statement, seq, reason) => {
    await store.audit.append([entry(), entry(), entry(), entry()]);
    await tamper(statement);
    expect((await store.audit.check()).broken).toMatchObject({ seq, reason });
  });
});
