import type { AttemptCalls } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

/** The agent of a running task is stopped, as by Ctrl-C of the service. This is no failure of the task. */

async function lab(retrySafe = false): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  test.taskType('use', { devices: { d: { type: 'arm' } }, ...(retrySafe ? { retry_safe: true } : {}) });
  test.protocol('p', [{ name: 'a', type: 'use', devices: { d: device('l.arm') } }]);
  await test.open();
  await test.run('r', 'p');
  return test;
}

const outcome = {
  kind: 'failed' as const,
  code: 'agent_stopped',
  error: { message: 'the agent stopped the task: it is being stopped' },
};

/** @param effects number of effects that began; undefined: not known */
function callsOf(effects: number | undefined): AttemptCalls | undefined {
  return effects === undefined ? undefined : { effects, last_confirmed: null, in_doubt: null };
}

const attempts = (test: TestLab) =>
  [...test.store.rows.attempts.values()].map(({ number, state, reason }) => [number, state, reason?.code]);

describe('a task whose agent is stopped', () => {
  it.each([
    ['made no effect', false, 0],
    ['is safe to repeat', true, 2],
  ])('and that %s starts again with the agent, without counting a failure', async (_, retrySafe, effects) => {
    const test = await lab(retrySafe);
    const [running] = test.agents.running();
    test.agents.finishSilently(running?.attempt ?? '', 'pc', outcome, callsOf(effects));
    test.agents.leave('pc');
    await test.agents.boot('pc');
    await test.live(1_000);
    expect(test.task('r/a')).toMatchObject({ state: 'running', attempt: 2, failures: 0 });
    expect(attempts(test)).toMatchObject([
      [1, 'failed', 'agent_stopped'],
      [2, 'running', undefined],
    ]);
    await test.complete('r/a');
    expect(test.runState('r')).toBe('completed');
    expect(test.agents.startedTwice).toEqual([]);
  });

  it.each([1, undefined])(
    'needs a decision when it was stopped halfway (effects: %s), and keeps its device',
    async (effects) => {
      const test = await lab();
      await test.agents.end('r/a', outcome, callsOf(effects));
      expect(test.task('r/a')).toMatchObject({ state: 'needs_attention', reason: { code: 'agent_stopped' } });
      expect(test.runState('r')).toBe('needs_attention');
      expect(test.allocated()).toEqual(['l.arm']);
    },
  );

  it('ends when it was being cancelled', async () => {
    const test = await lab();
    test.agents.onCancel = () => undefined;
    await test.engine.work.cancelProtocolRun('r');
    await test.live(100);
    await test.agents.end('r/a', outcome, callsOf(1));
    expect(test.runState('r')).toBe('cancelled');
    expect(test.allocated()).toEqual([]);
  });
});
