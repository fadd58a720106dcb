import { issuerName, ServiceError, type Grant } from '@lab/contracts';
import { hashOfToken, issueToken } from '@lab/persistence';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headersOf } from '../tokens.js';
import { expectProblem, memoryLog, startHarness, type Harness } from '../twins.js';
import { MemoryTokens } from '../memory-access.js';
import { BearerAuthentication } from '../../src/access/authentication.js';
import { ProvenPersons } from '../../src/access/proven-persons.js';
import { TokenAuthentication } from '../../src/access/token-authentication.js';

let gateway: Harness;
const issuer = 'https://login.example.org';
/** A token of three parts (subject, role and nothing) stands for a person who has signed in at an issuer. */
const signedIn = (name: string, role: string): { authorization: string } => ({
  authorization: `Bearer ${name}.${role}.x`,
});

beforeAll(async () => {
  gateway = await startHarness({}, undefined, (tokens) => {
    const persons = new ProvenPersons(tokens);
    const check = {
      principalOf: (token: string) => {
        const [subject = '', role = ''] = token.split('.');
        const [name, grants] = [issuerName(subject, issuer), [{ role } as Grant]];
        persons.hear({ issuer, subject }, Date.now(), grants);
        return Promise.resolve({ name, kind: 'oidc' as const, grants, issuer, subject });
      },
    };
    const own = new TokenAuthentication(tokens, persons, 3_600_000, memoryLog());
    return new BearerAuthentication(own, check, 30);
  });
});
afterAll(() => gateway.server.close());

const admin = (): Promise<{ authorization: string }> => headersOf(gateway, 'root', [{ role: 'admin' }]);
const submission = { name: 'ada', grants: [{ role: 'operator', lab: 'color_lab' }, { role: 'viewer' }] };

describe('a token', () => {
  it('is shown once, kept as a hash, and works at once', async () => {
    const name = 'ada of the bench';
    const made = await gateway.send(
      'POST',
      '/api/tokens',
      { ...submission, name, note: 'bench' },
      await admin(),
    );
    expect(made.status).toBe(201);
    const { token, ...record } = made.body as unknown as { token: string; id: string };
    expect(token).toMatch(/^svc_pat_[\w-]{43}$/);
    expect(record).toMatchObject({ name, kind: 'personal', created_by: 'root', note: 'bench' });
    const kept = await gateway.tokens.byId(record.id);
    expect(kept?.hash).toBe(hashOfToken(token));
    expect(JSON.stringify(kept)).not.toContain(token);
    expect(token.startsWith(kept?.prefix ?? '-')).toBe(true);

    const authorization = `Bearer ${token}`;
    const me = await gateway.send('GET', '/api/me', undefined, { authorization });
    expect(me.body).toEqual({ name, kind: 'token', grants: submission.grants });
    const listed = await gateway.send('GET', '/api/tokens', undefined, { authorization });
    expect(listed.body.items).toMatchObject([{ id: record.id }]);
    expect(listed.text).not.toContain(kept?.hash);
    expect(listed.text).not.toContain(token);
  });

  it.each([
    [{ ...submission }, 90],
    [{ ...submission, expires_in_days: 366 }, 366],
    [{ ...submission, kind: 'service' as const, expires_in_days: 3_650 }, 3_650],
    [{ ...submission, kind: 'service' as const }, undefined],
  ])('as in %j expires after %s days', async (given, days) => {
    const before = Date.now();
    const { body } = await gateway.send('POST', '/api/tokens', given, await admin());
    if (days === undefined) expect(body.expires_at).toBeNull();
    else expect((Date.parse(String(body.expires_at)) - before) / 86_400_000).toBeCloseTo(days, 3);
  });

  it.each([
    [{ ...submission, expires_in_days: 367 }, 'expires_in_days'],
    [{ ...submission, expires_in_days: 0 }, 'expires_in_days'],
    [{ ...submission, grants: [] }, 'grants'],
    [{ ...submission, grants: [{ role: 'root' }] }, 'grants[0].role'],
    [{ ...submission, grants: [[]] }, 'grants'],
    [{ ...submission, grants: [{ role: 'admin', lab: 'color_lab' }] }, 'grants[0].lab'],
    [{ ...submission, grants: [{ role: 'viewer', labs: ['a'] }] }, 'grants[0].labs'],
    [{ ...submission, name: ' ' }, 'name'],
    [{ ...submission, hash: 'x' }, 'hash'],
    [{ ...submission, created_by: 'eve' }, 'created_by'],
    [{ ...submission, name: issuerName('ada', issuer) }, 'name'],
  ])('as in %j cannot be created', async (given, path) => {
    const reply = await gateway.send('POST', '/api/tokens', given, await admin());
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map((fault) => fault.path)).toEqual([path]);
  });

  it('of a role other than admin creates no other token', async () => {
    const headers = await headersOf(gateway, 'ada', [{ role: 'lab_admin' }]);
    expectProblem(await gateway.send('POST', '/api/tokens', submission, headers), 403, 'forbidden');
  });

  it('has no effect from the moment of its revocation, and its record stays', async () => {
    const headers = await headersOf(gateway, 'bob', [{ role: 'viewer' }]);
    const { body } = await gateway.send('GET', '/api/tokens', undefined, headers);
    const [{ id } = { id: '' }] = body.items as { id: string }[];
    const revoked = await gateway.send('DELETE', `/api/tokens/${id}`, undefined, headers);
    expect(revoked.status).toBe(200);
    expect(revoked.body).toMatchObject({ id, revoked_by: 'bob', revoked_at: expect.any(String) as string });
    const after = await gateway.send('GET', '/api/me', undefined, headers);
    expectProblem(after, 401, 'unauthorized');
    expect(after.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    const again = await gateway.send('DELETE', `/api/tokens/${id}`, undefined, await admin());
    expect(again.body).toEqual(revoked.body);
  });

  it('of another person can be seen and revoked only with the role admin', async () => {
    const headers = await headersOf(gateway, 'mallory', [{ role: 'lab_admin' }]);
    const [other] = gateway.tokens.kept.filter(({ name }) => name === 'ada');
    const path = `/api/tokens/${other?.id}`;
    expectProblem(await gateway.send('DELETE', path, undefined, headers), 404, 'not_found');
    const { body } = await gateway.send('GET', '/api/tokens', undefined, headers);
    expect((body.items as { name: string }[]).map(({ name }) => name)).toEqual(['mallory']);
    expect(other?.revoked_at).toBeNull();
  });

  it('is requested with an explanation of how to get one', async () => {
    const reply = await gateway.send('GET', '/api/me');
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    expect(reply.body.detail).toContain('svc token create');
  });

  it('is required before the gateway reads a body', async () => {
    expectProblem(await gateway.send('POST', '/api/tasks', '{"name": '), 401, 'unauthorized');
    expectProblem(await gateway.send('POST', '/api/nothing', '{'), 401, 'unauthorized');
  });
});

