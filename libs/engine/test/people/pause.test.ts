import { describe, expect, it } from 'vitest';
import { device, TestLab, wholeQueue } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm', mixer: 'mixer' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('pair', [
    { name: 'a', devices: { d: device('l.arm', true) } },
    { name: 'b', needs: ['a'], devices: { d: { kind: 'reference', task: 'a', slot: 'd', hold: false } } },
  ]);
  test.protocol('plain', [{ name: 'a' }, { name: 'b', needs: ['a'] }]);
  await test.open();
  return test;
}

async function settled(test: TestLab, act: Promise<unknown>): Promise<void> {
  await act;
  await test.clock.settle();
}

async function restart(test: TestLab): Promise<void> {
  await test.engine.stop();
  await test.start();
  await test.agents.register('svc_computer');
  await test.clock.settle();
}

describe('a paused protocol run', () => {
  it('lets running tasks end, keeps its units, and starts nothing until it is resumed', async () => {
    const test = await lab();
    await test.run('r', 'pair');
    await settled(test, test.engine.work.pauseProtocolRun('r', 'ada'));
    expect(test.runRow('r')).toMatchObject({ state: 'paused', reason: { code: 'paused' } });
    expect(test.running()).toEqual(['r/a']);
    await test.complete('r/a');
    expect(test.tasks('r')).toEqual({ a: 'completed', b: 'queued' });
    expect(test.allocated()).toEqual(['l.arm']);
    await restart(test);
    expect(test.running()).toEqual([]);
    expect(test.runState('r')).toBe('paused');
    await settled(test, test.engine.work.resumeProtocolRun('r', 'ada'));
    expect(test.running()).toEqual(['r/b']);
    await test.complete('r/b');
    expect(test.runRow('r')).toMatchObject({ state: 'completed', reason: null });
    expect(test.store.audit.map(({ by, action, subject }) => [by, action, subject])).toEqual([
      ['ada', 'protocol_run.pause', 'protocol_run/r'],
      ['ada', 'protocol_run.resume', 'protocol_run/r'],
    ]);
  });

  it('that never began is created again when it is resumed', async () => {
    const test = await lab();
    await test.run('r', 'pair');
    await test.run('s', 'pair');
    await settled(test, test.engine.work.pauseProtocolRun('s', 'ada'));
    expect(test.runState('s')).toBe('paused');
    await settled(test, test.engine.work.resumeProtocolRun('s', 'ada'));
    expect(test.runState('s')).toBe('created');
  });

  it('completes when its last task does', async () => {
    const test = await lab();
    await test.run('r', 'plain');
    await test.complete('r/a');
    await settled(test, test.engine.work.pauseProtocolRun('r', ''));
    await test.complete('r/b');
    expect(test.runState('r')).toBe('completed');
  });

  it('shows that it needs a person, and returns to paused after the decision', async () => {
    const test = await lab();
    test.protocol('wide', [{ name: 'a' }, { name: 'b' }, { name: 'c', needs: ['a', 'b'] }]);
    await test.run('r', 'wide');
    await settled(test, test.engine.work.pauseProtocolRun('r', ''));
    await test.agents.end('r/a', { kind: 'unknown', detail: 'power cut' });
    await test.clock.settle();
    expect(test.runState('r')).toBe('needs_attention');
    await expect(test.engine.work.pauseProtocolRun('r', '')).rejects.toMatchObject({ code: 'wrong_state' });
    await settled(test, test.engine.work.resumeProtocolRun('r', ''));
    expect(test.runState('r')).toBe('needs_attention');
  });

  it('is cancelled like any other run and is then not paused', async () => {
    const test = await lab();
    test.agents.onCancel = () => undefined;
    await test.run('r', 'pair');
    await settled(test, test.engine.work.pauseProtocolRun('r', ''));
    await settled(test, test.engine.work.cancelProtocolRun('r'));
    expect(test.runRow('r')).toMatchObject({ state: 'running', pausedAt: null });
    await expect(test.engine.work.pauseProtocolRun('r', '')).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(test.engine.work.resumeProtocolRun('r', '')).rejects.toMatchObject({ code: 'wrong_state' });
    await test.agents.end('r/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.runState('r')).toBe('cancelled');
    expect(test.allocated()).toEqual([]);
  });

  it('cannot be paused twice, resumed while it runs, or found when it does not exist', async () => {
    const test = await lab();
    await test.run('r', 'pair');
    await expect(test.engine.work.resumeProtocolRun('r', '')).rejects.toMatchObject({
      code: 'wrong_state',
      effect: 'none',
      message: 'the protocol run "r" is running and not paused; there is nothing to resume',
    });
    await test.engine.work.pauseProtocolRun('r', '');
    await expect(test.engine.work.pauseProtocolRun('r', '')).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'the protocol run "r" is paused already',
    });
    await expect(test.engine.work.pauseProtocolRun('x', '')).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.engine.work.resumeProtocolRun('x', '')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a paused campaign', () => {
  it('starts no more tasks of its runs and no more runs until it is resumed', async () => {
    const test = await lab();
    await test.engine.submissions.campaign({
      name: 'c',
      protocol: 'plain',
      max_protocol_runs: 3,
      max_concurrent_protocol_runs: 2,
    });
    await settled(test, test.engine.work.pauseCampaign('c', 'ada'));
    expect(test.campaignRow('c')).toMatchObject({ state: 'paused', reason: { code: 'paused' } });
    expect(test.runRow('c_run_1')).toMatchObject({ state: 'paused', reason: { code: 'campaign_paused' } });
    await test.complete('c_run_1/a');
    expect(test.running()).toEqual(['c_run_2/a']);
    await restart(test);
    expect(test.running()).toEqual(['c_run_2/a']);
    await expect(test.engine.work.pauseCampaign('c', '')).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(test.engine.work.pauseProtocolRun('c_run_1', '')).rejects.toMatchObject({
      code: 'wrong_state',
    });
    await expect(test.engine.work.resumeProtocolRun('c_run_1', '')).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('resume the campaign'),
    });
    await settled(test, test.engine.work.resumeCampaign('c', 'ada'));
    expect(test.running()).toEqual(['c_run_1/b', 'c_run_2/a']);
    expect(test.runRow('c_run_1')).toMatchObject({ state: 'running', reason: null });
    await expect(test.engine.work.resumeCampaign('c', '')).rejects.toMatchObject({ code: 'wrong_state' });
    for (const task of ['c_run_1/b', 'c_run_2/a', 'c_run_2/b', 'c_run_3/a', 'c_run_3/b'])
      await test.complete(task);
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 3, reason: null });
    expect(test.store.audit.map(({ action, subject }) => [action, subject])).toEqual([
      ['campaign.pause', 'campaign/c'],
      ['campaign.resume', 'campaign/c'],
    ]);
  });

  it('leaves a run paused that was paused separately', async () => {
    const test = await lab();
    await test.engine.submissions.campaign({ name: 'c', protocol: 'plain', max_protocol_runs: 1 });
    await settled(test, test.engine.work.pauseProtocolRun('c_run_1', ''));
    expect(test.campaignRow('c').state).toBe('running');
    await settled(test, test.engine.work.pauseCampaign('c', ''));
    await settled(test, test.engine.work.resumeCampaign('c', ''));
    expect(test.runState('c_run_1')).toBe('paused');
  });

  it('is cancelled like any other campaign', async () => {
    const test = await lab();
    await test.engine.submissions.campaign({ name: 'c', protocol: 'plain', max_protocol_runs: 3 });
    await settled(test, test.engine.work.pauseCampaign('c', ''));
    await settled(test, test.engine.work.cancelCampaign('c'));
    expect(test.campaignRow('c')).toMatchObject({ state: 'cancelled', pausedAt: null, runsStarted: 1 });
    expect(test.runState('c_run_1')).toBe('cancelled');
  });
});

