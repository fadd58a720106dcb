import { ServiceError } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine.js';
import { device, from, ints, open, same, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm', mixer: 'mixer' }, { cup: 'cup' });
  test.taskType('make', { output_parameters: ints('n') });
  test.taskType('eat', { input_parameters: ints('n') });
  test.protocol('chain', [
    { name: 'a', type: 'make' },
    { name: 'b', type: 'eat', needs: ['a'], parameters: { n: from('a.n') } },
    { name: 'c', needs: ['b'] },
  ]);
  test.protocol('plain', [{ name: 'a' }]);
  test.protocol('given', [{ name: 'a', type: 'eat', parameters: { n: open } }]);
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  await test.open();
  return test;
}

async function settled<T>(test: TestLab, act: Promise<T>): Promise<T> {
  const value = await act;
  await test.clock.settle();
  return value;
}

async function restart(test: TestLab): Promise<void> {
  await test.engine.stop();
  await test.start();
  await test.agents.register('svc_computer');
  await test.clock.settle();
}

describe('a failed protocol run that is resumed', () => {
  it('keeps completed tasks and their outputs, and repeats the others with rising attempt numbers', async () => {
    const test = await lab();
    await test.run('r', 'chain');
    await test.complete('r/a', { n: 7 });
    const kept = test.task('r/a');
    await test.fail('r/b');
    expect(test.tasks('r')).toEqual({ a: 'completed', b: 'failed', c: 'skipped' });
    await restart(test);
    const { id } = test.runRow('r');
    expect(await settled(test, test.engine.work.resumeProtocolRun('r', 'ada'))).toEqual({ id, name: 'r' });
    expect(test.running()).toEqual(['r/b']);
    expect(test.runRow('r')).toMatchObject({ state: 'running', ending: null, reason: null, endedAt: null });
    expect(test.task('r/a')).toEqual(kept);
    expect(test.task('r/b')).toMatchObject({ attempt: 2, inputParameters: { n: 7 }, reason: null });
    await test.complete('r/b');
    await test.complete('r/c');
    expect(test.runRow('r')).toMatchObject({ state: 'completed', reason: null });
    expect(test.task('r/c').attempt).toBe(1);
    expect(test.store.audit.at(-1)).toMatchObject({
      by: 'ada',
      action: 'protocol_run.resume',
      subject: 'protocol_run/r',
    });
  });

  it('loses nothing of its history', async () => {
    const test = await lab();
    await test.run('r', 'chain');
    await test.agents.complete('r/a', {
      output_parameters: { n: 'no number' },
      files: [{ name: 'log.txt', size: 1, sha256: 'x' }],
    });
    await test.clock.settle();
    expect(test.task('r/a').state).toBe('failed');
    await settled(test, test.engine.work.resumeProtocolRun('r', ''));
    const attempts = [...test.store.rows.attempts.values()];
    expect(attempts.map(({ number, state, reason }) => [number, state, reason?.code])).toEqual([
      [1, 'failed', 'invalid_output'],
      [2, 'running', undefined],
    ]);
    const { id } = test.task('r/a');
    const told = test.store.events.filter((event) => event.aggregate === `task_run/${id}`);
    expect(told.map((event) => event.type)).toEqual([
      'task_run.created',
      'task_run.queued',
      'task_run.running',
      'task_run.failed',
      'task_run.resumed',
      'task_run.created',
      'task_run.queued',
      'task_run.running',
    ]);
    expect(told[4]?.body).toMatchObject({
      state: 'failed',
      reason: { code: 'invalid_output' },
      output_parameters: { n: 'no number' },
      output_files: [{ name: 'log.txt' }],
    });
    expect(test.task('r/a')).toMatchObject({ outputParameters: null, outputFiles: [] });
  });

  it('gets the units of kept tasks by name, waits for them, and holds them again', async () => {
    const test = await lab();
    test.protocol('held', [
      { name: 'a', devices: { d: device('l.arm', true) } },
      { name: 'b', needs: ['a'], devices: { d: same('a.d', true) } },
      { name: 'c', needs: ['b'], devices: { d: same('b.d') } },
    ]);
    await test.run('r', 'held');
    await test.complete('r/a');
    await test.fail('r/b');
    expect(test.allocated()).toEqual([]);
    await test.engine.submissions.task({
      name: 't',
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
    });
    await settled(test, test.engine.work.resumeProtocolRun('r', ''));
    expect(test.running()).toEqual(['t']);
    expect(test.tasks('r')).toMatchObject({ a: 'completed', b: 'queued' });
    await test.complete('t');
    expect(test.running()).toEqual(['r/b']);
    await test.engine.submissions.task({
      name: 'u',
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
    });
    await test.complete('r/b');
    expect(test.running()).toEqual(['r/c']);
    await test.complete('r/c');
    expect(test.running()).toEqual(['u']);
    expect(test.runState('r')).toBe('completed');
  });

  it('continues with its original definitions', async () => {
    const test = await lab();
    await test.run('r', 'chain');
    await test.complete('r/a', { n: 1 });
    await test.fail('r/b');
    test.protocol('chain', [{ name: 'z' }]);
    await test.engine.definitionsChanged();
    await settled(test, test.engine.work.resumeProtocolRun('r', ''));
    await test.complete('r/b');
    await test.complete('r/c');
    expect(test.runState('r')).toBe('completed');
  });

  it('is refused while the laboratories cannot run it', async () => {
    const test = await lab();
    test.protocol('armed', [{ name: 'a', devices: { d: device('l.arm') } }]);
    await test.run('r', 'armed');
    await test.fail('r/a');
    test.definitions.loadedLabs.delete('l');
    await test.engine.definitionsChanged();
    await expect(test.engine.work.resumeProtocolRun('r', '')).rejects.toMatchObject({
      code: 'invalid',
      effect: 'none',
      faults: [expect.objectContaining({ code: 'unknown_lab' })],
    });
    expect(test.runState('r')).toBe('failed');
  });

  it('is not resumed twice by two requests at the same time, and nothing starts twice', async () => {
    const test = await lab();
    await test.run('r', 'plain');
    await test.fail('r/a');
    const both = await Promise.allSettled([
      test.engine.work.resumeProtocolRun('r', 'ada'),
      test.engine.work.resumeProtocolRun('r', 'bob'),
    ]);
    expect(both.map((each) => each.status)).toEqual(['fulfilled', 'rejected']);
    await test.clock.settle();
    expect(test.running()).toEqual(['r/a']);
    expect(test.task('r/a').attempt).toBe(2);
  });

  it('is atomic when the store fails', async () => {
    const test = await lab();
    await test.run('r', 'chain');
    await test.complete('r/a', { n: 1 });
    await test.fail('r/b');
    test.store.beforeCommit = () => {
      test.store.beforeCommit = undefined;
      throw new ServiceError('store_unavailable', 'away', { effect: 'maybe' });
    };
    await test.engine.work.resumeProtocolRun('r', '').catch(() => undefined);
    await test.live(2000);
    if (test.runState('r') === 'failed') await settled(test, test.engine.work.resumeProtocolRun('r', ''));
    expect(test.running()).toEqual(['r/b']);
    expect(test.agents.startedTwice).toEqual([]);
  });
});

