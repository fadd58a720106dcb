import type { AttemptOutcome } from '@lab/contracts';
import { describe, expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

/** Milliseconds by which the clock of the agent is ahead. */
const ahead = 7_200_000;
const completed: AttemptOutcome = {
  kind: 'completed',
  output_parameters: {},
  output_resources: {},
  files: [],
};
const failed: AttemptOutcome = { kind: 'failed', code: 'task_error', error: { message: 'no' } };
const unknown: AttemptOutcome = { kind: 'unknown', detail: 'the agent ended while the task ran' };

/** A laboratory whose task `r/a` has run for a minute. */
async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  test.protocol('p', [{ name: 'a', devices: { d: device('l.arm') } }]);
  await test.open();
  await test.run('r', 'p');
  await test.live(60_000);
  return test;
}

/**
 * Ends `r/a` at its agent and reports the result.
 *
 * @param account when the process ended and when the agent sent the result, in milliseconds before now
 */
async function end(
  test: TestLab,
  outcome: AttemptOutcome,
  account?: { endedAgo: number; sentAgo: number },
): Promise<void> {
  const [running] = test.agents.running();
  if (running === undefined) throw new Error('nothing runs');
  const { attempt, computer } = running;
  test.agents.finishSilently(attempt, computer, outcome);
  const clock = test.clock.now() + ahead;
  await test.engine.agents.attemptEnded({
    attempt_id: attempt,
    computer,
    inc: 1,
    outcome,
    ...(account === undefined
      ? {}
      : { ended_ms: clock - account.endedAgo, wall_ms: clock - account.sentAgo }),
  });
  await test.clock.settle();
}

const attemptOf = (test: TestLab) => [...test.store.rows.attempts.values()][0];
const itemOf = (test: TestLab) => [...test.store.rows.attention.values()].at(-1);

describe('the end of an attempt', () => {
  it.each([
    ['completed', completed],
    ['failed', failed],
  ])('that %s is the moment that its agent reports, by the clock of the engine', async (state, outcome) => {
    const test = await lab();
    const now = test.clock.now();
    await end(test, outcome, { endedAgo: 45_000, sentAgo: 0 });
    expect(attemptOf(test)).toMatchObject({ state, endedAt: now - 45_000 });
    expect(test.task('r/a')).toMatchObject({ state, endedAt: now - 45_000 });
  });

  it('is right when the result was under way for long and a heartbeat has told the time of the agent', async () => {
    const test = await lab();
    const now = test.clock.now();
    const { session } = [...test.store.rows.agents.values()].find(({ computer }) => computer === 'pc')!;
    const heartbeat = { inc: 1, session, devices: [], attempts: [], wall_ms: now + ahead };
    test.engine.agents.heartbeat('pc', heartbeat);
    await test.clock.settle();
    await end(test, completed, { endedAgo: 45_000, sentAgo: 44_000 });
    expect(attemptOf(test)?.endedAt).toBe(now - 45_000);
  });

  it('is never before its start and never in the future', async () => {
    for (const endedAgo of [3_600_000, -5_000]) {
      const test = await lab();
      const now = test.clock.now();
      await end(test, completed, { endedAgo, sentAgo: 0 });
      expect(attemptOf(test)?.endedAt).toBe(endedAgo > 0 ? now - 60_000 : now);
    }
  });

  it('is the arrival of its result when the agent does not report the time', async () => {
    const test = await lab();
    await end(test, completed);
    expect(attemptOf(test)?.endedAt).toBe(test.clock.now());
  });

  it('with an unknown outcome is the moment that its agent reports, also after the decision of a person', async () => {
    const test = await lab();
    const endedAt = test.clock.now() - 54_000;
    await end(test, unknown, { endedAgo: 54_000, sentAgo: 0 });
    expect(itemOf(test)?.known).toMatchObject({ ran_for_s: 6, ended_at: new Date(endedAt).toISOString() });
    await test.live(5_000);
    await test.engine.attention.decide({ id: itemOf(test)?.id ?? '', action: 'failed', by: 'ada' });
    expect(attemptOf(test)).toMatchObject({ state: 'failed', endedAt });
    expect(test.task('r/a').endedAt).toBe(test.clock.now());
  });

  it('is not known when nobody knows when its process ended', async () => {
    const test = await lab();
    await end(test, unknown);
    expect(itemOf(test)?.known).toMatchObject({ ran_for_s: null, ended_at: null });
    await test.live(5_000);
    await test.engine.attention.decide({ id: itemOf(test)?.id ?? '', action: 'failed', by: 'ada' });
    expect(attemptOf(test)).toMatchObject({ state: 'failed', endedAt: null });
  });
});
