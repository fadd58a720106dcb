import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  test.protocol('p', [
    { name: 'a', devices: { d: device('l.arm') } },
    { name: 'b', needs: ['a'], devices: { d: device('l.arm') } },
  ]);
  await test.open();
  return test;
}

const attempts = (test: TestLab) => [...test.store.rows.attempts.values()].map((row) => row.state);

describe('a start', () => {
  it('that the agent refuses is tried again later as a new attempt', async () => {
    const test = await lab();
    let refusals = 2;
    test.agents.onCall = (kind) => (kind === 'start' && (refusals -= 1) >= 0 ? 'refused' : 'delivered');
    await test.run('r', 'p');
    expect(test.task('r/a')).toMatchObject({ state: 'queued', attempt: 1 });
    expect(test.allocated()).toEqual([]);
    await test.live(3000);
    expect(test.task('r/a')).toMatchObject({ state: 'running', attempt: 3 });
    expect(attempts(test)).toEqual(['never_ran', 'never_ran', 'running']);
    expect(test.agents.startedTwice).toEqual([]);
  });

  it('is not questioned while it is being sent', async () => {
    const test = await lab();
    const calls: string[] = [];
    test.agents.onCall = (kind) => {
      calls.push(kind);
      return 'delivered';
    };
    await test.run('r', 'p');
    await test.live(3000);
    expect(calls).toEqual(['start']);
  });

  it('is forgotten by the engine after its end', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const [id = ''] = test.store.rows.attempts.keys();
    expect(test.engine.views.attempt(id)).toMatchObject({ state: 'running', computer: 'pc', inc: 1 });
    await test.complete('r/a');
    expect(test.engine.views.attempt(id)).toBeUndefined();
  });

  it('that is refused repeatedly is retried at growing intervals', async () => {
    const test = await lab();
    test.agents.onCall = (kind) => (kind === 'start' ? 'refused' : 'delivered');
    await test.run('r', 'p');
    await test.live(60_000);
    expect(test.task('r/a').attempt).toBeLessThan(14);
  });

  it('without an answer is questioned and certainly ended before another attempt', async () => {
    const test = await lab();
    let lost = 1;
    test.agents.onCall = (kind) => (kind === 'start' && (lost -= 1) >= 0 ? 'lost' : 'delivered');
    await test.run('r', 'p');
    await test.live(2000);
    expect(attempts(test)).toEqual(['never_ran', 'running']);
    expect(test.agents.executions.size).toBe(1);
    expect(test.agents.startedTwice).toEqual([]);
  });

  it('whose answer was lost is adopted, not repeated', async () => {
    const test = await lab();
    test.agents.onCall = (kind) => (kind === 'start' ? 'reply_lost' : 'delivered');
    await test.run('r', 'p');
    await test.live(2000);
    expect(attempts(test)).toEqual(['running']);
    expect(test.agents.executions.size).toBe(1);
  });

  it('without an answer stays in doubt, with its device, while the agent cannot be asked', async () => {
    const test = await lab();
    test.agents.onCall = (kind) => (kind === 'assign' ? 'delivered' : 'lost');
    await test.run('r', 'p');
    await test.live(30_000);
    expect(attempts(test)).toEqual(['uncertain']);
    expect(test.task('r/a').state).toBe('running');
    expect(test.allocated()).toEqual(['l.arm']);
    test.agents.onCall = () => 'delivered';
    await test.live(12_000);
    expect(attempts(test)).toEqual(['never_ran', 'running']);
  });

  it('is not sent to an agent that has not been heard for three seconds', async () => {
    const test = await lab();
    await test.clock.advance(3000);
    await test.run('r', 'p');
    expect(test.task('r/a').state).toBe('queued');
    test.agents.heartbeat('pc');
    await test.clock.settle();
    expect(test.task('r/a').state).toBe('running');
  });

  it('is not sent to an agent that announced its stop, but to the next one', async () => {
    const test = await lab();
    test.agents.leave('pc');
    await test.run('r', 'p');
    expect(test.task('r/a').state).toBe('queued');
    await test.agents.boot('pc');
    await test.clock.settle();
    expect(test.running()).toEqual(['r/a']);
  });

  it('that was cancelled while being sent is stopped once it is known to have begun', async () => {
    const test = await lab();
    test.agents.onCall = (kind) => (kind === 'start' ? 'reply_lost' : 'delivered');
    const run = test.engine.submissions.protocolRun({ name: 'r', type: 'p' });
    await run;
    await test.engine.work.cancelProtocolRun('r');
    await test.live(3000);
    expect(test.runState('r')).toBe('cancelled');
    expect(test.allocated()).toEqual([]);
    expect(test.agents.executions.size).toBe(1);
  });
});

