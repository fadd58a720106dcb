import { orchestratorRequests as requests, serviceRequests, ServiceError } from '@lab/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attentionItem, queue } from '../color-lab-records.js';
import { byTokens, headersOf } from '../tokens.js';
import { startHarness, type Harness } from '../twins.js';

let gateway: Harness;
let viewer: { authorization: string };

const leader = (detail?: string) => ({
  service: 'orchestrator',
  instance: 'i',
  version: '1',
  status: detail === undefined ? ('ok' as const) : ('degraded' as const),
  ...(detail === undefined ? {} : { detail }),
  uptime_s: 1,
  leads: {
    ...{ epoch: 7, packages: { read: 3, faulty: 0 }, commits: {} },
    computers: { expected: 2, online: 2, missing: [], troubles: [] },
  },
});

beforeAll(async () => {
  gateway = await startHarness({}, undefined, byTokens);
  viewer = await headersOf(gateway, 'ada', [{ role: 'viewer' }]);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.requests
    .on(serviceRequests.leaderHealth, () => leader())
    .on(requests.readQueue, () => ({ queue, items: [], end: null }));
  gateway.records.attention.splice(0, Infinity, attentionItem);
});

const home = (headers: Record<string, string> = {}) => gateway.send('GET', '/', undefined, headers);

describe('the first page', () => {
  it('tells programs what the service is, how it is, how much work there is, and where to go on', async () => {
    const { status, body } = await home(viewer);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Laboratory orchestration service',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      health: { status: 'ok', parts: { agents: { detail: '2 of 2 computers' } } },
      work: { waiting: queue.waiting, running: queue.running, open_questions: 1 },
      release: { orchestrator: '1', schema: gateway.records.tables },
    });
    for (const path of Object.values(body['links'] as Record<string, string>))
      expect((await gateway.send('GET', path, undefined, viewer)).status, path).toBe(200);
  });

  it.each([
    ['no token', []],
    ['a role for one laboratory', [{ role: 'operator' as const, lab: 'color_lab' }]],
  ])('shows no work to a caller with %s, and does not ask for it', async (_, grants) => {
    gateway.requests.sent.length = 0;
    const headers = grants.length === 0 ? {} : await headersOf(gateway, 'eve', grants);
    expect((await home({ ...headers })).body).toMatchObject({
      health: { status: 'ok' },
      work: null,
      release: null,
    });
    expect(gateway.requests.of(requests.readQueue)).toEqual([]);
  });

  it('says which part is missing, and that the service cannot tell how much work there is', async () => {
    gateway.requests.on(serviceRequests.leaderHealth, () => {
      throw new ServiceError('deadline_exceeded', 'nobody');
    });
    const { status, body } = await home(viewer);
    expect(status).toBe(200);
    expect(body).toMatchObject({ health: { status: 'unavailable' }, work: null, release: null });
    gateway.requests
      .on(serviceRequests.leaderHealth, () => leader())
      .on(requests.readQueue, () => {
        throw new ServiceError('deadline_exceeded', 'nobody');
      });
    expect((await home(viewer)).body).toMatchObject({ health: { status: 'ok' }, work: null });
  });

  it('tells browsers the same where no page was built', async () => {
    const { headers, body } = await home({ accept: 'text/html' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toMatchObject({ health: { status: 'ok' }, work: null });
  });
});

describe('the guide', () => {
  it('is served as text, and no other file is', async () => {
    const page = await gateway.send('GET', '/guide/README.md');
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(page.text).toContain('# Guide');
    for (const path of [
      '/guide/none.md',
      '/guide/..%2Fstyle.md',
      '/guide/README',
      '/guide/..%2F..%2Fpackage.json',
    ])
      expect((await gateway.send('GET', path)).status, path).toBe(404);
  });
});
