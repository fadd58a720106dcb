import { ServiceError } from '@lab/contracts';
import { expect, it } from 'vitest';
import { arm, DeviceBench } from '../device-bench.js';

it('a device whose code is refused has no process and is faulted, until a person settles it and the code may run', async () => {
  const bench = new DeviceBench();
  const { path } = bench.modules;
  bench.modules.path = () => Promise.reject(new ServiceError('forbidden', 'nobody has signed it'));
  await bench.up();
  await bench.time.advance(600_000);
  expect([bench.state, bench.status.detail, bench.lives]).toEqual([
    'faulted',
    'the code of the device is refused: nobody has signed it',
    0,
  ]);
  bench.modules.path = path;
  await bench.devices.actor(arm).reset(null, 'ann');
  await bench.time.advance(0);
  expect(bench.state).toBe('idle');
});