describe('a resume of', () => {
  it.each<[string, (engine: Engine) => Promise<unknown>, string]>([
    ['a run that is not there', (engine) => engine.work.resumeProtocolRun('x', ''), 'not_found'],
    ['a campaign that is not there', (engine) => engine.work.resumeCampaign('x', ''), 'not_found'],
    ['an on-demand task of that name', (engine) => engine.work.resumeProtocolRun('t', ''), 'not_found'],
    ['a completed run', (engine) => engine.work.resumeProtocolRun('done', ''), 'wrong_state'],
    ['a completed campaign', (engine) => engine.work.resumeCampaign('over', ''), 'wrong_state'],
    [
      'a completed run by submission',
      (engine) => engine.submissions.protocolRun({ name: 'done', type: 'plain', resume: true }),
      'wrong_state',
    ],
    [
      'a running run by submission',
      (engine) => engine.submissions.protocolRun({ name: 'now', type: 'plain', resume: true }),
      'wrong_state',
    ],
  ])('%s is refused', async (_, resume, code) => {
    const test = await lab();
    await test.engine.submissions.task({
      name: 't',
      type: 'use',
      devices: { d: { lab_name: 'l', name: 'arm' } },
    });
    await test.clock.settle();
    await test.fail('t');
    await test.run('done', 'plain');
    await test.complete('done/a');
    await test.engine.submissions.campaign({ name: 'over', protocol: 'plain', max_protocol_runs: 1 });
    await test.clock.settle();
    await test.complete('over_run_1/a');
    await test.run('now', 'plain');
    const before = test.store.commits.length;
    await expect(resume(test.engine)).rejects.toMatchObject({ code, effect: 'none' });
    await test.clock.settle();
    expect(test.store.commits.length).toBe(before);
  });
});