describe('a person who has signed in at the issuer', () => {
  const name = issuerName('ida', issuer);
  it.each([
    [{ name, grants: [{ role: 'viewer' }] }, 201],
    [{ name, grants: [{ role: 'submitter', lab: 'a' }] }, 201],
    [{ name, grants: [{ role: 'operator' }] }, 403],
    [{ name, grants: [{ role: 'viewer' }, { role: 'admin' }] }, 403],
    [{ name: 'bob', grants: [{ role: 'viewer' }] }, 403],
    [{ name: issuerName('bob', issuer), grants: [{ role: 'viewer' }] }, 422],
    [{ name: 'ida', grants: [{ role: 'viewer' }] }, 403],
    [{ name, kind: 'service', grants: [{ role: 'viewer' }] }, 403],
    [{ name, expires_in_days: 31, grants: [{ role: 'viewer' }] }, 422],
  ])('makes a token as in %j: %i', async (given, status) => {
    const reply = await gateway.send('POST', '/api/tokens', given, signedIn('ida', 'submitter'));
    expect(reply.status).toBe(status);
  });

  it('makes tokens that belong to the person at the issuer and end after at most 30 days', async () => {
    const given = { name, grants: [{ role: 'viewer' }] };
    const { body } = await gateway.send('POST', '/api/tokens', given, signedIn('ida', 'submitter'));
    expect(body).toMatchObject({ name, issuer, subject: 'ida' });
    expect((Date.parse(String(body.expires_at)) - Date.now()) / 86_400_000).toBeCloseTo(30, 3);
    const headers = { authorization: `Bearer ${String(body.token)}` };
    const me = await gateway.send('GET', '/api/me', undefined, headers);
    expect(me.body).toEqual({ ...given, kind: 'token', issuer, subject: 'ida' });
  });

  it('is never the person of the same name in this service', async () => {
    const own = await headersOf(gateway, 'sue', [{ role: 'viewer' }]);
    const theirs = signedIn('sue', 'viewer');
    const given = { name: issuerName('sue', issuer), grants: [{ role: 'viewer' }] };
    const made = await gateway.send('POST', '/api/tokens', given, theirs);
    const idsOf = async (headers: Record<string, string>): Promise<unknown[]> =>
      ((await gateway.send('GET', '/api/tokens', undefined, headers)).body.items as { id: string }[]).map(
        ({ id }) => id,
      );
    const [local] = await idsOf(own);
    expect(await idsOf(theirs)).toEqual([made.body.id]);
    expect(await idsOf(own)).toEqual([local]);
    const path = `/api/tokens/${String(local)}`;
    expectProblem(await gateway.send('DELETE', path, undefined, theirs), 404, 'not_found');
    const all = '/api/tokens?name=sue';
    expectProblem(await gateway.send('DELETE', all, undefined, theirs), 403, 'forbidden');
    expect((await gateway.send('GET', '/api/me', undefined, own)).status).toBe(200);
  });
});

