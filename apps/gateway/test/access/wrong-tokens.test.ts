import { randomBytes } from 'node:crypto';
import { issuerName, type Principal } from '@lab/contracts';
import { afterEach, expect, it } from 'vitest';
import { BearerAuthentication } from '../../src/access/authentication.js';
import { ProvenPersons } from '../../src/access/proven-persons.js';
import { TokenAuthentication } from '../../src/access/token-authentication.js';
import { MemoryTokens } from '../memory-access.js';
import { headersOf } from '../tokens.js';
import { expectProblem, memoryLog, startHarness, type Harness } from '../twins.js';

/** Counts the look-ups. */
class CountingTokens extends MemoryTokens {
  lookUps = 0;

  override byHash(hash: string): ReturnType<MemoryTokens['byHash']> {
    this.lookUps += 1;
    return super.byHash(hash);
  }
}

const mostWrong = 10;
const started: Harness[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ server }) => server.close()));
});

/** A gateway behind a proxy on this computer, so that a test can speak from any address. */
async function start(): Promise<{ gateway: Harness; tokens: CountingTokens }> {
  const tokens = new CountingTokens();
  const own = new TokenAuthentication(tokens, new ProvenPersons(tokens), 0, memoryLog());
  const gateway = await startHarness(
    { limits: { wrongTokensPerMinute: mostWrong }, trustedProxies: ['127.0.0.1'] },
    undefined,
    () => new BearerAuthentication(own, undefined),
    { tokens },
  );
  started.push(gateway);
  return { gateway, tokens };
}

const invented = (): string => `svc_pat_${randomBytes(32).toString('base64url')}`;
const from = (address: string, token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'x-forwarded-for': address,
});

/** Sends invented tokens, each to another address. @returns the statuses */
async function guess(gateway: Harness, count: number, addressOf: (n: number) => string): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < count; n += 1)
    statuses.push(
      (await gateway.send('GET', `/api/tasks/t${n}`, undefined, from(addressOf(n), invented()))).status,
    );
  return statuses;
}

it('wrong tokens are refused before any look-up once their address has sent too many, whatever the routes', async () => {
  const { gateway, tokens } = await start();
  const statuses = await guess(gateway, 30, () => '192.0.2.7');
  expect(statuses.slice(0, mostWrong)).toEqual(Array(mostWrong).fill(401));
  expect(statuses.slice(mostWrong)).toEqual(Array(20).fill(429));
  expect(tokens.lookUps).toBe(mostWrong);
  for (const authorization of ['Bearer x', 'Basic YTpi', 'Bearer a.b.c']) {
    const headers = { ...from('192.0.2.7', ''), authorization };
    const refused = await gateway.send('GET', '/api/me', undefined, headers);
    expectProblem(refused, 429, 'too_many_requests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

it('an address of IPv6 counts with its network of 64 bits', async () => {
  const { gateway } = await start();
  const statuses = await guess(gateway, 20, (n) => `2001:db8:1:2::${(n + 1).toString(16)}`);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await guess(gateway, 1, () => '2001:db8:1:3::1')).toEqual([401]);
});

it('tokens that were accepted before go on working from that address, and all others from other addresses', async () => {
  const { gateway, tokens } = await start();
  const known = await headersOf({ tokens }, 'ada', [{ role: 'viewer' }]);
  const fresh = await headersOf({ tokens }, 'bob', [{ role: 'viewer' }]);
  const me = async (headers: Record<string, string>, address: string): Promise<number> =>
    (await gateway.send('GET', '/api/me', undefined, { ...headers, 'x-forwarded-for': address })).status;
  expect(await me(known, '192.0.2.7')).toBe(200);
  await guess(gateway, 12, () => '192.0.2.7');
  expect(await me(known, '192.0.2.7')).toBe(200);
  expect(await me(fresh, '192.0.2.7')).toBe(429);
  expect(await me(fresh, '192.0.2.8')).toBe(200);
  expect(await me(fresh, '192.0.2.7')).toBe(200);
});

it('requests without a token are not counted', async () => {
  const { gateway } = await start();
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  for (let n = 0; n < 15; n += 1)
    expect((await gateway.send('GET', '/api/me', undefined, headers)).status).toBe(401);
  expect(await guess(gateway, 1, () => '192.0.2.7')).toEqual([401]);
});

it('an emergency stop is never refused for the wrong tokens of others', async () => {
  const { gateway, tokens } = await start();
  await guess(gateway, 12, () => '192.0.2.7');
  const headers = await headersOf({ tokens }, 'olga', [{ role: 'operator' }]);
  const body = { reason: 'smoke' };
  const reply = await gateway.send('POST', '/api/estop', body, {
    ...headers,
    'x-forwarded-for': '192.0.2.7',
  });
  expect(gateway.announcements.announced).not.toEqual([]);
  expect([401, 403, 429]).not.toContain(reply.status);
});

it('a signed token that was accepted before goes on working, and a new one waits', async () => {
  const issuer = 'https://login.example.org';
  const seen = new Set<string>();
  const check = {
    principalOf: (token: string, admit?: () => void): Promise<Principal> => {
      if (!seen.has(token)) admit?.();
      seen.add(token);
      const person = { issuer, subject: 'ida' };
      return Promise.resolve({ name: issuerName('ida', issuer), kind: 'oidc', grants: [], ...person });
    },
  };
  const gateway = await startHarness(
    { limits: { wrongTokensPerMinute: mostWrong } },
    undefined,
    (tokens) =>
      new BearerAuthentication(
        new TokenAuthentication(tokens, new ProvenPersons(tokens), 0, memoryLog()),
        check,
      ),
  );
  started.push(gateway);
  const me = async (token: string): Promise<number> =>
    (await gateway.send('GET', '/api/me', undefined, { authorization: `Bearer ${token}` })).status;
  expect(await me('a.b.c')).toBe(200);
  for (let n = 0; n < mostWrong; n += 1) await me(invented());
  expect(await me('a.b.c')).toBe(200);
  expect(await me('d.e.f')).toBe(429);
});