describe('a cancelled protocol run that is resumed', () => {
  it('is resumed by a submission with equal or absent fields', async () => {
    const test = await lab();
    const submission = { name: 'r', type: 'given', parameters: { a: { n: 1 } }, meta: { x: [1, { y: 2 }] } };
    await settled(test, test.engine.submissions.protocolRun({ ...submission, resume: true }));
    expect(test.running()).toEqual(['r/a']);
    await settled(test, test.engine.work.cancelProtocolRun('r'));
    expect(test.runState('r')).toBe('cancelled');
    await expect(test.engine.submissions.protocolRun(submission)).rejects.toMatchObject({
      code: 'duplicate_name',
    });
    await settled(test, test.engine.submissions.protocolRun({ name: 'r', type: 'given', resume: true }));
    expect(test.task('r/a')).toMatchObject({
      state: 'running',
      inputParameters: { n: 1 },
      cancelRequestedAt: null,
    });
    await settled(test, test.engine.work.cancelProtocolRun('r'));
    await settled(test, test.engine.submissions.protocolRun({ ...submission, owner: '', resume: true }));
    expect(test.task('r/a').attempt).toBe(3);
  });

  it('is refused with every field that differs', async () => {
    const test = await lab();
    await test.run('r', 'given', { parameters: { a: { n: 1 } }, owner: 'ada' });
    await test.fail('r/a');
    await expect(
      test.engine.submissions.protocolRun({
        name: 'r',
        type: 'plain',
        owner: 'bob',
        priority: 0,
        parameters: { a: { n: 2 } },
        failure_policy: { a: { timeout: 5 } },
        resume: true,
      }),
    ).rejects.toMatchObject({
      code: 'invalid',
      faults: ['type', 'owner', 'parameters', 'failure_policy'].map((path) =>
        expect.objectContaining({ path, code: 'differs' }),
      ),
    });
  });

  it('ends a pause by a submission too', async () => {
    const test = await lab();
    await test.run('r', 'chain');
    await settled(test, test.engine.work.pauseProtocolRun('r', ''));
    await settled(test, test.engine.submissions.protocolRun({ name: 'r', type: 'chain', resume: true }));
    expect(test.runState('r')).toBe('running');
  });
});

