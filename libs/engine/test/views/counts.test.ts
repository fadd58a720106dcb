import { expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

it('names the computers of devices whose agent is not heard, until it is heard again', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@bench_b', oven: 'oven@bench_a' });
  await test.open();
  const computers = () => test.engine.views.counts().computers;
  expect(computers()).toEqual({ expected: 3, online: 3, missing: [], troubles: [] });
  test.agents.crash('bench_b');
  test.agents.crash('bench_a');
  await test.live(15_000);
  expect(computers()).toEqual({ expected: 3, online: 1, missing: ['bench_a', 'bench_b'], troubles: [] });
  await test.agents.boot('bench_b');
  await test.live(2_000);
  expect(computers()).toMatchObject({ online: 2, missing: ['bench_a'] });
});
