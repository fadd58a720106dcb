import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './api.js';
import { lab, Plant, type Pc } from './joined-computers/plant.js';

// In a file of its own, because it waits for minutes while other tests run.
let plant: Plant;
let pc: Pc;

beforeAll(async () => {
  plant = await Plant.open('bench_c');
  [pc] = plant.pcs as [Pc];
  const joined = await pc.join(await plant.invite('bench_c'));
  expect([joined.err, joined.code]).toEqual(['', 0]);
  await pc.start();
  await eventually(
    () => plant.api.device('far_arm'),
    ({ state }) => state === 'idle',
    60_000,
  );
});
afterAll(() => plant?.close());

it(
  'a cable that is out for 120 s in the middle of an effect changes nothing',
  { timeout: 240_000 },
  async () => {
    await plant.api.submit('tasks', {
      ...{ name: 'cut', type: 'carry', devices: { arm: { lab_name: lab, name: 'far_arm' } } },
      input_parameters: { seconds: 50, to: 'rack' },
    });
    await eventually(
      () => plant.moves('far_arm', 'rack'),
      (count) => count === 1,
    );
    await pc.computer.unplug();
    await delay(120_000);
    await pc.computer.plug();
    const back = performance.now();
    await eventually(
      () => plant.api.task('cut'),
      ({ state }) => state === 'completed',
      60_000,
    );
    plant.measured('completed after the cable was out for 120 s and back', back);
    const attempts = (await plant.api.attempts('cut')).filter(({ state }) => state === 'completed');
    expect([await plant.moves('far_arm', 'rack'), attempts.length]).toEqual([1, 1]);
  },
);
