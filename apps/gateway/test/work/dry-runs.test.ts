import { orchestratorRequests, ServiceError, type DryRunRecord, type Submission } from '@lab/contracts';
import { Sealing, Secret } from '@lab/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byTokens, headersOf } from '../tokens.js';
import { campaignRecord, expectProblem, runRecord, startHarness, type Harness } from '../twins.js';

let gateway: Harness;
let ada: Record<string, string>;
let viewer: Record<string, string>;

const estimate: DryRunRecord['estimate'] = {
  at: '2026-11-20T09:30:00.000Z',
  scheduler: 'greedy',
  starts_at: null,
  ends_at: null,
  seconds_per_run: null,
  runs: 0,
  tasks: [],
  reason: 'nothing is known',
};
const accepted = ({ submission: resolved }: Submission): DryRunRecord => ({
  valid: true,
  dry_run: true,
  resolved,
  estimate,
  warnings: [],
});

beforeAll(async () => {
  gateway = await startHarness({}, new Sealing(new Secret('k'.repeat(32))), byTokens);
  ada = await headersOf(gateway, 'ada', [{ role: 'submitter' }]);
  viewer = await headersOf(gateway, 'vic', [{ role: 'viewer' }]);
});
afterAll(() => gateway.server.close());
beforeEach(() => {
  gateway.requests.sent.length = 0;
  gateway.audit.entries.length = 0;
  gateway.requests.on(orchestratorRequests.dryRun, (asked) => accepted(asked as Submission));
});

const submissions = [
  ['/api/tasks', { name: 't', type: 'rinse' }],
  ['/api/protocols', { name: 'r', type: 'mix' }],
  ['/api/campaigns', { name: 'c', protocol: 'mix', max_protocol_runs: 2 }],
] as const;

describe.each(submissions)('a dry run of POST %s', (path, body) => {
  it('is answered with 200 and the future owner, and changes nothing', async () => {
    const headers = { ...ada, 'idempotency-key': 'once' };
    for (const _ of [1, 2]) {
      const reply = await gateway.send('POST', `${path}?dry_run=true`, body, headers);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('location')).toBeNull();
      expect(reply.headers.get('idempotent-replayed')).toBeNull();
      expect(reply.body).toMatchObject({ valid: true, dry_run: true, resolved: { ...body, owner: 'ada' } });
    }
    expect(gateway.requests.sent.map(({ name }) => name)).toEqual(Array(2).fill('submission.dry_run'));
    expect(gateway.audit.entries).toEqual([]);
  });

  it('is refused for the same reasons as the submission', async () => {
    const faults = [{ path: 'type', code: 'unknown', message: 'there is none' }];
    const refused = (): never => {
      throw new ServiceError('unknown_protocol', 'there is no such protocol', { faults });
    };
    for (const request of [
      orchestratorRequests.dryRun,
      orchestratorRequests.submitTask,
      orchestratorRequests.submitCampaign,
      orchestratorRequests.submitProtocolRun,
    ])
      gateway.requests.on(request, refused);
    for (const [headers, given, dryRun] of [
      [ada, body, 'true'],
      [ada, { ...body, name: '' }, 'true'],
      [ada, { ...body, priority: 'high', wat: 1 }, 'true'],
      [ada, { ...body, owner: 'bob' }, 'true'],
      [ada, [], 'true'],
      [ada, '{"name": ', 'true'],
      [ada, `{"name": "a\\u0000b"}`, 'true'],
      [viewer, body, 'true'],
      [{}, body, 'true'],
    ] as const) {
      const tried = await gateway.send('POST', `${path}?dry_run=${dryRun}`, given, headers);
      const meant = await gateway.send('POST', path, given, headers);
      const known = ({
        status,
        body: { instance: _, request_id: __, ...problem },
      }: typeof tried): unknown => ({
        status,
        problem,
      });
      expect(known(tried)).toEqual(known(meant));
      expect(tried.status).toBeGreaterThanOrEqual(400);
      expect(tried.status).toBeLessThan(500);
    }
  });

  it('is requested by dry_run=true, and other spellings are refused', async () => {
    expectProblem(await gateway.send('POST', `${path}?dry_run=yes`, body, ada), 422, 'invalid');
    expectProblem(await gateway.send('POST', `${path}?dryrun=true`, body, ada), 422, 'invalid');
    await gateway.send('POST', `${path}?dry_run=false`, body, ada);
    expect(gateway.requests.sent.map(({ name }) => name)).not.toContain('submission.dry_run');
    expect(gateway.audit.entries).toHaveLength(3);
  });
});

it('a route without dry runs acts, whatever its query says', async () => {
  await gateway.send('POST', '/api/queue/pause?dry_run=true', {}, ada);
  await gateway.send('POST', '/api/tasks/t/cancel?dry_run=true', undefined, ada);
  expect(gateway.audit.entries.map(({ subject }) => subject)).toContain('task_run/t');
});

it('only people who may resume work may test a resume', async () => {
  gateway.records.runs.push(runRecord({ name: 'r', owner: 'bob', state: 'failed' }));
  gateway.records.campaignList.push(campaignRecord({ name: 'c', owner: 'bob', state: 'failed' }));
  for (const [path, body] of submissions.slice(1))
    expectProblem(
      await gateway.send('POST', `${path}?dry_run=true`, { ...body, resume: true }, ada),
      403,
      'forbidden',
    );
});

it('only the optimizer receives secrets, and only encrypted', async () => {
  const meta = { optimizer_overrides: { ai_api_key: 'sk-canary' } };
  const body = { ...submissions[2][1], meta };
  const reply = await gateway.send('POST', '/api/campaigns?dry_run=true', body, ada);
  expect(reply.status).toBe(200);
  expect(reply.text).not.toContain('canary');
  expect(JSON.stringify(gateway.requests.sent)).not.toContain('canary');
  expect(JSON.stringify(gateway.requests.sent)).toContain('ai_api_key');
});
