import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  orchestratorRequests as requests,
  ServiceError,
  type JournalEntry,
  type OptimizerStatus,
} from '@lab/contracts';
import { isSealed, Sealing, Secret } from '@lab/runtime';
import { campaignRecord, expectProblem, startHarness, type Harness } from '../twins.js';
import { MemoryRecords } from '../memory-records.js';
import { optimizerDescription, trial } from '../color-lab-records.js';

const canary = 'sk-canary-7cdb1f';
const kept = { ...optimizerDescription, insights: [], best: null, failure: null, runtime: null };
const optimized = campaignRecord({ name: 'find_teal', optimize: true, optimizer: kept, state: 'running' });
const path = '/api/campaigns/find_teal/optimizer';
const ready: OptimizerStatus = {
  ...kept,
  state: 'ready',
  reason: null,
  worker: 'worker_1',
  session: 'session_1',
  insights: [{ id: 'i1', text: 'colder', by: 'ada', at: 0, used: true }],
  pending: [{ ...trial, number: 8, state: 'proposed', outputs: null, note: {} }],
  belief: null,
};

let gateway: Harness;
let plain: Harness;

beforeAll(async () => {
  gateway = await startHarness({}, new Sealing(new Secret('k'.repeat(32))));
  plain = await startHarness();
});
afterAll(() => Promise.all([gateway.server.close(), plain.server.close()]));

beforeEach(() => {
  gateway.requests.sent.length = 0;
  gateway.log.lines.length = 0;
  Object.assign(gateway.records, new MemoryRecords());
  gateway.records.campaignList.push(optimized);
});

describe('the optimizer of a campaign', () => {
  it('is shown as the leading orchestrator knows it, with the notes of the latest trials, newest first', async () => {
    gateway.records.trialsOf.set('find_teal', [
      trial,
      { ...trial, number: 8, note: {} },
      { ...trial, number: 9 },
    ]);
    gateway.requests.on(requests.readOptimizer, () => ready);
    const { status, body } = await gateway.send('GET', path);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...optimizerDescription,
      campaign: 'find_teal',
      state: 'ready',
      reason: null,
      worker: 'worker_1',
      insights: [{ id: 'i1', text: 'colder', by: 'ada', at: '1970-01-01T00:00:00.000Z', used: true }],
      best: null,
      failure: null,
      runtime: null,
      pending: ready.pending,
      journal: [9, 7].map((number) => ({ number, run: trial.run, source: 'ai', note: trial.note })),
      belief: null,
    });
    expect(gateway.requests.of(requests.readOptimizer)[0]?.body).toEqual({
      name: 'find_teal',
      explain: false,
    });
    await gateway.send('GET', `${path}?explain=true`);
    expect(gateway.requests.of(requests.readOptimizer)[1]?.body).toMatchObject({ explain: true });
  });

  it('is shown in its final state after the campaign, without a request to the orchestrator', async () => {
    const best = [{ 'mix_colors.cyan_volume': 3 }];
    gateway.records.campaignList[0] = { ...optimized, state: 'completed', optimizer: { ...kept, best } };
    const { body } = await gateway.send('GET', path);
    expect(body).toMatchObject({ state: 'closed', worker: null, pending: [], best });
    expect(gateway.requests.sent).toEqual([]);
  });

  it('does not exist for a campaign without one, and for an unknown campaign', async () => {
    gateway.records.campaignList[0] = { ...optimized, optimize: false, optimizer: null };
    expectProblem(await gateway.send('GET', path), 409, 'wrong_state');
    expectProblem(await gateway.send('GET', '/api/campaigns/none/optimizer'), 404, 'not_found');
  });

  it('has a journal that can be read in pages to its beginning', async () => {
    const trials = Array.from({ length: 120 }, (_, i) => ({
      ...trial,
      number: i + 1,
      run: `find_teal_run_${i + 1}`,
    }));
    gateway.records.trialsOf.set('find_teal', trials);
    gateway.requests.on(requests.readOptimizer, () => ready);
    const { body: shown } = await gateway.send('GET', path);
    expect((shown.journal as JournalEntry[]).map(({ number }) => number)).toEqual(
      Array.from({ length: 50 }, (_, i) => 120 - i),
    );
    const read: JournalEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { status, body } = await gateway.send('GET', `${path}/journal?limit=50${at}`);
      expect(status).toBe(200);
      read.push(...(body.items as JournalEntry[]));
      cursor = body.next_cursor as string | null;
    }
    expect(read).toEqual(
      trials.reverse().map(({ number, run, source, note }) => ({ number, run, source, note })),
    );
    expectProblem(await gateway.send('GET', '/api/campaigns/none/optimizer/journal'), 404, 'not_found');
    gateway.records.campaignList[0] = { ...optimized, optimize: false, optimizer: null };
    expectProblem(await gateway.send('GET', `${path}/journal`), 409, 'wrong_state');
  });

  it('lists its trials by number', async () => {
    const trials = [1, 2, 3].map((number) => ({ ...trial, number }));
    gateway.records.trialsOf.set('find_teal', trials);
    const list = '/api/campaigns/find_teal/trials';
    expect((await gateway.send('GET', list)).body.items).toEqual(trials);
    expect((await gateway.send('GET', `${list}?after=1&limit=1`)).body.items).toEqual([trials[1]]);
    expectProblem(await gateway.send('GET', `${list}?after=one`), 422, 'invalid');
    expectProblem(await gateway.send('GET', '/api/campaigns/none/trials'), 404, 'not_found');
  });

  it('is described before a campaign has set anything', async () => {
    gateway.requests.on(requests.readOptimizerDefaults, () => optimizerDescription);
    const address = '/api/protocols/color_mixing/optimizer/defaults';
    expect((await gateway.send('GET', address)).body).toEqual(optimizerDescription);
    await gateway.send('GET', `${address}?optimizer_ip=127.0.0.2`);
    expect(gateway.requests.of(requests.readOptimizerDefaults).map(({ body }) => body)).toEqual([
      { protocol: 'color_mixing' },
      { protocol: 'color_mixing', optimizer_ip: '127.0.0.2' },
    ]);
  });
});