describe('an agent that comes back', () => {
  it('in the same session keeps its incarnation; a new session gets the next', async () => {
    const test = await lab();
    const hello = { computer: 'x', version: '1', attempts: [], devices: [] };
    expect((await test.engine.agents.register({ ...hello, session: 's1' })).inc).toBe(1);
    expect((await test.engine.agents.register({ ...hello, session: 's1' })).inc).toBe(1);
    const sessions = ['s1', 's2'];
    expect((await test.engine.agents.register({ ...hello, sessions, session: 's2' })).inc).toBe(2);
    expect((await test.engine.agents.register({ ...hello, sessions, session: 's1' })).inc).toBe(3);
  });

  it('is informed of the devices that it must run', async () => {
    const test = await lab();
    test.agents.crash('pc');
    const reply = await test.engine.agents.register({
      computer: 'pc',
      session: 'other',
      sessions: ['session-2'],
      version: '1',
      attempts: [],
      devices: [],
    });
    expect(reply.devices).toMatchObject([{ lab: 'l', name: 'arm', type: 'arm' }]);
    expect(reply.epoch).toBe(1);
  });

  it('with a task that began and did not end requires a decision, and the device stays allocated', async () => {
    const test = await lab();
    await test.run('r', 'p');
    test.agents.crash('pc');
    await test.live(5000);
    await test.agents.boot('pc');
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({ state: 'needs_attention', reason: { code: 'outcome_unknown' } });
    expect(test.runState('r')).toBe('needs_attention');
    expect(test.allocated()).toEqual(['l.arm']);
  });

  it('and does not report an attempt that may have begun requires a decision', async () => {
    const test = await lab();
    await test.run('r', 'p');
    test.agents.crash('pc');
    await test.engine.agents.register({
      computer: 'pc',
      session: 'new',
      sessions: ['session-2'],
      version: '1',
      attempts: [],
      devices: [],
    });
    await test.clock.settle();
    expect(test.task('r/a')).toMatchObject({ state: 'needs_attention', reason: { code: 'attempt_lost' } });
  });

  describe('and does not report an attempt whose start was not answered', () => {
    /** A start that is lost, on the way there or back. */
    async function unanswered(): Promise<TestLab> {
      const test = await lab();
      test.agents.onCall = () => 'lost';
      await test.run('r', 'p');
      expect(test.task('r/a')).toMatchObject({ state: 'running', attempt: 1 });
      return test;
    }

    const hello = { computer: 'pc', session: 'new', version: '1', attempts: [], devices: [] };

    it.each([
      ['has the ledger of the incarnation that it was sent to, lets the task start again', [1], 'queued'],
      ['has another ledger, makes it a matter for a person', [7], 'needs_attention'],
      ['does not say whose ledger it has, makes it a matter for a person', undefined, 'needs_attention'],
    ])('%s', async (_, incarnations, state) => {
      const test = await unanswered();
      test.agents.crash('pc');
      await test.live(11_000);
      await test.engine.agents.register({ ...hello, incarnations });
      await test.live(10_000);
      expect(test.task('r/a')).toMatchObject({ state });
      expect(attempts(test)[0]).toBe(state === 'queued' ? 'never_ran' : 'needs_attention');
    });

    it('which it had accepted, requires a decision whatever ledger it has', async () => {
      const test = await lab();
      await test.run('r', 'p');
      test.agents.crash('pc');
      await test.engine.agents.register({ ...hello, incarnations: [1], sessions: ['session-2'] });
      await test.clock.settle();
      expect(test.task('r/a')).toMatchObject({
        state: 'needs_attention',
        reason: { code: 'attempt_lost' },
      });
    });
  });

  it('and certainly never began an attempt lets the task start again', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const [id = ''] = test.store.rows.attempts.keys();
    test.agents.crash('pc');
    await test.engine.agents.register({
      computer: 'pc',
      session: 'new',
      sessions: ['session-2'],
      version: '1',
      attempts: [{ attempt_id: id, status: 'unknown' }],
      devices: [],
    });
    expect(attempts(test)[0]).toBe('never_ran');
    expect(test.task('r/a').state).toBe('queued');
  });

  it('with an unacknowledged result has it recorded', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const running = test.agents.running()[0];
    await test.engine.stop();
    test.agents.finishSilently(running?.attempt ?? '', 'pc', {
      kind: 'completed',
      output_parameters: {},
      output_resources: {},
      files: [],
    });
    await test.start();
    await test.agents.register('pc');
    await test.clock.settle();
    expect(test.task('r/a').state).toBe('completed');
    expect(test.running()).toEqual(['r/b']);
  });

  it('is ignored in an earlier incarnation', async () => {
    const test = await lab();
    test.engine.agents.heartbeat('pc', { inc: 7, devices: [], attempts: [] });
    test.engine.agents.leaving('pc', 7, 'x');
    test.engine.agents.deviceChanged('pc', 7, {
      lab: 'l',
      name: 'arm',
      state: 'faulted',
      detail: null,
      functions: [],
    });
    await test.run('r', 'p');
    expect(test.running()).toEqual(['r/a']);
  });
});

