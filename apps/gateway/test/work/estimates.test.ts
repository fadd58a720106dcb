import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { orchestratorRequests as requests, ServiceError, type ProtocolRunSummary } from '@lab/contracts';
import { campaignRecord, runRecord, startHarness, type Harness } from '../twins.js';

let gateway: Harness;
const soon = '2026-11-20T09:35:00.000Z';
const later = '2026-11-20T09:45:00.000Z';

beforeEach(async () => {
  gateway = await startHarness();
  gateway.records.runs.push(
    runRecord({ name: 'mix_1', state: 'running' }),
    runRecord({ name: 'mix_2', state: 'running' }),
    runRecord({ name: 'over', state: 'completed' }),
  );
  gateway.records.runs.push(runRecord({ name: 'sweep_run_1', state: 'running', campaign: 'sweep' }));
  gateway.records.campaignList.push(campaignRecord({ state: 'running' }));
});
afterEach(() => gateway.server.close());

const estimateIn = async (path: string): Promise<unknown> =>
  ((await gateway.send('GET', path)).body as unknown as { estimated_completion: unknown })
    .estimated_completion;

describe('the expected end of work', () => {
  it('stands in single and listed runs and campaigns, and takes one request to the orchestrator', async () => {
    gateway.requests.on(requests.readEstimates, () => ({
      protocol_runs: { mix_1: soon, sweep_run_1: soon, over: later },
      campaigns: { sweep: later },
    }));
    expect(await estimateIn('/api/protocols/mix_1')).toBe(soon);
    expect(await estimateIn('/api/protocols/mix_2')).toBeNull();
    const listed = async (path: string) =>
      ((await gateway.send('GET', path)).body.items as ProtocolRunSummary[]).map((run) => [
        run.name,
        run.estimated_completion,
      ]);
    expect(await listed('/api/protocols?sort=-name')).toEqual([
      ['sweep_run_1', soon],
      ['over', null],
      ['mix_2', null],
      ['mix_1', soon],
    ]);
    expect(await listed('/api/campaigns/sweep/runs')).toEqual([['sweep_run_1', soon]]);
    expect(await estimateIn('/api/campaigns/sweep')).toBe(later);
    expect((await gateway.send('GET', '/api/campaigns')).body.items).toMatchObject([
      { estimated_completion: later },
    ]);
    expect(gateway.requests.of(requests.readEstimates)).toHaveLength(1);
  });

  it('is null in the record while no orchestrator answers', async () => {
    gateway.requests.on(requests.readEstimates, () => {
      throw new ServiceError('deadline_exceeded', 'no answer', { effect: 'none' });
    });
    const reply = await gateway.send('GET', '/api/protocols/mix_1');
    expect([reply.status, reply.body]).toMatchObject([200, { name: 'mix_1', estimated_completion: null }]);
  });

  it('is not requested for completed work', async () => {
    expect(await estimateIn('/api/protocols/over')).toBeNull();
    expect(gateway.requests.of(requests.readEstimates)).toEqual([]);
  });
});
