import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  orchestratorRequests as requests,
  ServiceError,
  type DeletionRecord,
  type LegalHoldRecord,
} from '@lab/contracts';
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

const deletion: DeletionRecord = {
  ...{
    id: 'd1',
    name: 'sweep',
    work_id: 'w1',
    owner: 'ada',
    labs: ['color_lab'],
    reason: 'a test',
    by: 'ada',
  },
  kind: 'campaign',
  what: 'everything',
  state: 'planned',
  created_at: '2026-11-23T14:00:00.000Z',
  due_at: '2026-11-24T14:00:00.000Z',
  ...{ ended_at: null, ended_by: null, removed: null },
};
const hold: LegalHoldRecord = {
  kind: 'owner',
  ...{ id: 'h1', name: 'ada', reason: 'dispute', by: 'eve', too_late: [] },
  ...{ created_at: '2026-11-23T14:00:00.000Z', released_at: null, released_by: null },
};

function keep(harness: Harness): void {
  const { records } = harness;
  records.runs.push(runRecord({ name: 'mix_1', state: 'completed' }));
  records.campaignList.push(campaignRecord({ name: 'sweep', state: 'failed' }));
  records.taskRuns.push(taskRecord({ name: 'rinse', state: 'cancelled' }));
  records.deletions.push(deletion);
  harness.requests
    .on(requests.deleteWork, () => deletion)
    .on(requests.keepWork, () => ({ ...deletion, state: 'cancelled' as const }))
    .on(requests.addHold, () => hold)
    .on(requests.releaseHold, () => hold)
    .on(requests.listHolds, () => ({ holds: [hold] }));
}

beforeEach(async () => {
  gateway = await startHarness();
  keep(gateway);
});
afterEach(() => gateway.server.close());

const works = [
  ['/api/campaigns/sweep', 'campaign'],
  ['/api/protocols/mix_1', 'protocol_run'],
  ['/api/tasks/rinse', 'task_run'],
] as const;

describe('a deletion', () => {
  it.each(works)('of %s goes to the orchestrator with reason and person, and back', async (path, kind) => {
    const name = path.split('/').at(-1);
    const reply = await gateway.send('POST', `${path}/delete`, { reason: 'a test', by: 'ada' });
    expect([reply.status, reply.body]).toEqual([200, deletion]);
    const body = { kind, name, what: 'everything', reason: 'a test', by: 'ada' };
    expect(gateway.requests.of(requests.deleteWork)).toMatchObject([{ body }]);
    await gateway.send('POST', `${path}/delete`, { reason: 'a test', what: 'files' });
    expect(gateway.requests.of(requests.deleteWork)[1]).toMatchObject({ body: { what: 'files' } });
    const kept = await gateway.send('POST', `${path}/keep`, { by: 'bob' });
    expect([kept.status, kept.body]).toMatchObject([200, { state: 'cancelled' }]);
    expect(gateway.requests.of(requests.keepWork)).toMatchObject([{ body: { kind, name, by: 'bob' } }]);
  });

  it('needs a reason, and tells what the orchestrator refuses', async () => {
    const without = await gateway.send('POST', '/api/campaigns/sweep/delete', { what: 'all' });
    expectProblem(without, 422, 'invalid');
    expect(without.body.errors?.map(({ path }: { path: string }) => path).sort()).toEqual(['reason', 'what']);
    gateway.requests.on(requests.deleteWork, () => {
      throw new ServiceError('wrong_state', 'eve holds the owner "ada": dispute');
    });
    const held = await gateway.send('POST', '/api/campaigns/sweep/delete', { reason: 'x' });
    expectProblem(held, 409, 'wrong_state');
  });

  it('is permitted to the owner of the work and to operators', async () => {
    await gateway.server.close();
    gateway = await startHarness({}, undefined, byTokens);
    keep(gateway);
    const bob = await headersOf(gateway, 'bob', [{ role: 'submitter' }]);
    const eve = await headersOf(gateway, 'eve', [{ role: 'operator' }]);
    const ada = await headersOf(gateway, 'ada', [{ role: 'submitter' }]);
    for (const act of ['delete', 'keep']) {
      const body = act === 'delete' ? { reason: 'x' } : {};
      expectProblem(await gateway.send('POST', `/api/tasks/rinse/${act}`, body, bob), 403, 'forbidden');
      for (const may of [ada, eve])
        expect((await gateway.send('POST', `/api/tasks/rinse/${act}`, body, may)).status).toBe(200);
    }
  });

  it('is listed', async () => {
    const { body } = await gateway.send('GET', '/api/deletions?state=planned,running');
    expect((body as unknown as { items: unknown[] }).items).toEqual([deletion]);
    expectProblem(await gateway.send('GET', '/api/deletions?state=gone'), 422, 'invalid');
  });
});

describe('a legal hold', () => {
  it('is added, listed and released', async () => {
    const asked = { kind: 'owner', name: 'ada', reason: 'dispute' };
    const added = await gateway.send('POST', '/api/legal-holds', { ...asked, by: 'eve' });
    expect([added.status, added.body]).toMatchObject([201, { id: 'h1' }]);
    expect(gateway.requests.of(requests.addHold)).toMatchObject([{ body: { ...asked, by: 'eve' } }]);
    const { body } = await gateway.send('GET', '/api/legal-holds');
    expect((body as unknown as { items: unknown[] }).items).toEqual([hold]);
    const released = await gateway.send('POST', '/api/legal-holds/h1/release', { by: 'eve' });
    expect(released.status).toBe(200);
    expect(gateway.requests.of(requests.releaseHold)).toMatchObject([{ body: { id: 'h1', by: 'eve' } }]);
    const wrong = await gateway.send('POST', '/api/legal-holds', { ...asked, kind: 'device' });
    expectProblem(wrong, 422, 'invalid');
  });

  it('is for administrators alone', async () => {
    await gateway.server.close();
    gateway = await startHarness({}, undefined, byTokens);
    keep(gateway);
    const eve = await headersOf(gateway, 'eve', [{ role: 'operator' }]);
    const asked = { kind: 'owner', name: 'ada', reason: 'dispute' };
    expectProblem(await gateway.send('POST', '/api/legal-holds', asked, eve), 403, 'forbidden');
    expectProblem(await gateway.send('POST', '/api/legal-holds/h1/release', {}, eve), 403, 'forbidden');
    expectProblem(await gateway.send('GET', '/api/legal-holds', undefined, eve), 403, 'forbidden');
    const root = await headersOf(gateway, 'root', [{ role: 'admin' }]);
    expect((await gateway.send('POST', '/api/legal-holds', asked, root)).status).toBe(201);
  });
});
