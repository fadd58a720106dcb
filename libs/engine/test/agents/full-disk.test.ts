import { expect, it } from 'vitest';
import { device, TestLab } from '../test-lab.js';

it('a task that fails because a disk is full names the computer', async () => {
  const test = new TestLab();
  test.lab('l', { arm: 'arm@bench_c' });
  test.taskType('use', { devices: { d: { type: 'arm' } } });
  test.protocol('p', [{ name: 'a', type: 'use', devices: { d: device('l.arm') } }]);
  await test.open();
  await test.run('r', 'p');
  await test.fail('r/a', 'ENOSPC: no space left on device, write');
  expect(test.task('r/a').reason?.message).toBe(
    'the disk of computer bench_c is full: ENOSPC: no space left on device, write',
  );
});
