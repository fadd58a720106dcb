import { ServiceError } from '@lab/contracts';
import { issueToken } from '@lab/persistence';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BearerAuthentication } from '../../src/access/authentication.js';
import { ProvenPersons } from '../../src/access/proven-persons.js';
import { SessionCookie } from '../../src/access/session-cookie.js';
import { TokenAuthentication } from '../../src/access/token-authentication.js';
import type { MemoryTokens } from '../memory-access.js';
import { expectProblem, memoryLog, send, startHarness, type Harness, type Reply } from '../twins.js';

const minute = 60_000;
const own = { 'sec-fetch-site': 'same-origin', 'x-svc-page': '1' };

let gateway: Harness;
let now = Date.now();
const authenticated = (tokens: MemoryTokens): BearerAuthentication =>
  new BearerAuthentication(
    new TokenAuthentication(tokens, new ProvenPersons(tokens), 0, memoryLog(), 60 * minute, () => now),
    undefined,
  );
beforeAll(async () => {
  gateway = await startHarness({ feeds: { heartbeatMs: 20 } }, undefined, authenticated);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  now = Date.now();
  gateway.tokens.failure = undefined;
});

/** A token of ada, who may operate everything. */
async function tokenOfAda(days = 1): Promise<{ id: string; authorization: string }> {
  const submission = { name: 'ada', grants: [{ role: 'operator' as const }], expires_in_days: days };
  const { token, row } = issueToken(submission, 'test', Date.now());
  await gateway.tokens.add(row);
  return { id: row.id, authorization: `Bearer ${token}` };
}

const begin = (authorization: string, headers: Record<string, string> = own): Promise<Reply> =>
  gateway.send('POST', '/api/sessions', undefined, { authorization, ...headers });

/** Begins a session. @returns its cookie as a browser sends it, and its id */
async function session(): Promise<{ cookie: string; id: string; from: string }> {
  const { id: from, authorization } = await tokenOfAda();
  const { headers, body } = await begin(authorization);
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  return { cookie, id: String(body['id']), from };
}
const me = (cookie: string): Promise<Reply> => gateway.send('GET', '/api/me', undefined, { cookie });

