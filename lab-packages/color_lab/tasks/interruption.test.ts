import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deviceClass } from '../devices/device-class.fixture.js';
import type CleaningStation from '../devices/cleaning_station/device.js';
import type ColorStation from '../devices/color_station/device.js';
import type RobotArm from '../devices/robot_arm/device.js';
import type { Beaker } from '../handling/beaker.js';
import AnalyzeColor from './analyze_color/task.js';
import CleanContainer from './clean_container/task.js';
import EmptyContainer from './empty_container/task.js';
import MixColors from './mix_colors/task.js';
import RetrieveContainer from './retrieve_container/task.js';
import StoreContainer from './store_container/task.js';

/** A run whose process is killed at one call of a device. A person then has the task tried again. */

interface Devices {
  arm: RobotArm;
  station: ColorStation;
  cleaner: CleaningStation;
}

/** Where a task is interrupted: before or after its n-th call that is not a query. */
interface Cut {
  call: number;
  when: 'before' | 'after';
}

type Execute = (devices: never, parameters: never, resources: never) => Promise<unknown>;

const parameters = {
  ...{ cyan_volume: 4, magenta_volume: 1.5, yellow_volume: 0.1, black_volume: 0.1, white_volume: 5 },
  ...{ cyan_strength: 1, magenta_strength: 1, yellow_strength: 1, mixing_time: 30, mixing_speed: 500 },
};
const steps = [RetrieveContainer, MixColors, AnalyzeColor, EmptyContainer, CleanContainer, StoreContainer];
const contextKey = Symbol.for('svc.context');

let classes: { [Handle in keyof Devices]: new () => Devices[Handle] };
let folder = '';

beforeAll(async () => {
  classes = {
    arm: await deviceClass<RobotArm>('robot_arm'),
    station: await deviceClass<ColorStation>('color_station'),
    cleaner: await deviceClass<CleaningStation>('cleaning_station'),
  };
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'color-lab-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The devices in new processes, with the folders of the old ones. */
async function devices(): Promise<Devices> {
  const start = async <Name extends keyof Devices>(name: Name): Promise<Devices[Name]> => {
    const device = new classes[name]();
    const own = join(folder, name);
    await mkdir(own, { recursive: true });
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const context = { name, lab: 'color_lab', log, folder: () => own, callId: () => undefined };
    Object.assign(device, { [contextKey]: context });
    await device._initialize({ time_scale: 0, seed: 1, noise: 0 });
    return device;
  };
  return { arm: await start('arm'), station: await start('station'), cleaner: await start('cleaner') };
}

/** Handles that throw at the cut. `made` counts the calls that are not queries. */
function interrupted(of: Devices, cut: Cut): { handles: Devices; made: () => number } {
  let calls = 0;
  const wrap = <Device extends object>(device: Device): Device =>
    new Proxy(device, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== 'function' || key === 'status') return value;
        return async (...given: unknown[]) => {
          calls += 1;
          if (calls === cut.call && cut.when === 'before') throw new Error('killed');
          const result: unknown = await (value as (...all: unknown[]) => unknown).apply(target, given);
          if (calls === cut.call) throw new Error('killed');
          return result;
        };
      },
    });
  const handles = { arm: wrap(of.arm), station: wrap(of.station), cleaner: wrap(of.cleaner) };
  return { handles, made: () => calls };
}

/** The service keeps what a task says of its resource only when the task completes. */
async function run(step: (typeof steps)[number], handles: Devices, beaker: Beaker): Promise<Beaker> {
  const changed = structuredClone(beaker);
  const task = new step();
  await (task._execute.bind(task) as unknown as Execute)(
    handles as never,
    parameters as never,
    { beaker: changed } as never,
  );
  return changed;
}

/** @returns how many calls the interrupted task made; fewer than `cut.call`: it was not interrupted */
async function runWithCut(at: (typeof steps)[number], cut: Cut): Promise<number> {
  let beaker: Beaker = {
    name: 'beaker_1',
    type: 'beaker',
    meta: { capacity: 60, location: 'shelf', volume: 0, paint: null },
  };
  let made = 0;
  for (const step of steps) {
    if (step === at) {
      const cutting = interrupted(await devices(), cut);
      const first = run(step, cutting.handles, beaker);
      await first.catch((error: unknown) => expect(String(error)).toContain('killed'));
      made = cutting.made();
      if (made < cut.call) return made;
    }
    beaker = await run(step, await devices(), beaker);
    if (step === MixColors) expect(beaker.meta.volume).toBeCloseTo(10.7);
  }
  const { station, cleaner } = await devices();
  expect(station.status().container).toBeNull();
  expect(cleaner.status()).toMatchObject({ container: null, volume: 0 });
  expect(beaker.meta).toEqual({ capacity: 60, location: 'shelf', volume: 0, paint: null });
  return made;
}

describe('a task of the color lab that was interrupted', () => {
  it.each(steps.map((step) => [step.name, step] as const))(
    '%s completes when it is tried again, and so does its run',
    async (_name, step) => {
      let cuts = 0;
      for (const when of ['before', 'after'] as const)
        for (let call = 1; ; call += 1) {
          rmSync(folder, { recursive: true, force: true });
          if ((await runWithCut(step, { call, when })) < call) break;
          cuts += 1;
        }
      expect(cuts).toBeGreaterThan(0);
    },
  );
});
