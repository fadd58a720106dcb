import { createHash } from 'node:crypto';
import { orchestratorRequests as requests, serviceRequests, ServiceError } from '@lab/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { attentionItem, queue } from '../color-lab-records.js';
import { byTokens, headersOf } from '../tokens.js';
import { startHarness, type Harness } from '../twins.js';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
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
    });
    for (const path of Object.values(body['links'] as Record<string, string>))
      expect((await gateway.send('GET', path, undefined, viewer)).status, path).toBe(200);
  });

  it('is a page for a browser, without a script, under a policy that permits only its own style', async () => {
    const { headers, text } = await home({ ...viewer, ...html });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('2 running, 5 waiting, 1 question open for a person.');
    expect(text).toContain('npx svc attention');
    expect(text).not.toMatch(/<script|https?:\/\/|\son\w+=/i);
    const policy = headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it.each([
    ['no token', []],
    ['a role for one laboratory', [{ role: 'operator' as const, lab: 'color_lab' }]],
  ])('shows no work to a caller with %s, and does not ask for it', async (_, grants) => {
    gateway.requests.sent.length = 0;
    const headers = grants.length === 0 ? {} : await headersOf(gateway, 'eve', grants);
    expect((await home({ ...headers })).body).toMatchObject({ health: { status: 'ok' }, work: null });
    expect((await home({ ...headers, ...html })).text).toContain('Only a caller with a token');
    expect(gateway.requests.of(requests.readQueue)).toEqual([]);
  });

  it('shows which part is missing, and that the service cannot tell how much work there is', async () => {
    gateway.requests.on(serviceRequests.leaderHealth, () => {
      throw new ServiceError('deadline_exceeded', 'nobody');
    });
    const { status, text } = await home({ ...viewer, ...html });
    expect(status).toBe(200);
    expect(text).toContain('<strong class="unavailable">unavailable</strong>');
    expect(text).toContain('The service cannot tell at this moment.');
    gateway.requests
      .on(serviceRequests.leaderHealth, () => leader())
      .on(requests.readQueue, () => {
        throw new ServiceError('deadline_exceeded', 'nobody');
      });
    expect((await home(viewer)).body).toMatchObject({ health: { status: 'ok' }, work: null });
  });

  it('shows words of other processes as text and not as elements', async () => {
    gateway.requests.on(serviceRequests.leaderHealth, () => leader('<img src=x onerror="alert(1)">'));
    const { text } = await home(html);
    expect(text).toContain('&#60;img');
    expect(text).not.toContain('<img');
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
