import { ServiceError } from '@lab/contracts';
import { expect, it } from 'vitest';
import { TestLab } from '../test-lab.js';

const module = { hash: 'new', package: 'p', source: 'device.py' };

async function lab(): Promise<TestLab> {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@pc' });
  await test.open();
  return test;
}

const provide = async (test: TestLab, computer = 'pc') => {
  const missing = test.engine.provideCode([{ computer, module }]);
  await test.clock.settle();
  return (await missing).map(({ why, ...rest }) => ({ ...rest, code: why.code }));
};

it('a connected agent gets code before a device needs it', async () => {
  const test = await lab();
  const asked: string[] = [];
  test.agents.onProvide = (computer, { hash }) => void asked.push(`${computer} ${hash}`);
  expect([await provide(test), asked]).toEqual([[], ['pc new']]);
  expect(await provide(test, 'elsewhere')).toEqual([]);
});

it.each(['not_found', 'forbidden'] as const)(
  'the reason of an agent that cannot have code is told: %s',
  async (code) => {
    const test = await lab();
    test.agents.onProvide = () => {
      throw new ServiceError(code, 'the lock has no wheel of numpy');
    };
    expect(await provide(test)).toEqual([{ computer: 'pc', module, code }]);
  },
);

it('an agent that does not answer gets the code with its devices', async () => {
  const test = await lab();
  test.agents.onCall = (kind) => (kind === 'provide' ? 'refused' : 'delivered');
  expect(await provide(test)).toEqual([]);
});
