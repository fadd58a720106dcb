import { ServiceError, type TaskFailurePolicy } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, from, ints, literal, same, TestLab } from '../test-lab.js';

/** A laboratory with one device, and a protocol of one task on it with the policy. */
async function lab(policy: TaskFailurePolicy, retrySafe = false): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  test.taskType('use', {
    devices: { d: { type: 'arm' } },
    ...(retrySafe ? { retry_safe: true } : {}),
  });
  test.protocol('p', [{ name: 'a', type: 'use', devices: { d: device('l.arm') }, policy }]);
  await test.open();
  return test;
}

const attempts = (test: TestLab) =>
  [...test.store.rows.attempts.values()].map(({ number, state, reason }) => [number, state, reason?.code]);
const states = (test: TestLab) => [...test.store.rows.attempts.values()].map((row) => row.state);

describe('a retry', () => {
  const policy = { retry: { attempts: 3, backoff: 10 } };

  it('is a new attempt after the pause, which doubles', async () => {
    const test = await lab(policy);
    await test.run('r', 'p');
    await test.fail('r/a', 'first', 0);
    expect(test.task('r/a')).toMatchObject({ state: 'queued', failures: 1, reason: { message: 'first' } });
    expect(test.task('r/a').retryAt).toBe(test.clock.now() + 10_000);
    expect(test.allocated()).toEqual([]);
    await test.live(9_000);
    expect(test.running()).toEqual([]);
    await test.live(1_000);
    expect(test.task('r/a')).toMatchObject({ state: 'running', attempt: 2, retryAt: null, reason: null });
    await test.fail('r/a', 'second', 0);
    await test.live(19_000);
    expect(test.running()).toEqual([]);
    await test.live(1_000);
    expect(test.running()).toEqual(['r/a']);
    await test.complete('r/a');
    expect(test.runState('r')).toBe('completed');
    expect(attempts(test)).toEqual([
      [1, 'failed', 'task_error'],
      [2, 'failed', 'task_error'],
      [3, 'completed', undefined],
    ]);
    expect(test.agents.startedTwice).toEqual([]);
  });

  it('ends with the last attempt, and the task has failed', async () => {
    const test = await lab({ retry: { attempts: 2, backoff: 0 } });
    await test.run('r', 'p');
    await test.fail('r/a', 'first', 0);
    await test.fail('r/a', 'second', 0);
    expect(test.task('r/a')).toMatchObject({ state: 'failed', failures: 2, reason: { message: 'second' } });
    expect(test.runState('r')).toBe('failed');
  });

  it.each([
    ['an effect was made', 1],
    ['it is not known what was done', undefined],
  ])('is refused where %s', async (_what, effects) => {
    const test = await lab(policy);
    await test.run('r', 'p');
    await test.fail('r/a', 'it broke', effects);
    expect(test.task('r/a').state).toBe('failed');
  });

  it.each([1, undefined])(
    'of a retry_safe task type needs no proof that nothing was done (%s)',
    async (effects) => {
      const test = await lab(policy, true);
      await test.run('r', 'p');
      await test.fail('r/a', 'it broke', effects);
      expect(test.task('r/a').state).toBe('queued');
    },
  );

  it('never follows an unknown outcome', async () => {
    const test = await lab(policy, true);
    await test.run('r', 'p');
    await test.agents.end('r/a', { kind: 'unknown', detail: 'gone' });
    await test.live(60_000);
    expect(test.task('r/a').state).toBe('needs_attention');
    expect(states(test)).toEqual(['needs_attention']);
  });

  it('never follows a cancel', async () => {
    const test = await lab(policy, true);
    await test.run('r', 'p');
    test.agents.onCancel = () => undefined;
    await test.engine.work.cancelTask('a', 'r');
    await test.live(1000);
    await test.fail('r/a', 'aborted', 0);
    expect(test.task('r/a').state).toBe('failed');
    expect(test.runState('r')).toBe('failed');
  });

  it('is cancelled at once while it waits', async () => {
    const test = await lab(policy);
    await test.run('r', 'p');
    await test.fail('r/a', 'first', 0);
    await test.engine.work.cancelProtocolRun('r');
    expect(test.runState('r')).toBe('cancelled');
    await test.live(20_000);
    expect(states(test)).toEqual(['failed']);
  });

  it.each(['pause', 'stop'])('waits during a %s until that ends', async (what) => {
    const test = await lab(policy);
    await test.run('r', 'p');
    await test.fail('r/a', 'first', 0);
    const { engine } = test;
    if (what === 'pause') await engine.queuePause.pause('ada');
    else await engine.emergencyStops.engage({ id: 's', scope: 'all', by: 'ada', reason: '' });
    await test.live(30_000);
    expect(test.running()).toEqual([]);
    if (what === 'pause') await engine.queuePause.resume('ada');
    else await engine.emergencyStops.release('s', 'ada');
    await test.clock.settle();
    expect(test.running()).toEqual(['r/a']);
  });

  it('keeps its time when another engine takes over', async () => {
    const test = await lab(policy);
    await test.run('r', 'p');
    await test.fail('r/a', 'first', 0);
    await test.start();
    await test.agents.register('pc');
    await test.live(9_000);
    expect(test.running()).toEqual([]);
    await test.live(1_000);
    expect(test.running()).toEqual(['r/a']);
  });

  it('follows outputs that do not match the task type', async () => {
    const test = new TestLab();
    test.lab('l', {});
    test.taskType('count', { output_parameters: ints('n') });
    test.protocol('p', [{ name: 'a', type: 'count', policy: { retry: { attempts: 2, backoff: 0 } } }]);
    await test.open();
    await test.run('r', 'p');
    const none = { effects: 0, last_confirmed: null, in_doubt: null };
    const ended = { kind: 'completed' as const, output_resources: {}, files: [] };
    await test.agents.end('r/a', { ...ended, output_parameters: { n: 'many' } }, none);
    await test.clock.settle();
    expect(attempts(test)).toEqual([
      [1, 'failed', 'invalid_output'],
      [2, 'running', undefined],
    ]);
    await test.complete('r/a', { n: 3 });
    expect(test.task('r/a')).toMatchObject({ state: 'completed', outputParameters: { n: 3 } });
  });

  it('keeps the units that the run holds, and frees those that the attempt had claimed', async () => {
    const test = new TestLab();
    test.lab('l', { arm: 'arm', scale: 'scale' });
    test.protocol('p', [
      { name: 'a', devices: { d: device('l.arm', true) } },
      {
        name: 'b',
        needs: ['a'],
        devices: { d: same('a.d'), s: device('l.scale') },
        policy: { retry: { attempts: 2, backoff: 5 } },
      },
    ]);
    await test.open();
    await test.run('r', 'p');
    await test.complete('r/a');
    expect(test.allocated()).toEqual(['l.arm', 'l.scale']);
    await test.fail('r/b', 'it broke', 0);
    expect(test.allocated()).toEqual(['l.arm']);
    await test.live(5_000);
    await test.complete('r/b');
    expect(test.runState('r')).toBe('completed');
    expect(test.allocated()).toEqual([]);
    expect(test.agents.staleFences).toEqual([]);
  });

  it('of an on-demand task restarts its allocation timeout', async () => {
    const test = await lab({});
    const devices = { d: { lab_name: 'l', name: 'arm' } };
    await test.engine.submissions.task({
      name: 'mine',
      type: 'use',
      devices,
      allocation_timeout: 20,
      retry: { attempts: 2, backoff: 5 },
    });
    await test.live(60_000);
    await test.fail('mine', 'it broke', 0);
    expect(test.task('mine').state).toBe('queued');
    await test.live(5_000);
    expect(test.running()).toEqual(['mine']);
  });
});