describe('a task that needs a person', () => {
  async function unclear(): Promise<TestLab> {
    const test = await lab();
    await test.run('r', 'p');
    await test.agents.end('r/a', { kind: 'unknown', detail: 'the mixer may have turned' });
    await test.clock.settle();
    return test;
  }

  it('keeps its device, and nothing more of the run is started', async () => {
    const test = await unclear();
    expect(test.tasks('r')).toEqual({ a: 'needs_attention', b: 'created' });
    expect(test.runRow('r')).toMatchObject({
      state: 'needs_attention',
      reason: { message: 'the mixer may have turned' },
    });
    expect(test.allocated()).toEqual(['l.arm']);
  });

  it('ends as cancelled when a person cancels the run, and frees its device', async () => {
    const test = await unclear();
    await test.engine.work.cancelProtocolRun('r');
    await test.clock.settle();
    expect(test.runState('r')).toBe('cancelled');
    expect(test.task('r/a').reason?.message).toContain('the mixer may have turned');
    expect(test.allocated()).toEqual([]);
    expect(attempts(test)).toEqual(['cancelled']);
  });

  it('ends as cancelled when a person cancels the task, and the run fails', async () => {
    const test = await unclear();
    await test.engine.work.cancelTask('a', 'r');
    await test.clock.settle();
    expect(test.tasks('r')).toEqual({ a: 'cancelled', b: 'skipped' });
    expect(test.runState('r')).toBe('failed');
  });

  it('is settled by a late result', async () => {
    const test = await unclear();
    const [id = ''] = test.store.rows.attempts.keys();
    await test.engine.agents.attemptEnded({
      attempt_id: id,
      computer: 'pc',
      inc: 1,
      outcome: { kind: 'completed', output_parameters: {}, output_resources: {}, files: [] },
    });
    await test.clock.settle();
    expect(test.tasks('r')).toEqual({ a: 'completed', b: 'running' });
    expect(test.runState('r')).toBe('running');
  });
});

