import { beforeEach, describe, expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

let test: TestLab;
beforeEach(async () => {
  test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  await test.open();
  await test.live(11_000);
});

const items = (state: string) =>
  [...test.store.rows.attention.values()].filter(
    (item) => item.reason.code === 'messages_refused' && item.state === state,
  );

describe('a process that is refused', () => {
  it('again and again becomes one item, which closes when it stops', async () => {
    for (const total of [1, 2, 7]) {
      test.engine.refusals.brokerRefused('optimizer/a', 'i', total);
      await test.live(5_000);
    }
    expect(items('open')).toMatchObject([
      { kind: 'process', computer: 'optimizer/a', known: { refused_by_broker: 7, unsigned_acts: 0 } },
    ]);
    test.engine.refusals.brokerRefused('optimizer/a', 'i', 8);
    await test.live(50_000);
    expect(items('open')).toHaveLength(1);
    test.engine.refusals.brokerRefused('optimizer/a', 'i', 8);
    await test.live(20_000);
    expect(items('open')).toEqual([]);
    expect(items('resolved')).toMatchObject([
      { resolution: { by: 'service', note: 'no message of the process was refused for a minute' } },
    ]);
  });

  it('once or twice, or at times, is no matter for the operator', async () => {
    for (const total of [1, 2, 3, 4]) {
      test.engine.refusals.brokerRefused('optimizer/a', 'i', total);
      await test.live(61_000);
    }
    expect(items('open')).toEqual([]);
  });

  it('is counted with the other processes of its name, each from its own start', async () => {
    for (let times = 0; times < 5; times += 1) {
      test.engine.refusals.brokerRefused('optimizer/a', 'i', 2);
      test.engine.refusals.brokerRefused('optimizer/a', 'j', 0);
    }
    await test.live(1_000);
    expect(items('open')).toEqual([]);
    test.engine.refusals.brokerRefused('optimizer/a', 'k', 1);
    await test.live(1_000);
    expect(items('open')).toHaveLength(1);
  });

  it('before a new leader began to listen is not told again', async () => {
    await test.engine.stop();
    await test.start();
    test.engine.refusals.brokerRefused('gateway/x', 'i', 40);
    await test.live(11_000);
    expect(items('open')).toEqual([]);
    test.engine.refusals.brokerRefused('gateway/x', 'i', 43);
    await test.live(1_000);
    expect(items('open')).toMatchObject([{ computer: 'gateway/x', known: { refused_by_broker: 3 } }]);
  });

  it('because nobody has signed its acts becomes an item of its own', async () => {
    for (let times = 0; times < 3; times += 1) {
      test.engine.refusals.actRefused('gateway/thief');
      test.engine.refusals.brokerRefused('agent/pc', 'i', times);
    }
    await test.live(1_000);
    expect(items('open')).toMatchObject([
      { computer: 'gateway/thief', known: { refused_by_broker: 0, unsigned_acts: 3 } },
    ]);
  });

  it('under ever new names fills neither the memory nor the list of items', async () => {
    for (let name = 0; name < 1_000; name += 1)
      for (let times = 0; times < 3; times += 1) test.engine.refusals.actRefused(`gateway/${name}`);
    await test.live(1_000);
    expect(items('open')).toHaveLength(51);
    expect(items('open').map(({ computer }) => computer)).toContain('other processes');
  });
});