describe('a paused queue', () => {
  it('starts nothing until it is resumed, also after restarts', async () => {
    const test = await lab();
    await test.run('r', 'plain');
    expect(test.engine.views.queue(wholeQueue).queue).toEqual({
      paused: false,
      paused_by: null,
      paused_at: null,
      waiting: 1,
      drained_by: null,
      drained_at: null,
      queued: 0,
      running: 1,
    });
    const paused = await test.engine.queuePause.pause('ada');
    expect(paused).toMatchObject({ paused: true, paused_by: 'ada', paused_at: expect.any(String) });
    expect(await test.engine.queuePause.pause('bob')).toEqual(paused);
    await test.complete('r/a');
    await test.engine.submissions.task({
      name: 't',
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
    });
    await restart(test);
    await test.live(2000);
    expect(test.running()).toEqual([]);
    expect(test.engine.views.queue(wholeQueue).queue).toMatchObject({
      paused: true,
      paused_by: 'ada',
      queued: 2,
      running: 0,
    });
    expect(await test.engine.queuePause.resume('bob')).toMatchObject({ paused: false });
    expect(await test.engine.queuePause.resume('bob')).toMatchObject({ paused: false });
    await test.clock.settle();
    expect(test.running()).toEqual(['r/b', 't']);
    expect(test.store.audit.map(({ by, action }) => [by, action])).toEqual([
      ['ada', 'queue.pause'],
      ['bob', 'queue.resume'],
    ]);
  });

  it('does not stop the deadline of an on-demand task', async () => {
    const test = await lab();
    await test.engine.queuePause.pause('');
    await test.engine.submissions.task({
      name: 't',
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
      allocation_timeout: 5,
    });
    await test.live(4000);
    expect(test.task('t').state).toBe('queued');
    await restart(test);
    await test.live(2000);
    expect(test.task('t')).toMatchObject({ state: 'failed', reason: { code: 'allocation_timeout' } });
  });
});