describe('a result', () => {
  it('is recorded once and acknowledged every time it is reported', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const [id = ''] = test.store.rows.attempts.keys();
    const result = {
      attempt_id: id,
      computer: 'pc',
      inc: 1,
      outcome: { kind: 'failed' as const, code: 'task_error', error: { message: 'no' } },
    };
    await Promise.all([test.engine.agents.attemptEnded(result), test.engine.agents.attemptEnded(result)]);
    await test.engine.agents.attemptEnded({
      ...result,
      outcome: { kind: 'completed', output_parameters: {}, output_resources: {}, files: [] },
    });
    expect(test.task('r/a')).toMatchObject({
      state: 'failed',
      reason: { code: 'task_error', message: 'no' },
    });
    const told = test.store.events.filter((event) => event.aggregate === `task_run/${test.task('r/a').id}`);
    expect(told.filter((event) => event.type === 'task_run.failed')).toHaveLength(1);
  });

  it('of an unknown attempt is acknowledged and changes nothing', async () => {
    const test = await lab();
    const before = test.store.commits.length;
    await test.engine.agents.attemptEnded({
      attempt_id: 'x',
      computer: 'pc',
      inc: 1,
      outcome: { kind: 'cancelled' },
    });
    expect(test.store.commits.length).toBe(before);
  });

  it('from another computer is ignored', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const [id = ''] = test.store.rows.attempts.keys();
    await test.engine.agents.attemptEnded({
      attempt_id: id,
      computer: 'evil',
      inc: 1,
      outcome: { kind: 'cancelled' },
    });
    expect(test.task('r/a').state).toBe('running');
  });

  it.each([0, 2, 99])('of the invented incarnation %i is refused and changes nothing', async (inc) => {
    const test = await lab();
    await test.run('r', 'p');
    const [id = ''] = test.store.rows.attempts.keys();
    const completed = { kind: 'completed' as const, output_parameters: {}, output_resources: {}, files: [] };
    const invented = { attempt_id: id, computer: 'pc', inc, outcome: completed };
    await expect(test.engine.agents.attemptEnded(invented)).rejects.toMatchObject({
      code: 'stale_message',
      message: expect.stringContaining(`incarnation ${inc} of computer pc cannot report attempt ${id}`),
    });
    expect(test.task('r/a').state).toBe('running');
    await test.agents.complete('r/a');
    expect(test.task('r/a').state).toBe('completed');
  });

  it('of the incarnation that got the attempt is recorded after one without its ledger has registered', async () => {
    const test = await lab();
    await test.run('r', 'p');
    const [id = ''] = test.store.rows.attempts.keys();
    test.agents.crash('pc');
    await test.live(11_000);
    const hello = { computer: 'pc', version: '1', attempts: [], devices: [] };
    expect((await test.engine.agents.register({ ...hello, session: 'new' })).inc).toBe(2);
    await test.clock.settle();
    expect(test.task('r/a').state).toBe('needs_attention');
    const outcome = { kind: 'failed' as const, code: 'task_error', error: { message: 'no' } };
    await test.engine.agents.attemptEnded({ attempt_id: id, computer: 'pc', inc: 1, outcome });
    expect(test.task('r/a')).toMatchObject({ state: 'failed', reason: { message: 'no' } });
  });

  it('that arrives before the answer to the start is recorded', async () => {
    const test = await lab();
    test.agents.onStart = (execution, computer) => {
      test.agents.finishSilently(execution.start.attempt_id, computer, { kind: 'cancelled' });
      void test.agents.tellResults(computer);
    };
    await test.run('r', 'p');
    expect(test.task('r/a')).toMatchObject({ state: 'cancelled', reason: { code: 'cancelled_by_agent' } });
    expect(test.runState('r')).toBe('failed');
  });
});
