import { describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

/** A lab whose computer `pc` has a connected agent of incarnation 1. */
async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  await test.open();
  expect(incarnation(test)).toBe(1);
  return test;
}

const incarnation = (test: TestLab) => test.store.rows.agents.get('pc')?.inc;

describe('a second agent of a computer', () => {
  it('is refused while the first one is heard, also when that is silent for some seconds', async () => {
    const test = await lab();
    const refused = {
      code: 'wrong_state',
      message: /^another agent of computer pc is connected \(heard at 2/,
    };
    await expect(test.agents.boot('pc', [])).rejects.toMatchObject({
      code: refused.code,
      message: expect.stringMatching(refused.message),
    });
    await test.live(4_000);
    await expect(test.agents.register('pc', [])).rejects.toMatchObject({ code: refused.code });
    expect(incarnation(test)).toBe(1);
  });

  it('is taken when it has the ledger of the first one, because that has ended then', async () => {
    const test = await lab();
    await test.agents.boot('pc', [1]);
    expect(incarnation(test)).toBe(2);
  });

  it.each(['left', 'has been silent for 10 s'])('is taken when the first one %s', async (end) => {
    const test = await lab();
    if (end === 'left') test.agents.leave('pc');
    else {
      test.agents.crash('pc');
      await test.live(11_000);
    }
    await test.agents.boot('pc', []);
    expect(incarnation(test)).toBe(2);
  });

  it('does not give way to the first one when that returns', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(11_000);
    await test.agents.boot('pc', []);
    await expect(test.agents.boot('pc', [1])).rejects.toMatchObject({ code: 'wrong_state' });
    expect(incarnation(test)).toBe(2);
  });
});
