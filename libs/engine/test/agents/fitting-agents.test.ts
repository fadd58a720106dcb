import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc', spare: 'arm' });
  await test.open();
  // The agent of the computer has ended; its successor is of another release.
  test.agents.leave('pc');
  await test.live(1_000);
  return test;
}

const hello = {
  ...{ computer: 'pc', session: 'new', version: '9.0.0', attempts: [], devices: [], sessions: [] },
};
const recordOf = (test: TestLab) => test.engine.views.agents().find(({ computer }) => computer === 'pc');
const items = (test: TestLab) =>
  [...test.store.rows.attention.values()].filter((item) => item.reason.code === 'agent_incompatible');

describe('an agent whose release does not fit', () => {
  it('is refused, and its operator is told which side to update', async () => {
    const test = await lab();
    const register = test.engine.agents.register({ ...hello, protocol: { min: 7, max: 9 } });
    await expect(register).rejects.toMatchObject({ code: 'upgrade_required' });
    await test.live(1_000);
    expect(recordOf(test)).toMatchObject({
      state: 'incompatible',
      reason: expect.stringContaining('update the service first, then its agents') as string,
      version: '9.0.0',
      protocol: { min: 7, max: 9 },
    });
    expect(items(test)).toMatchObject([{ state: 'open', computer: 'pc', kind: 'agent' }]);
  });

  it('registers once it fits, and the question is closed', async () => {
    const test = await lab();
    const tries = (protocol: { min: number; max: number }) =>
      test.engine.agents.register({ ...hello, protocol });
    await expect(tries({ min: 7, max: 9 })).rejects.toMatchObject({ code: 'upgrade_required' });
    await test.live(1_000);
    await tries({ min: 1, max: 9 });
    await test.live(1_000);
    expect(recordOf(test)).toMatchObject({ state: 'online', reason: null, protocol: { min: 1, max: 9 } });
    expect(items(test)).toMatchObject([{ state: 'resolved' }]);
  });

  it('is forgotten a minute after its last attempt', async () => {
    const test = await lab();
    const register = test.engine.agents.register({ ...hello, protocol: { min: 7, max: 9 } });
    await expect(register).rejects.toMatchObject({ code: 'upgrade_required' });
    await test.live(61_000);
    expect(recordOf(test)).toMatchObject({ state: 'offline' });
    expect(items(test)).toMatchObject([{ state: 'resolved' }]);
  });
});

it('an agent that does not say what it speaks registers as before', async () => {
  const test = await lab();
  await test.engine.agents.register(hello);
  await test.live(100);
  expect(recordOf(test)).toMatchObject({ state: 'online', protocol: { min: 1, max: 1 } });
});