describe('a timeout', () => {
  it('stops the attempt, which then has failed', async () => {
    const test = await lab({ timeout: 30 });
    await test.run('r', 'p');
    await test.live(29_000);
    expect(test.agents.stops).toEqual([]);
    await test.live(2_000);
    expect(test.agents.stops).toEqual([
      { label: 'r/a', reason: 'it ran for longer than its timeout of 30 s' },
    ]);
    expect(test.task('r/a')).toMatchObject({ state: 'failed', reason: { code: 'timeout' } });
    expect(attempts(test)).toEqual([[1, 'failed', 'timeout']]);
    expect(test.runState('r')).toBe('failed');
    expect(test.allocated()).toEqual([]);
  });

  it('keeps the device until the attempt has stopped', async () => {
    const test = await lab({ timeout: 5 });
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.live(20_000);
    expect(test.task('r/a').state).toBe('running');
    expect(states(test)).toEqual(['cancelling']);
    expect(test.allocated()).toEqual(['l.arm']);
    await test.agents.end('r/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({ state: 'failed', reason: { code: 'timeout' } });
    expect(test.allocated()).toEqual([]);
  });

  it('is no failure if the task completes nevertheless', async () => {
    const test = await lab({ timeout: 5 });
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.live(10_000);
    await test.complete('r/a');
    expect(test.runState('r')).toBe('completed');
    expect(attempts(test)).toEqual([[1, 'completed', undefined]]);
  });

  it('of an attempt with an uncertain end requires a decision', async () => {
    const test = await lab({ timeout: 5, retry: { attempts: 3 } }, true);
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.live(10_000);
    await test.agents.end('r/a', { kind: 'unknown', detail: 'the device did not stop' });
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({ state: 'needs_attention', reason: { code: 'outcome_unknown' } });
    expect(test.allocated()).toEqual(['l.arm']);
  });

  it('is retried where allowed, with the whole timeout for the next attempt', async () => {
    const test = await lab({ timeout: 5, retry: { attempts: 2, backoff: 1 } }, true);
    await test.run('r', 'p');
    await test.live(7_000);
    expect(attempts(test)).toEqual([
      [1, 'failed', 'timeout'],
      [2, 'running', undefined],
    ]);
    await test.live(3_000);
    expect(states(test)).toEqual(['failed', 'running']);
    await test.live(3_000);
    expect(test.task('r/a')).toMatchObject({ state: 'failed', failures: 2 });
  });

  it('survives a restart of the engine', async () => {
    const test = await lab({ timeout: 30 });
    await test.run('r', 'p');
    await test.live(10_000);
    await test.start();
    await test.agents.register('pc');
    await test.live(19_000);
    expect(test.running()).toEqual(['r/a']);
    await test.live(3_000);
    expect(test.task('r/a')).toMatchObject({ state: 'failed', reason: { code: 'timeout' } });
  });

  it('during an absence of the agent stops the attempt when the agent is back', async () => {
    const test = await lab({ timeout: 5 });
    await test.run('r', 'p');
    await test.clock.advance(20_000);
    expect(test.agents.stops).toEqual([]);
    await test.live(2_000);
    expect(test.task('r/a')).toMatchObject({ state: 'failed', reason: { code: 'timeout' } });
  });

  it('has no effect after a cancel', async () => {
    const test = await lab({ timeout: 5 });
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.live(10_000);
    await test.engine.work.cancelProtocolRun('r');
    await test.agents.end('r/a', { kind: 'cancelled' });
    await test.clock.settle();
    expect(test.runState('r')).toBe('cancelled');
    expect(test.task('r/a').reason?.code).toBe('cancelled_by_request');
  });

  it('applies to an on-demand task', async () => {
    const test = await lab({});
    const devices = { d: { lab_name: 'l', name: 'arm' } };
    await test.engine.submissions.task({ name: 'mine', type: 'use', devices, timeout: 5 });
    await test.live(7_000);
    expect(test.task('mine')).toMatchObject({ state: 'failed', reason: { code: 'timeout' } });
  });
});

describe('on_failure', () => {
  /** Dependencies: b and c after a, d after b, e after c. */
  async function diamond(policy: TaskFailurePolicy): Promise<TestLab> {
    const test = new TestLab();
    test.lab('l', { arm: 'arm' });
    test.taskType('count', { input_parameters: ints('n'), output_parameters: ints('n') });
    test.protocol('p', [
      { name: 'a' },
      {
        name: 'b',
        type: 'count',
        needs: ['a'],
        parameters: { n: literal(1) },
        policy,
        devices: {},
      },
      { name: 'c', needs: ['a'] },
      { name: 'd', type: 'count', needs: ['b'], parameters: { n: from('b.n') } },
      { name: 'e', needs: ['c'] },
      { name: 'f', needs: ['d', 'e'] },
    ]);
    await test.open();
    await test.run('r', 'p');
    await test.complete('r/a');
    return test;
  }

  it('fail_run fails the run and is the default', async () => {
    for (const policy of [{ on_failure: 'fail_run' as const }, {}]) {
      const test = await diamond(policy);
      await test.fail('r/b');
      await test.clock.settle();
      expect(test.runState('r')).toBe('failed');
      expect(test.tasks('r')).toMatchObject({ b: 'failed', d: 'skipped', e: 'skipped', f: 'skipped' });
    }
  });

  it('skip continues with independent tasks, and the completed run names the failed one', async () => {
    const test = await diamond({ on_failure: 'skip' });
    await test.fail('r/b');
    expect(test.tasks('r')).toMatchObject({ b: 'failed', c: 'running', d: 'skipped', f: 'skipped' });
    expect(test.task('r/d').reason).toMatchObject({ code: 'dependency_failed' });
    await test.complete('r/c');
    await test.complete('r/e');
    expect(test.runRow('r')).toMatchObject({
      state: 'completed',
      reason: {
        code: 'tasks_failed',
        message: 'continued without failed tasks: b; skipped because of them: d, f',
      },
    });
    expect(test.allocated()).toEqual([]);
  });

  it('skip of the last task completes the run', async () => {
    const test = await lab({ on_failure: 'skip' });
    await test.run('r', 'p');
    await test.fail('r/a');
    expect(test.runRow('r')).toMatchObject({ state: 'completed', reason: { code: 'tasks_failed' } });
    expect(test.allocated()).toEqual([]);
  });

  it('skip does not save a run whose task was cancelled', async () => {
    const test = await diamond({ on_failure: 'skip' });
    await test.engine.work.cancelTask('b', 'r');
    await test.live(1000);
    expect(test.runState('r')).toBe('failed');
  });

  it('ask leaves the task with its units to a person', async () => {
    const test = await lab({ on_failure: 'ask' });
    await test.run('r', 'p');
    await test.fail('r/a', 'no tip');
    expect(test.task('r/a')).toMatchObject({ state: 'needs_attention', reason: { message: 'no tip' } });
    expect(states(test)).toEqual(['failed']);
    expect(test.runRow('r')).toMatchObject({ state: 'needs_attention', reason: { message: 'no tip' } });
    expect(test.allocated()).toEqual(['l.arm']);
    await test.live(20_000);
    expect(test.task('r/a').state).toBe('needs_attention');
    await test.engine.work.cancelProtocolRun('r');
    expect(test.runState('r')).toBe('cancelled');
    expect(test.allocated()).toEqual([]);
  });

  it('ask comes after the last retry', async () => {
    const test = await lab({ on_failure: 'ask', retry: { attempts: 2, backoff: 0 } });
    await test.run('r', 'p');
    await test.fail('r/a', 'first', 0);
    expect(test.task('r/a').state).toBe('running');
    await test.fail('r/a', 'second', 0);
    expect(test.task('r/a')).toMatchObject({ state: 'needs_attention', failures: 2 });
  });

  it('ask applies to a task that its agent refuses', async () => {
    const test = await lab({ on_failure: 'ask' });
    test.agents.onCall = (kind) => {
      if (kind === 'start') throw new ServiceError('invalid', 'there is no such module');
      return 'delivered';
    };
    await test.run('r', 'p');
    await test.live(60_000);
    expect(test.task('r/a')).toMatchObject({
      state: 'needs_attention',
      reason: { code: 'dispatch_refused' },
    });
    expect(test.allocated()).toEqual([]);
  });

  it('asks nobody about a run that is ending', async () => {
    const test = await lab({ on_failure: 'ask' });
    test.agents.onCancel = () => undefined;
    await test.run('r', 'p');
    await test.engine.work.cancelProtocolRun('r');
    await test.live(1000);
    await test.fail('r/a', 'aborted');
    expect(test.runState('r')).toBe('cancelled');
  });
});

describe('the policy of a submission', () => {
  it('overrides that of the protocol, key by key', async () => {
    const test = await lab({ timeout: 5, on_failure: 'ask', retry: { attempts: 2, backoff: 0 } });
    await test.run('r', 'p', {
      failure_policy: { a: { on_failure: 'fail_run', timeout: 60 } },
    });
    await test.live(10_000);
    expect(test.running()).toEqual(['r/a']);
    await test.fail('r/a', 'first', 0);
    expect(test.running()).toEqual(['r/a']);
    await test.fail('r/a', 'second', 0);
    expect(test.runState('r')).toBe('failed');
  });

  it('is that of every run of a campaign', async () => {
    const test = await lab({});
    await test.engine.submissions.campaign({
      name: 'c',
      protocol: 'p',
      max_protocol_runs: 1,
      failure_policy: { a: { on_failure: 'skip' } },
    });
    await test.clock.settle();
    await test.fail('c_run_1/a');
    await test.clock.settle();
    expect(test.runState('c_run_1')).toBe('completed');
    expect(test.campaignRow('c').state).toBe('completed');
  });

  it('names only tasks of the protocol', async () => {
    const test = await lab({});
    const failure_policy = { b: { timeout: 5 } };
    const faults = [{ path: 'failure_policy.b', code: 'unknown_task', hint: 'use one of a' }];
    await expect(test.run('r', 'p', { failure_policy })).rejects.toMatchObject({ code: 'invalid', faults });
    await expect(
      test.engine.submissions.campaign({ name: 'c', protocol: 'p', max_protocol_runs: 1, failure_policy }),
    ).rejects.toMatchObject({ code: 'invalid', faults });
  });
});

describe('a task that a person may hold at a breakpoint', () => {
  it('has no timeout, as its agent reports', async () => {
    const test = await lab({ timeout: 30 });
    await test.run('r', 'p');
    const [running] = test.agents.running();
    const attempt = { attempt_id: running?.attempt ?? '', status: 'running' as const, debugged: true };
    test.engine.agents.heartbeat('pc', { inc: 1, devices: [], attempts: [attempt] });
    await test.clock.settle();
    expect([...test.store.rows.attempts.values()]).toMatchObject([{ deadlineAt: null }]);
    await test.live(3_600_000);
    expect(test.running()).toEqual(['r/a']);
    expect(test.agents.stops).toEqual([]);
  });
});