describe('settings of the optimizer', () => {
  it('are changed, and the answer contains all of them', async () => {
    gateway.requests.on(requests.configureOptimizer, ({ runtime_params }) => ({
      runtime_params: { ...runtime_params, p_bayesian: 0.8 },
    }));
    const { status, body } = await gateway.send('PUT', `${path}/params?by=ada`, { p_ai: 0.2 });
    expect({ status, body }).toEqual({ status: 200, body: { p_ai: 0.2, p_bayesian: 0.8 } });
    expect(gateway.requests.of(requests.configureOptimizer)[0]?.body).toEqual({
      name: 'find_teal',
      by: 'ada',
      runtime_params: { p_ai: 0.2 },
    });
  });

  it.each([[{}], [[]], [{ p_ai: [0.2] }], [{ p_ai: { a: 1 } }], ['"text"']])(
    'are not changed by %j',
    async (body) => {
      expectProblem(await gateway.send('PUT', `${path}/params`, body), 422, 'invalid');
      expect(gateway.requests.sent).toEqual([]);
    },
  );

  it('report the refusal of the optimizer and its path', async () => {
    gateway.requests.on(requests.configureOptimizer, () => {
      throw new ServiceError('invalid', 'not allowed', {
        faults: [{ path: 'p_ai', code: 'range', message: 'must be from 0 to 1' }],
      });
    });
    const reply = await gateway.send('PUT', `${path}/params`, { p_ai: 2 });
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors?.map(({ path }) => path)).toEqual(['p_ai']);
  });
});

describe('an insight', () => {
  it('is queued', async () => {
    gateway.requests.on(requests.addInsight, ({ text, by }) => ({ id: 'i2', text, by, at: 1_000 }));
    const { status, body } = await gateway.send('POST', `${path}/insight`, { insight: 'warmer', by: 'ada' });
    expect({ status, body }).toEqual({
      status: 201,
      body: { id: 'i2', text: 'warmer', by: 'ada', at: '1970-01-01T00:00:01.000Z', used: false },
    });
  });

  it.each([{}, { insight: '' }, { insight: 3 }, { insight: 'x'.repeat(10_001) }, { insight: 'a', more: 1 }])(
    'is refused as %j',
    async (body) => {
      expectProblem(await gateway.send('POST', `${path}/insight`, body), 422, 'invalid');
      expect(gateway.requests.sent).toEqual([]);
    },
  );
});

describe('an API key', () => {
  const submission = {
    name: 'find_teal',
    protocol: 'color_mixing',
    max_protocol_runs: 3,
    optimize: true,
    meta: { optimizer_overrides: { p_ai: 0.5, ai_api_key: canary } },
  };

  it('is encrypted for the optimizer, and no answer and no log line contains it', async () => {
    gateway.requests
      .on(requests.submitCampaign, ({ name, meta }) => {
        gateway.records.campaignList[0] = { ...optimized, meta: meta ?? {} };
        return { id: 'c', name };
      })
      .on(requests.resumeCampaign, ({ name }) => ({ id: 'c', name }))
      .on(requests.configureOptimizer, () => ({ runtime_params: {} }));
    const replies = [
      await gateway.send('POST', '/api/campaigns', submission),
      await gateway.send('POST', '/api/campaigns/find_teal/resume', {
        optimizer_overrides: { ai_api_key: canary },
      }),
      await gateway.send('PUT', `${path}/params`, { ai_api_key: canary }),
      await gateway.send('GET', '/api/campaigns/find_teal'),
      await gateway.send('GET', '/api/campaigns'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 202, 200, 200, 200]);
    expect(replies[0]?.body).toMatchObject({
      meta: { optimizer_overrides: { p_ai: 0.5, ai_api_key: '***' } },
    });
    const sent = gateway.requests.of(requests.submitCampaign)[0]?.body as typeof submission;
    expect(isSealed(sent.meta.optimizer_overrides.ai_api_key)).toBe(true);
    const everything = JSON.stringify([replies, gateway.requests.sent, gateway.log.lines]);
    expect(everything).not.toContain(canary);
  });

  it('is refused when nothing can encrypt it', async () => {
    const reply = await plain.send('POST', '/api/campaigns', submission);
    expectProblem(reply, 422, 'invalid');
    expect(reply.body.errors).toMatchObject([{ path: 'meta', code: 'no_secrets_key' }]);
    expect(reply.text).not.toContain(canary);
    expect(plain.requests.sent).toEqual([]);
  });
});