describe('a campaign that is resumed', () => {
  async function campaign(test: TestLab, more = {}): Promise<void> {
    await settled(
      test,
      test.engine.submissions.campaign({
        name: 'c',
        protocol: 'given',
        max_protocol_runs: 4,
        protocol_run_parameters: [1, 2, 3, 4].map((n) => ({ a: { n } })),
        ...more,
      }),
    );
  }

  it('keeps completed runs, then repeats failed and cancelled ones with their parameters, then starts the rest', async () => {
    const test = await lab();
    await campaign(test, { max_concurrent_protocol_runs: 2 });
    await test.complete('c_run_1/a');
    await test.fail('c_run_2/a');
    expect(test.campaignRow('c')).toMatchObject({
      state: 'failed',
      runsStarted: 3,
      runsCompleted: 1,
      runsFailed: 1,
    });
    expect(test.runState('c_run_3')).toBe('cancelled');
    await restart(test);
    await settled(test, test.engine.work.resumeCampaign('c', 'ada'));
    expect(test.campaignRow('c')).toMatchObject({
      state: 'running',
      ending: null,
      runsCompleted: 1,
      runsFailed: 0,
    });
    expect(test.running()).toEqual(['c_run_2/a', 'c_run_3/a']);
    expect(test.task('c_run_2/a')).toMatchObject({ attempt: 2, inputParameters: { n: 2 } });
    await test.complete('c_run_3/a');
    expect(test.task('c_run_4/a')).toMatchObject({ attempt: 1, inputParameters: { n: 4 } });
    await test.complete('c_run_2/a');
    await test.complete('c_run_4/a');
    expect(test.campaignRow('c')).toMatchObject({
      state: 'completed',
      reason: null,
      runsCompleted: 4,
      runsStarted: 4,
    });
    expect([...test.store.rows.protocolRuns.values()].map((run) => run.name).sort()).toEqual([
      'c_run_1',
      'c_run_2',
      'c_run_3',
      'c_run_4',
    ]);
  });

  it('respects the limit of concurrent runs, resumed ones included', async () => {
    const test = await lab();
    await campaign(test, { on_run_failure: 'continue' });
    for (const n of [1, 2, 3]) await test.fail(`c_run_${n}/a`);
    await settled(test, test.engine.work.cancelCampaign('c'));
    await settled(test, test.engine.work.resumeCampaign('c', ''));
    for (const n of [1, 2, 3, 4]) {
      expect(test.running()).toEqual([`c_run_${n}/a`]);
      for (let later = n + 1; later <= 4; later += 1) expect(test.runState(`c_run_${later}`)).toBe('created');
      if (n === 2) await restart(test);
      await test.complete(`c_run_${n}/a`);
    }
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 4, runsFailed: 0 });
  });

  it('completes when all of its runs have completed', async () => {
    const test = await lab();
    test.agents.onCancel = () => undefined;
    await campaign(test, { max_protocol_runs: 1, protocol_run_parameters: [{ a: { n: 1 } }] });
    await settled(test, test.engine.work.cancelCampaign('c'));
    await test.complete('c_run_1/a');
    expect(test.campaignRow('c')).toMatchObject({ state: 'cancelled' });
    await settled(test, test.engine.work.resumeCampaign('c', ''));
    expect(test.campaignRow('c')).toMatchObject({ state: 'completed', runsCompleted: 1, reason: null });
    expect(test.runState('c_run_1')).toBe('completed');
  });

  it('allows the resume of one failed run while it is open, and counts the run once', async () => {
    const test = await lab();
    await campaign(test, {
      on_run_failure: 'pause',
      max_protocol_runs: 2,
      protocol_run_parameters: [{ a: { n: 1 } }, { a: { n: 2 } }],
    });
    await test.fail('c_run_1/a');
    expect(test.campaignRow('c')).toMatchObject({ state: 'paused', runsFailed: 1 });
    await settled(test, test.engine.work.resumeProtocolRun('c_run_1', 'ada'));
    expect(test.campaignRow('c')).toMatchObject({ state: 'paused', runsFailed: 0 });
    expect(test.runState('c_run_1')).toBe('paused');
    await settled(test, test.engine.work.resumeCampaign('c', 'ada'));
    expect(test.running()).toEqual(['c_run_1/a']);
    await test.complete('c_run_1/a');
    await test.complete('c_run_2/a');
    expect(test.campaignRow('c')).toMatchObject({
      state: 'completed',
      runsCompleted: 2,
      runsFailed: 0,
      reason: null,
    });
  });

  it('must be resumed itself after its end, instead of one of its runs', async () => {
    const test = await lab();
    await campaign(test);
    await test.fail('c_run_1/a');
    await expect(test.engine.work.resumeProtocolRun('c_run_1', '')).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'the protocol run "c_run_1" belongs to a campaign that is failed; resume the campaign "c"',
    });
  });

  it('is refused when another run has taken the name of a coming run', async () => {
    const test = await lab();
    await campaign(test);
    await test.fail('c_run_1/a');
    await test.run('c_run_3', 'plain');
    await expect(test.engine.work.resumeCampaign('c', '')).rejects.toMatchObject({
      code: 'duplicate_name',
      effect: 'none',
    });
    await test.complete('c_run_3/a');
    await expect(test.engine.work.resumeCampaign('c', '')).rejects.toMatchObject({ code: 'duplicate_name' });
    expect(test.campaignRow('c').state).toBe('failed');
  });

  it('is resumed by an equal submission', async () => {
    const test = await lab();
    await campaign(test);
    await test.fail('c_run_1/a');
    await expect(campaign(test, { resume: true, priority: 3, max_protocol_runs: 5 })).rejects.toMatchObject({
      code: 'invalid',
      faults: [
        expect.objectContaining({ path: 'priority', code: 'differs' }),
        expect.objectContaining({ path: 'max_protocol_runs', code: 'differs' }),
      ],
    });
    await campaign(test, { resume: true });
    expect(test.running()).toEqual(['c_run_1/a']);
  });
});

describe('unfinished work after a restart', () => {
  it('continues without a resume', async () => {
    const test = await lab();
    await test.run('r', 'chain');
    await restart(test);
    await test.complete('r/a', { n: 1 });
    await restart(test);
    await test.complete('r/b');
    await test.complete('r/c');
    expect(test.runState('r')).toBe('completed');
  });
});
