import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, type Grant, type UsageRecord } from '@lab/contracts';
import { byTokens, headersOf } from '../tokens.js';
import { expectProblem, startHarness, type Harness } from '../twins.js';

let gateway: Harness;
beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.requests.sent.length = 0;
});

const record: UsageRecord = {
  ...{ kind: 'owner', name: 'ada', records: 12, files: 3, bytes: 48_211 },
  ...{ max_records: 100, max_bytes: null, share: 0.12 },
};
const read = async (grants: Grant[], query = '') => {
  gateway.requests.on(requests.readUsage, () => ({ items: [record], end: null }));
  return gateway.send('GET', `/api/usage${query}`, undefined, await headersOf(gateway, 'ada', grants));
};
const asked = (): unknown => gateway.requests.of(requests.readUsage).at(-1)?.body;

describe('the usage', () => {
  it.each<[string, Grant[], object]>([
    ['a viewer of all laboratories', [{ role: 'viewer' }], { owner: 'ada', rights: { see: 'all' } }],
    ['an operator', [{ role: 'operator' }], { owner: 'ada', rights: { see: 'all' } }],
    [
      'a submitter of one laboratory',
      [{ role: 'submitter', lab: 'own' }],
      { owner: 'ada', rights: { see: ['own'] } },
    ],
    ['an administrator', [{ role: 'admin' }], { owner: null, rights: { see: 'all' } }],
  ])('that %s gets is of the owners and laboratories of the caller', async (_who, grants, body) => {
    const answer = await read(grants);
    expect([answer.status, answer.body]).toEqual([200, { items: [record], next_cursor: null }]);
    expect(asked()).toMatchObject({ ...body, sort: 'share', descending: true, limit: 100, after: null });
  });

  it('of another person cannot be asked for by a name or another parameter', async () => {
    await read([{ role: 'operator' }], '?kind=owner&name=bob&sort=bytes');
    expect(asked()).toMatchObject({
      owner: 'ada',
      kind: ['owner'],
      name: 'bob',
      sort: 'bytes',
      descending: false,
    });
    expectProblem(await read([{ role: 'operator' }], '?owner=bob'), 422, 'invalid');
  });

  it('needs a role', async () => {
    expectProblem(await read([]), 403, 'forbidden');
    expectProblem(await gateway.send('GET', '/api/usage'), 401, 'unauthorized');
    expect(gateway.requests.sent).toEqual([]);
  });

  it('goes on behind the last record of the page before', async () => {
    gateway.requests.on(requests.readUsage, () => ({
      items: [record],
      end: { value: 120_000, id: 'owner/ada' },
    }));
    const headers = await headersOf(gateway, 'ada', [{ role: 'admin' }]);
    const first = await gateway.send('GET', '/api/usage?limit=1', undefined, headers);
    const cursor = String(first.body['next_cursor']);
    expect(
      (await gateway.send('GET', `/api/usage?limit=1&cursor=${cursor}`, undefined, headers)).status,
    ).toBe(200);
    expect(asked()).toMatchObject({ limit: 1, after: { value: 120_000, id: 'owner/ada' } });
  });
});