describe('the revocation of all tokens of a person', () => {
  it('ends each of them at once, and no token of others', async () => {
    const [first, second] = [
      await headersOf(gateway, 'leaver', [{ role: 'viewer' }]),
      await headersOf(gateway, 'leaver', [{ role: 'operator' }]),
    ];
    const stayer = await headersOf(gateway, 'stayer', [{ role: 'viewer' }]);
    for (const headers of [first, second, stayer])
      expect((await gateway.send('GET', '/api/me', undefined, headers)).status).toBe(200);
    const path = '/api/tokens?name=leaver';
    expectProblem(await gateway.send('DELETE', path, undefined, stayer), 403, 'forbidden');
    const reply = await gateway.send('DELETE', path, undefined, await admin());
    expect(reply.body).toEqual({ revoked: 2 });
    for (const headers of [first, second])
      expect((await gateway.send('GET', '/api/me', undefined, headers)).status).toBe(401);
    expect((await gateway.send('GET', '/api/me', undefined, stayer)).status).toBe(200);
    expect((await gateway.send('DELETE', path, undefined, await admin())).body).toEqual({ revoked: 0 });
    expect(gateway.audit.entries.filter(({ action }) => action === 'DELETE /api/tokens')).not.toEqual([]);
  });

  it('needs a name', async () => {
    expectProblem(await gateway.send('DELETE', '/api/tokens', undefined, await admin()), 422, 'invalid');
    expectProblem(
      await gateway.send('DELETE', '/api/tokens?name=', undefined, await admin()),
      422,
      'invalid',
    );
  });
});

describe('a token of a person of the issuer', () => {
  const start = Date.UTC(2026, 10, 21);
  const hour = 3_600_000;
  const person = { issuer, subject: 'ida' };

  /** Two gateways over one database. */
  function gateways() {
    const tokens = new MemoryTokens();
    let now = start;
    const made = [1, 2].map(() => {
      const persons = new ProvenPersons(tokens);
      return {
        persons,
        by: new TokenAuthentication(tokens, persons, 24 * hour, memoryLog(), Infinity, () => now),
      };
    });
    const owner = { ...person, mostDays: 30 };
    const grants: Grant[] = [{ role: 'operator' }, { role: 'submitter', lab: 'a' }];
    const { token, row } = issueToken({ name: issuerName('ida', issuer), grants }, 'ida', start, owner);
    void tokens.add(row);
    const [first, second] = made;
    if (first === undefined || second === undefined) throw new Error('there are two');
    return { first, second, token, at: (ms: number) => void (now = start + ms) };
  }
  const rests = {
    code: 'unauthorized',
    message: expect.stringMatching(/has not confirmed its owner/) as string,
  };

  it('rests when the issuer has signed nothing for the person for too long, and works after that again', async () => {
    const { first, token, at } = gateways();
    await expect(first.by.principalOf(token)).rejects.toMatchObject(rests);
    first.persons.hear(person, start, [{ role: 'operator' }]);
    at(24 * hour - 1);
    expect((await first.by.principalOf(token)).name).toBe(issuerName('ida', issuer));
    at(24 * hour);
    await expect(first.by.principalOf(token)).rejects.toMatchObject(rests);
    first.persons.hear(person, start + 24 * hour, [{ role: 'operator' }]);
    expect((await first.by.principalOf(token)).grants).not.toEqual([]);
    await first.by.close();
  });

  it('has at most the roles that the issuer gives the person now', async () => {
    const { first, token } = gateways();
    first.persons.hear(person, start, [{ role: 'operator' }]);
    expect((await first.by.principalOf(token)).grants).toHaveLength(2);
    first.persons.hear(person, start + 1, [{ role: 'submitter', lab: 'a' }]);
    expect((await first.by.principalOf(token)).grants).toEqual([{ role: 'submitter', lab: 'a' }]);
    first.persons.hear(person, start + 2, []);
    expect((await first.by.principalOf(token)).grants).toEqual([]);
    first.persons.hear(person, start, [{ role: 'operator' }]);
    expect((await first.by.principalOf(token)).grants).toEqual([]);
    await first.by.close();
  });

  it('works at a gateway after another one has heard of the person', async () => {
    const { first, second, token, at } = gateways();
    await expect(second.by.principalOf(token)).rejects.toMatchObject(rests);
    first.persons.hear(person, start, [{ role: 'operator' }]);
    await first.by.refresh();
    await second.by.refresh();
    expect((await second.by.principalOf(token)).grants).toHaveLength(2);
    at(23 * hour);
    first.persons.hear(person, start + 23 * hour, [{ role: 'submitter' }]);
    await first.by.refresh();
    await second.by.refresh();
    at(30 * hour);
    expect((await second.by.principalOf(token)).grants).toEqual([{ role: 'submitter', lab: 'a' }]);
    await Promise.all([first.by.close(), second.by.close()]);
  });
});