describe('a session', () => {
  it('begins with a token, has its roles, and keeps its secret in a cookie that no script reads', async () => {
    const { id, authorization } = await tokenOfAda();
    const { status, headers, body, text } = await begin(authorization);
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'ada', grants: [{ role: 'operator' }], idle_minutes: 60 });
    expect(headers.get('set-cookie')).toMatch(
      /^svc-session-\d+=svc_ses_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(text).not.toContain('svc_ses_');
    const kept = await gateway.tokens.byId(String(body['id']));
    expect(kept).toMatchObject({ kind: 'session', made_from: id, created_by: 'ada' });
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
    expect((await me(cookie)).body).toEqual({ name: 'ada', kind: 'token', grants: [{ role: 'operator' }] });
  });

  it('lives no longer than the token with which it began', async () => {
    const { token, row } = issueToken({ name: 'ada', grants: [{ role: 'viewer' }] }, 'test', Date.now());
    await gateway.tokens.add({ ...row, expires_at: new Date(Date.now() + 5 * minute).toISOString() });
    const { body, headers } = await begin(`Bearer ${token}`);
    expect(Date.parse(String(body['expires_at']))).toBeLessThanOrEqual(Date.now() + 5 * minute);
    expect(Number(/Max-Age=(\d+)/.exec(headers.get('set-cookie') ?? '')?.[1])).toBeLessThanOrEqual(300);
  });

  it('acts only from the page of this service', async () => {
    const { cookie } = await session();
    const act = (headers: Record<string, string>): Promise<Reply> =>
      gateway.send('POST', '/api/queue/pause', undefined, { cookie, ...headers });
    const { host } = new URL(gateway.url);
    const refused: Record<string, string>[] = [
      {},
      { 'x-svc-page': '1' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-site', 'x-svc-page': '1' },
      { 'sec-fetch-site': 'none', 'x-svc-page': '1' },
      { origin: 'http://127.0.0.1:1', 'x-svc-page': '1' },
      { origin: 'null', 'x-svc-page': '1' },
    ];
    for (const headers of refused) expectProblem(await act(headers), 403, 'forbidden');
    const admitted: Record<string, string>[] = [own, { origin: `http://${host}`, 'x-svc-page': '1' }];
    for (const headers of admitted) expect((await act(headers)).status).not.toBe(403);
  });

  it('does not begin from another page, with another session, or without a token', async () => {
    const { authorization } = await tokenOfAda();
    expectProblem(await begin(authorization, {}), 403, 'forbidden');
    expectProblem(await begin(authorization, { ...own, 'sec-fetch-site': 'same-site' }), 403, 'forbidden');
    const { cookie } = await session();
    const again = await gateway.send('POST', '/api/sessions', undefined, { cookie, ...own });
    expectProblem(again, 403, 'forbidden');
    expectProblem(await gateway.send('POST', '/api/sessions', undefined, own), 401, 'unauthorized');
  });

  it('is no token for a program, and a token is no session', async () => {
    const { cookie } = await session();
    const [name = '', secret = ''] = cookie.split('=');
    const { authorization } = await tokenOfAda();
    const asBearer = await gateway.send('GET', '/api/me', undefined, { authorization: `Bearer ${secret}` });
    expectProblem(asBearer, 401, 'unauthorized');
    expectProblem(await me(`${name}=${authorization.slice('Bearer '.length)}`), 401, 'unauthorized');
  });

  it('ends when its person signs out, and the browser loses the cookie', async () => {
    const { cookie } = await session();
    const end = (): Promise<Reply> =>
      gateway.send('DELETE', '/api/sessions/current', undefined, { cookie, ...own });
    const { body, headers } = await end();
    expect(body).toEqual({ revoked: 1 });
    expect(headers.get('set-cookie')).toMatch(
      /^svc-session-\d+=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/,
    );
    expectProblem(await me(cookie), 401, 'unauthorized');
    expectProblem(await end(), 401, 'unauthorized');
  });

  it('is in the list of tokens, and ends when it is revoked there', async () => {
    const { cookie, id } = await session();
    const list = await gateway.send('GET', '/api/tokens', undefined, { cookie });
    expect(list.body['items']).toContainEqual(
      expect.objectContaining({ id, kind: 'session', revoked_at: null }),
    );
    expect(list.text).not.toMatch(/made_from|"hash"/);
    const revoked = await gateway.send('DELETE', `/api/tokens/${id}`, undefined, { cookie, ...own });
    expect(revoked.status).toBe(200);
    expectProblem(await me(cookie), 401, 'unauthorized');
  });

  it('ends with its token', async () => {
    const { cookie, from } = await session();
    const { authorization } = await tokenOfAda();
    await gateway.send('DELETE', `/api/tokens/${from}`, undefined, { authorization });
    expectProblem(await me(cookie), 401, 'unauthorized');
  });

  it('ends when nobody uses it, unless another gateway has served it meanwhile', async () => {
    const { cookie, id } = await session();
    expect((await me(cookie)).status).toBe(200);
    now += 59 * minute;
    expect((await me(cookie)).status).toBe(200);
    now += 61 * minute;
    await gateway.tokens.used(new Map([[id, new Date(now - minute).toISOString()]]));
    expect((await me(cookie)).status).toBe(200);
    now += 61 * minute;
    const { status, headers } = await me(cookie);
    expect(status).toBe(401);
    expect(headers.get('set-cookie')).toContain('Max-Age=0');
  });

  it('stays known while the database is away', async () => {
    const { cookie } = await session();
    expect((await me(cookie)).status).toBe(200);
    gateway.tokens.failure = new ServiceError('store_unavailable', 'away');
    expect((await me(cookie)).status).toBe(200);
  });

  it('hears no more events once it has ended', async () => {
    const { cookie } = await session();
    const response = await fetch(`${gateway.url}/api/events`, { headers: { cookie } });
    expect(response.status).toBe(200);
    await gateway.send('DELETE', '/api/sessions/current', undefined, { cookie, ...own });
    expect(await response.text()).toContain(': the token or the session has ended');
  });

  it('that has ended does not keep the page from loading', async () => {
    const { status } = await gateway.send('GET', '/', undefined, { cookie: 'svc-session-0=svc_ses_x' });
    expect(status).toBe(200);
  });
});

it('needs no session where authentication is off', async () => {
  const open = await startHarness();
  try {
    const reply = await send(open.url, 'POST', '/api/sessions', undefined, own);
    expectProblem(reply, 403, 'forbidden');
  } finally {
    await open.server.close();
  }
});

describe('the cookie', () => {
  it('is bound to the host and to HTTPS where the service has HTTPS', () => {
    const cookie = new SessionCookie('https://lab.example.org');
    expect(cookie.given('t', 60)).toBe(
      '__Host-svc-session=t; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=60',
    );
    expect(cookie.valueIn('a=b; __Host-svc-session=t')).toBe('t');
    expect(cookie.valueIn('svc-session=t; x__Host-svc-session=u')).toBeUndefined();
  });

  it('has the port in its name, because cookies ignore ports', () => {
    const cookie = new SessionCookie('http://127.0.0.1:8070');
    expect(cookie.valueIn(cookie.given('t', 60))).toBe('t');
    expect(new SessionCookie('http://127.0.0.1:8071').valueIn(cookie.given('t', 60))).toBeUndefined();
  });
});
