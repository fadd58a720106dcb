import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError } from '@lab/contracts';
import {
  campaignRecord,
  expectProblem,
  runRecord,
  startHarness,
  taskRecord,
  type Harness,
} from '../twins.js';

let gateway: Harness;

beforeEach(async () => {
  gateway = await startHarness();
  gateway.records.runs.push(runRecord({ name: 'mix_1', state: 'running' }));
  gateway.records.campaignList.push(campaignRecord({ name: 'sweep', state: 'running' }));
  gateway.records.taskRuns.push(taskRecord({ name: 'rinse', state: 'queued' }));
  const accepted = ({ name }: { name: string }) => ({ id: 'x', name });
  for (const request of [requests.changeTask, requests.changeProtocolRun, requests.changeCampaign])
    gateway.requests.on(request, accepted);
});
afterEach(() => gateway.server.close());

describe('a change of work', () => {
  it('goes to the orchestrator with the actor and is answered with the record', async () => {
    for (const [path, request, change] of [
      ['/api/tasks/rinse', requests.changeTask, { priority: 4, input_parameters: { n: 1 } }],
      ['/api/protocols/mix_1', requests.changeProtocolRun, { parameters: { a: { n: 1 } } }],
      ['/api/campaigns/sweep', requests.changeCampaign, { max_protocol_runs: 4, priority: -2 }],
    ] as const) {
      const reply = await gateway.send('PATCH', path, change);
      const name = path.split('/').at(-1);
      expect([reply.status, reply.body]).toMatchObject([200, { name }]);
      expect(gateway.requests.of(request)).toMatchObject([{ body: { name, by: 'local', change } }]);
    }
  });

  it('is refused with the path of the fault before it reaches the orchestrator', async () => {
    for (const [path, body, faulty] of [
      ['/api/tasks/rinse', { priority: 1.5 }, 'priority'],
      ['/api/tasks/rinse', { owner: 'ada' }, 'owner'],
      ['/api/protocols/mix_1', { parameters: { a: 1 } }, 'parameters'],
      ['/api/campaigns/sweep', { max_concurrent_protocol_runs: 0 }, 'max_concurrent_protocol_runs'],
    ] as const) {
      const reply = await gateway.send('PATCH', path, body);
      expectProblem(reply, 422, 'invalid');
      expect(reply.body.errors).toMatchObject([{ path: faulty }]);
    }
    expectProblem(await gateway.send('PATCH', '/api/tasks/nobody', { priority: 1 }), 404, 'not_found');
    expect(gateway.requests.sent).toEqual([]);
  });

  it('reports the refusal of the orchestrator', async () => {
    gateway.requests.on(requests.changeTask, () => {
      throw new ServiceError('wrong_state', 'task rinse is running');
    });
    expectProblem(await gateway.send('PATCH', '/api/tasks/rinse', { priority: 1 }), 409, 'wrong_state');
  });
});