describe('a list of tokens', () => {
  it('goes page by page to its end', async () => {
    const headers = await headersOf(gateway, 'pat', [{ role: 'viewer' }]);
    for (let count = 0; count < 4; count += 1) await headersOf(gateway, 'pat', [{ role: 'viewer' }]);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? 'limit=2' : `limit=2&cursor=${cursor}`;
      const { body } = await gateway.send('GET', `/api/tokens?${query}`, undefined, headers);
      seen.push(...(body.items as { id: string }[]).map(({ id }) => id));
      cursor = body.next_cursor as string | null;
    }
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
  });

  it.each(['cursor=x', 'cursor=W10', 'cursor=WyJ4IiwieCJd', 'limit=0', 'limit=501', 'name=ada'])(
    'is refused for "%s"',
    async (query) => {
      expectProblem(
        await gateway.send('GET', `/api/tokens?${query}`, undefined, await admin()),
        422,
        'invalid',
      );
    },
  );
});

describe('a known token', () => {
  const start = Date.UTC(2026, 10, 21);

  function known(): {
    tokens: MemoryTokens;
    by: TokenAuthentication;
    at: (ms: number) => void;
    token: string;
  } {
    const tokens = new MemoryTokens();
    let now = start;
    const by = new TokenAuthentication(
      tokens,
      new ProvenPersons(tokens),
      0,
      memoryLog(),
      Infinity,
      () => now,
    );
    const { token, row } = issueToken(
      { name: 'ada', grants: [{ role: 'viewer' }], expires_in_days: 1 },
      'root',
      start,
    );
    void tokens.add(row);
    return { tokens, by, token, at: (ms) => void (now = start + ms) };
  }
  const unavailable = new ServiceError('store_unavailable', 'gone');

  it('works while the database is away, and an unknown one does not', async () => {
    const { tokens, by, token } = known();
    await by.principalOf(token);
    tokens.failure = unavailable;
    await by.refresh();
    expect((await by.principalOf(token))?.name).toBe('ada');
    await expect(by.principalOf(`svc_pat_${'A'.repeat(43)}`)).rejects.toMatchObject({
      code: 'store_unavailable',
    });
    await by.close();
  });

  it('stops working after another gateway revoked it', async () => {
    const { tokens, by, token } = known();
    await by.principalOf(token);
    await tokens.revoke(tokens.kept[0]?.id ?? '', 'root', '2026-11-21T00:00:00.000Z');
    await by.refresh();
    await expect(by.principalOf(token)).rejects.toMatchObject({ code: 'unauthorized' });
    await by.close();
  });

  it('works until the millisecond of its end', async () => {
    const { by, token, at } = known();
    at(86_400_000 - 1);
    expect((await by.principalOf(token))?.name).toBe('ada');
    at(86_400_000);
    await expect(by.principalOf(token)).rejects.toMatchObject({ code: 'unauthorized' });
    await by.close();
  });

  it('records its use at most once a minute, and at the end', async () => {
    const { tokens, by, token, at } = known();
    const lastUse = async (ms: number): Promise<number | undefined> => {
      at(ms);
      await by.principalOf(token);
      await by.refresh();
      const iso = tokens.kept[0]?.last_used_at;
      return typeof iso === 'string' ? Date.parse(iso) - start : undefined;
    };
    expect(await lastUse(1_000)).toBe(1_000);
    expect(await lastUse(30_000)).toBe(1_000);
    expect(await lastUse(62_000)).toBe(62_000);
    expect(await lastUse(70_000)).toBe(62_000);
    await by.close();
    expect(tokens.kept[0]?.last_used_at).toBe(new Date(start + 70_000).toISOString());
  });
});

it('without authentication every caller is local, also with a token', async () => {
  const open = await startHarness();
  try {
    for (const authorization of ['', 'Bearer nonsense!']) {
      const reply = await open.send('GET', '/api/me', undefined, { authorization });
      expect(reply.body).toEqual({ name: 'local', kind: 'local', grants: [{ role: 'admin' }] });
    }
  } finally {
    await open.server.close();
  }
});
