import type { CampaignChange, TaskParameters } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { ints, open, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm' });
  test.taskType('count', { input_parameters: ints('n', 'm') });
  test.protocol('p', [{ name: 'a', type: 'count', parameters: { n: open, m: open } }]);
  test.protocol('plain', [{ name: 'a' }]);
  await test.open();
  return test;
}

async function campaign(test: TestLab, name: string, more = {}): Promise<void> {
  await test.engine.submissions.campaign({ name, protocol: 'plain', max_protocol_runs: 3, ...more });
  await test.clock.settle();
}

describe('a campaign', () => {
  it('runs its protocol the given number of times, one after the other, and completes', async () => {
    const test = await lab();
    await campaign(test, 'c');
    for (const n of [1, 2, 3]) {
      expect(test.running()).toEqual([`c_run_${n}/a`]);
      expect(test.campaignRow('c')).toMatchObject({ state: 'running', runsStarted: n, runsCompleted: n - 1 });
      await test.complete(`c_run_${n}/a`);
    }
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', reason: null, runsCompleted: 3 });
  });

  it('keeps the permitted number of runs active', async () => {
    const test = await lab();
    await campaign(test, 'c', { max_concurrent_protocol_runs: 2 });
    expect(test.running()).toEqual(['c_run_1/a', 'c_run_2/a']);
    await test.complete('c_run_2/a');
    expect(test.running()).toEqual(['c_run_1/a', 'c_run_3/a']);
  });

  it('without a limit continues, and reserves the names of its runs', async () => {
    const test = await lab();
    await campaign(test, 'c', { max_protocol_runs: 0 });
    for (const n of [1, 2, 3, 4, 5]) await test.complete(`c_run_${n}/a`);
    expect(test.running()).toEqual(['c_run_6/a']);
    await expect(test.run('c_run_99999', 'plain')).rejects.toMatchObject({ code: 'duplicate_name' });
    await test.engine.work.cancelCampaign('c');
    await test.clock.settle();
    expect(test.campaignRow('c')).toMatchObject({ state: 'cancelled', runsStarted: 6, runsCompleted: 5 });
    await expect(campaign(test, 'c_run_1', { max_protocol_runs: 0 })).resolves.toBeUndefined();
  });

  it('without a limit and with an empty list begins each run when a change lists it', async () => {
    const test = await lab();
    const change = async (more: CampaignChange): Promise<void> => {
      await test.engine.changes.campaign('c', more, 'ada');
      await test.clock.settle();
    };
    const row = (n: number): TaskParameters => ({ a: { n, m: 0 } });
    await campaign(test, 'c', { protocol: 'p', max_protocol_runs: 0, protocol_run_parameters: [] });
    expect(test.running()).toEqual([]);
    expect(test.campaignRow('c')).toMatchObject({
      state: 'running',
      reason: { code: 'waiting_for_parameters' },
    });
    await change({ protocol_run_parameters: [row(1)] });
    expect(test.task('c_run_1/a').inputParameters).toEqual({ n: 1, m: 0 });
    await test.complete('c_run_1/a');
    expect(test.campaignRow('c')).toMatchObject({ state: 'running', runsStarted: 1, runsCompleted: 1 });
    await change({ protocol_run_parameters: [row(1), row(2), row(3)] });
    expect(test.campaignRow('c')).toMatchObject({ reason: null, runsStarted: 2 });
    await expect(change({ protocol_run_parameters: [row(1), row(9), row(3)] })).rejects.toMatchObject({
      code: 'wrong_state',
    });
    await expect(change({ protocol_run_parameters: [row(1), row(2), {}] })).rejects.toMatchObject({
      faults: [{ path: 'protocol_run_parameters[2].a.n' }, { path: 'protocol_run_parameters[2].a.m' }],
    });
    await expect(change({ max_protocol_runs: 2 })).rejects.toMatchObject({ code: 'invalid' });
    await change({ max_protocol_runs: 3 });
    for (const n of [2, 3]) await test.complete(`c_run_${n}/a`);
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', reason: null, runsCompleted: 3 });
  });

  it('gives each run its own parameters over the global ones', async () => {
    const test = await lab();
    await campaign(test, 'c', {
      protocol: 'p',
      max_protocol_runs: 2,
      max_concurrent_protocol_runs: 2,
      global_parameters: { a: { n: 1, m: 2 } },
      protocol_run_parameters: [{ a: { m: 3 } }, {}],
    });
    expect(test.task('c_run_1/a').inputParameters).toEqual({ n: 1, m: 3 });
    expect(test.task('c_run_2/a').inputParameters).toEqual({ n: 1, m: 2 });
  });

  it.each([
    ['length', { protocol_run_parameters: [{}] }, 'protocol_run_parameters'],
    ['missing_parameter', { global_parameters: { a: { n: 1 } } }, 'global_parameters.a.m'],
    ['missing_parameter', {}, 'global_parameters.a.n'],
    [
      'missing_parameter',
      { global_parameters: { a: { n: 1 } }, protocol_run_parameters: [{ a: { m: 1 } }, {}, { a: { m: 1 } }] },
      'protocol_run_parameters[1].a.m',
    ],
    ['type', { global_parameters: { a: { n: 'x', m: 1 } } }, 'global_parameters.a.n'],
    [
      'unknown_parameter',
      { global_parameters: { a: { n: 1, m: 1 } }, protocol_run_parameters: [{ a: { k: 1 } }, {}, {}] },
      'protocol_run_parameters[0].a.k',
    ],
    ['no_optimizer', { optimize: true }, 'optimize'],
    [
      'length',
      {
        max_protocol_runs: 0,
        global_parameters: { a: { n: 1, m: 1 } },
        protocol_run_parameters: [{}],
      },
      'protocol_run_parameters',
    ],
    ['without_effect', { max_failures: 2 }, 'max_failures'],
  ])('with the fault %s is refused at its path', async (code, more, path) => {
    const test = await lab();
    await expect(campaign(test, 'c', { protocol: 'p', ...more })).rejects.toMatchObject({
      code: 'invalid',
      faults: expect.arrayContaining([expect.objectContaining({ code, path })]),
    });
    expect(test.store.rows.campaigns.size).toBe(0);
  });

  it('is refused when a run ever had the name of one of its runs', async () => {
    const test = await lab();
    await test.run('c_run_3', 'plain');
    await test.complete('c_run_3/a');
    await expect(campaign(test, 'c')).rejects.toMatchObject({ code: 'duplicate_name' });
    await campaign(test, 'd');
    await expect(campaign(test, 'd')).rejects.toMatchObject({ code: 'duplicate_name' });
  });

  it('reserves the names of its coming runs', async () => {
    const test = await lab();
    await campaign(test, 'c');
    await expect(test.run('c_run_3', 'plain')).rejects.toMatchObject({ code: 'duplicate_name' });
    await expect(test.run('c_run_4', 'plain')).resolves.toBeUndefined();
  });

  it('fails when a run fails, after its other runs have stopped', async () => {
    const test = await lab();
    await campaign(test, 'c', { max_concurrent_protocol_runs: 2 });
    test.agents.onCancel = () => undefined;
    await test.fail('c_run_1/a');
    expect(test.campaignRow('c').state).toBe('running');
    await test.agents.end('c_run_2/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.campaignRow('c')).toMatchObject({
      state: 'failed',
      reason: { code: 'protocol_run_failed' },
      runsStarted: 2,
    });
    expect(test.runState('c_run_2')).toBe('cancelled');
  });

  it('continues when one of its runs is cancelled, and reports that at the end', async () => {
    const test = await lab();
    await campaign(test, 'c', { max_protocol_runs: 2 });
    await test.engine.work.cancelProtocolRun('c_run_1');
    await test.clock.settle();
    expect(test.running()).toEqual(['c_run_2/a']);
    await test.complete('c_run_2/a');
    expect(test.campaignRow('c')).toMatchObject({
      state: 'completed',
      runsCompleted: 1,
      reason: { code: 'protocol_runs_cancelled', message: '1 of 2 protocol runs were cancelled' },
    });
  });

  it('continues after failed runs if configured, and reports their number', async () => {
    const test = await lab();
    await campaign(test, 'c', { on_run_failure: 'continue' });
    await test.fail('c_run_1/a');
    expect(test.campaignRow('c')).toMatchObject({ state: 'running', runsFailed: 1 });
    await test.complete('c_run_2/a');
    await test.engine.work.cancelProtocolRun('c_run_3');
    await test.clock.settle();
    expect(test.campaignRow('c')).toMatchObject({
      state: 'completed',
      runsCompleted: 1,
      runsFailed: 1,
      reason: {
        code: 'protocol_runs_failed',
        message: '1 of 3 protocol runs failed and 1 were cancelled',
      },
    });
  });

  it('fails when too many runs failed, after its other runs have stopped', async () => {
    const test = await lab();
    await campaign(test, 'c', {
      on_run_failure: 'continue',
      max_failures: 1,
      max_protocol_runs: 9,
      max_concurrent_protocol_runs: 2,
    });
    await test.fail('c_run_1/a');
    await test.fail('c_run_3/a');
    expect(test.campaignRow('c')).toMatchObject({
      state: 'failed',
      reason: { code: 'too_many_failures', message: expect.stringContaining('c_run_3 failed') },
      runsFailed: 2,
    });
    expect(test.runState('c_run_2')).toBe('cancelled');
  });

  it('pauses after a failed run if configured, and continues when a person resumes it', async () => {
    const test = await lab();
    await campaign(test, 'c', { on_run_failure: 'pause', max_concurrent_protocol_runs: 2 });
    await test.fail('c_run_1/a', 'the cup fell');
    expect(test.campaignRow('c')).toMatchObject({
      state: 'paused',
      reason: { code: 'protocol_run_failed', message: expect.stringContaining('the cup fell') },
    });
    expect(test.running()).toEqual(['c_run_2/a']);
    await test.complete('c_run_2/a');
    expect(test.running()).toEqual([]);
    await test.engine.work.resumeCampaign('c', 'ada');
    await test.clock.settle();
    expect(test.running()).toEqual(['c_run_3/a']);
    expect(test.campaignRow('c')).toMatchObject({ state: 'running', reason: null });
    await test.complete('c_run_3/a');
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 2, runsFailed: 1 });
  });

  it('starts no more runs after a cancel, and is cancelled when all of them have stopped', async () => {
    const test = await lab();
    await campaign(test, 'c', { max_concurrent_protocol_runs: 2 });
    test.agents.onCancel = () => undefined;
    await test.engine.work.cancelCampaign('c');
    await test.clock.settle();
    await test.agents.end('c_run_1/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.campaignRow('c').state).toBe('running');
    await test.agents.end('c_run_2/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.campaignRow('c')).toMatchObject({ state: 'cancelled', runsStarted: 2 });
    expect(test.runState('c_run_1')).toBe('cancelled');
    await expect(test.engine.work.cancelCampaign('c')).rejects.toMatchObject({ code: 'wrong_state' });
  });

  it('starts no new run while one of them needs a person', async () => {
    const test = await lab();
    await campaign(test, 'c', { max_concurrent_protocol_runs: 2 });
    await test.agents.end('c_run_1/a', { kind: 'unknown', detail: 'power cut' });
    await test.complete('c_run_2/a');
    expect(test.campaignRow('c').state).toBe('needs_attention');
    expect(test.running()).toEqual([]);
    await test.engine.work.cancelProtocolRun('c_run_1');
    await test.clock.settle();
    expect(test.campaignRow('c').state).toBe('running');
    expect(test.running()).toEqual(['c_run_3/a']);
  });

  it('continues under the next engine', async () => {
    const test = await lab();
    await campaign(test, 'c');
    await test.complete('c_run_1/a');
    await test.engine.stop();
    await test.start();
    await test.agents.register('svc_computer');
    await test.clock.settle();
    await test.complete('c_run_2/a');
    await test.complete('c_run_3/a');
    expect(test.campaignRow('c').state).toBe('completed');
  });
});
