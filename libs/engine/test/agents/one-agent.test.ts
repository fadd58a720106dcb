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
const refused = { code: 'wrong_state', message: expect.stringMatching(/^another agent of computer pc is /) };
const items = (test: TestLab, state: string) =>
  [...test.store.rows.attention.values()].filter(
    (item) => item.reason.code === 'second_agent' && item.state === state,
  );

describe('a second agent of a computer', () => {
  it('is refused while the first one is heard, also when that is silent for some seconds', async () => {
    const test = await lab();
    await expect(test.agents.boot('pc', [], [])).rejects.toMatchObject({
      code: refused.code,
      message: expect.stringMatching(/^another agent of computer pc is connected \(heard at 2/),
    });
    await test.live(4_000);
    await expect(test.agents.register('pc')).rejects.toMatchObject(refused);
    expect(incarnation(test)).toBe(1);
  });

  it('is taken at once as the successor of the first one, whose process is gone', async () => {
    const test = await lab();
    await test.agents.boot('pc');
    expect(incarnation(test)).toBe(2);
    expect(items(test, 'open')).toEqual([]);
  });

  it('is refused although it has the ledger of the first one, while the process of that answers', async () => {
    const test = await lab();
    test.agents.onPresence = () => 'answers';
    await expect(test.agents.boot('pc')).rejects.toMatchObject(refused);
    expect(incarnation(test)).toBe(1);
  });

  it('is refused although it has that ledger, while nobody can know whether the first one lives', async () => {
    const test = await lab();
    test.agents.onPresence = () => 'silent';
    await expect(test.agents.boot('pc')).rejects.toMatchObject(refused);
    await test.live(11_000);
    await test.agents.register('pc');
    expect(incarnation(test)).toBe(2);
  });

  it('is refused with an invented ledger, also when the connection of the first one is lost', async () => {
    const test = await lab();
    await expect(test.agents.boot('pc', [1, 2, 3], ['invented'])).rejects.toMatchObject(refused);
    expect(incarnation(test)).toBe(1);
  });

  it('is refused by a new leader too, until every agent that is connected can have been heard', async () => {
    const test = await lab();
    await test.engine.stop();
    await test.start();
    await expect(test.agents.boot('pc', [], [])).rejects.toMatchObject(refused);
    await test.live(11_000);
    await test.agents.register('pc');
    expect(incarnation(test)).toBe(2);
  });

  it('is refused when another one registered during the question whether the first one lives', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(11_000);
    const hello = { computer: 'pc', version: '1', attempts: [], devices: [], sessions: [] };
    const taken = await Promise.allSettled([
      test.engine.agents.register({ ...hello, session: 'a' }),
      test.engine.agents.register({ ...hello, session: 'b' }),
    ]);
    expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(incarnation(test)).toBe(2);
  });

  it.each(['left', 'has been silent for 10 s'])('is taken when the first one %s', async (end) => {
    const test = await lab();
    if (end === 'left') test.agents.leave('pc');
    else {
      test.agents.crash('pc');
      await test.live(11_000);
    }
    await test.agents.boot('pc', [], []);
    expect(incarnation(test)).toBe(2);
  });

  it('is refused without a question to the operator while the first one, which has left, still stops its devices', async () => {
    const test = await lab();
    test.agents.leave('pc');
    test.agents.onPresence = () => 'answers';
    await expect(test.agents.boot('pc', [], [])).rejects.toMatchObject(refused);
    await test.live(100);
    expect(items(test, 'open')).toEqual([]);
  });

  it('does not give way to the first one when that returns', async () => {
    const test = await lab();
    test.agents.crash('pc');
    await test.live(11_000);
    await test.agents.boot('pc', [], []);
    test.agents.onPresence = () => 'answers';
    await expect(test.agents.boot('pc', [1], ['session-1'])).rejects.toMatchObject(refused);
    expect(incarnation(test)).toBe(2);
  });
});

describe('the item about a second agent', () => {
  it('names the computer, asks for no decision, and closes when none has tried for a minute', async () => {
    const test = await lab();
    test.agents.onPresence = () => 'answers';
    const second = { computer: 'pc', session: 's', version: '7', attempts: [], devices: [], sessions: [] };
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(test.engine.agents.register(second)).rejects.toMatchObject(refused);
      await test.live(5_000);
    }
    expect(items(test, 'open')).toMatchObject([
      { kind: 'agent', computer: 'pc', known: { version: '7' }, openedAt: expect.any(Number) },
    ]);
    await test.live(40_000);
    expect(items(test, 'open')).toHaveLength(1);
    await test.live(30_000);
    expect(items(test, 'open')).toEqual([]);
    expect(items(test, 'resolved')).toMatchObject([
      { resolution: { action: null, by: 'service', note: 'no second agent has registered for a minute' } },
    ]);
  });
});
