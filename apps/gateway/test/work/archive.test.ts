import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError } from '@lab/contracts';
import { byTokens, headersOf } from '../tokens.js';
import {
  campaignRecord,
  expectProblem,
  runRecord,
  startHarness,
  taskRecord,
  type Harness,
} from '../twins.js';

let gateway: Harness;

function keep(harness: Harness): void {
  const { records } = harness;
  records.runs.push(runRecord({ name: 'mix_1', state: 'completed' }));
  const meta = { optimizer_overrides: { ai_api_key: 'hidden' } };
  records.campaignList.push(campaignRecord({ name: 'sweep', state: 'failed', meta }));
  records.taskRuns.push(taskRecord({ name: 'rinse', state: 'cancelled' }));
  for (const request of [requests.archiveWork, requests.restoreWork])
    harness.requests.on(request, ({ name }) => ({ id: 'x', name }));
}

beforeEach(async () => {
  gateway = await startHarness();
  keep(gateway);
});
afterEach(() => gateway.server.close());

const acts = [
  ['archive', requests.archiveWork],
  ['restore', requests.restoreWork],
] as const;
const works = [
  ['/api/campaigns/sweep', 'campaign'],
  ['/api/protocols/mix_1', 'protocol_run'],
  ['/api/tasks/rinse', 'task_run'],
] as const;

describe.each(acts)('%s', (act, request) => {
  it.each(works)(
    'of %s goes to the orchestrator with the actor and is answered with the record',
    async (path, kind) => {
      const name = path.split('/').at(-1);
      const reply = await gateway.send('POST', `${path}/${act}`, { by: 'ada' });
      expect([reply.status, reply.body]).toMatchObject([200, { name, archived_at: null }]);
      expect(JSON.stringify(reply.body)).not.toContain('hidden');
      expect(gateway.requests.of(request)).toMatchObject([{ body: { kind, name, by: 'ada' } }]);
      expect((await gateway.send('POST', `${path}/${act}`)).status).toBe(200);
    },
  );

  it('reports the refusal of the orchestrator', async () => {
    gateway.requests.on(request, () => {
      throw new ServiceError('wrong_state', 'the campaign "sweep" is running');
    });
    expectProblem(await gateway.send('POST', `/api/campaigns/sweep/${act}`), 409, 'wrong_state');
    expectProblem(await gateway.send('POST', `/api/tasks/rinse/${act}?force=1`), 422, 'invalid');
  });

  it('is permitted to the owner of the work and to operators', async () => {
    await gateway.server.close();
    gateway = await startHarness({}, undefined, byTokens);
    keep(gateway);
    const bob = await headersOf(gateway, 'bob', [{ role: 'submitter' }]);
    expectProblem(await gateway.send('POST', `/api/tasks/rinse/${act}`, {}, bob), 403, 'forbidden');
    expect(gateway.requests.of(request)).toEqual([]);
    const ada = await headersOf(gateway, 'ada', [{ role: 'submitter' }]);
    expect((await gateway.send('POST', `/api/tasks/rinse/${act}`, {}, ada)).status).toBe(200);
    expect(gateway.requests.of(request)).toMatchObject([{ body: { by: 'ada' } }]);
  });
});

describe('lists', () => {
  it('hide archived records, except on request', async () => {
    const { records } = gateway;
    records.taskRuns.push(taskRecord({ name: 'old', archived_at: '2026-11-20T09:30:00.000Z' }));
    const names = async (query: string): Promise<unknown> => {
      const { body } = await gateway.send('GET', `/api/tasks${query}`);
      return (body as unknown as { items: { name: string }[] }).items.map(({ name }) => name).sort();
    };
    expect(await names('')).toEqual(['rinse']);
    expect(await names('?archived=false')).toEqual(['rinse']);
    expect(await names('?archived=true')).toEqual(['old']);
    expect(await names('?archived=all')).toEqual(['old', 'rinse']);
    const wrong = await gateway.send('GET', '/api/tasks?archived=yes');
    expectProblem(wrong, 422, 'invalid');
    expect(wrong.body.errors).toMatchObject([{ path: '?archived', hint: 'One of false, true, all.' }]);
  });
});
