import { inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type CleaningStation from './cleaning_station/device.js';
import type ColorStation from './color_station/device.js';
import type MicrofadingTester from './microfading_tester/device.js';
import type RobotArm from './robot_arm/device.js';
import { deviceClass } from './device-class.fixture.js';

/** Devices outside a host: objects like any other, whose log goes to the console. */

type Class<Device> = new () => Device;
let Station: Class<ColorStation>;
let Arm: Class<RobotArm>;
let Cleaner: Class<CleaningStation>;
let Tester: Class<MicrofadingTester>;

beforeAll(async () => {
  [Station, Arm, Cleaner, Tester] = await Promise.all([
    deviceClass<ColorStation>('color_station'),
    deviceClass<RobotArm>('robot_arm'),
    deviceClass<CleaningStation>('cleaning_station'),
    deviceClass<MicrofadingTester>('microfading_tester'),
  ]);
});

const volumes = { cyan: 4, magenta: 1.5, yellow: 0.1, black: 0.1, white: 5 };
const mix = { volumes, mixing_time: 30, mixing_speed: 500 };
/** What a station says of its paint after {@link mix}. */
const paint = { volumes, homogeneity: 1, foam: 0 };
const light = { station: 'station_2', paint, exposure_time: 25, illuminance: 5 };
const clean = { container: 'beaker_1', capacity: 60 };

async function station(seed = 1): Promise<ColorStation> {
  const made = new Station();
  await made._initialize({ time_scale: 0, seed, noise: 0.3 });
  return made;
}

describe('a device that is stopped', () => {
  /** Time enough to be in the middle: an hour of real time for each simulated second. */
  const slow = { time_scale: 3600 };

  it('leaves in the beaker of the color station what has flowed, and knows it', async () => {
    const made = new Station();
    await made._initialize({ time_scale: 0.01, seed: 1, noise: 0 });
    await made.clamp(clean);
    // 10.7 ml at 2 ml/s, a hundred times faster.
    const mixing = made.mix({ ...mix, mixing_time: 600 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    made._stop('enough');
    await expect(mixing).rejects.toThrow('enough');
    const { volume, activity } = made.status();
    expect(activity).toBe('idle');
    expect(volume).toBeGreaterThan(0);
    expect(volume).toBeLessThanOrEqual(10.7);
  });

  it('ends the move of the arm by an error, and the arm can move again', async () => {
    const arm = new Arm();
    await arm._initialize(slow);
    const move = arm.move({ container: 'beaker_1', from: 'shelf', to: 'station_1' });
    arm._stop('a hand is in it');
    await expect(move).rejects.toThrow('stopped before the end: a hand is in it');
    expect(arm.status()).toEqual({ carrying: null, moves: 0 });
  });

  it('ends the draining of the cleaning station, which keeps the rest', async () => {
    const cleaner = new Cleaner();
    await cleaner._initialize(slow);
    cleaner.place({ container: 'beaker_1', volume: 20 });
    const drain = cleaner.drain();
    cleaner._stop('enough');
    await expect(drain).rejects.toThrow('enough');
    const { volume, waste } = cleaner.status();
    expect(volume + waste).toBeCloseTo(20);
    expect(volume).toBeGreaterThan(19);
  });
});

describe('a tester that is stopped', () => {
  it('closes its shutter in the middle of an exposure', async () => {
    const tester = new Tester();
    await tester._initialize({ time_scale: 3600, seed: 1, noise: 0 });
    const fading = tester.fade(light);
    expect(tester.status()).toEqual({ over: 'station_2', shutter: 'closed' });
    tester._stop('a door was opened');
    await expect(fading).rejects.toThrow('stopped before the end: a door was opened');
    expect(tester.status()).toEqual({ over: null, shutter: 'closed' });
  });
});

describe('the microfading tester', () => {
  const tester = async (noise = 0, time_scale = 0): Promise<MicrofadingTester> => {
    const made = new Tester();
    await made._initialize({ time_scale, seed: 1, noise });
    return made;
  };

  it('measures the change again and again, at last after all of the light', async () => {
    const { readings } = await (await tester()).fade(light);
    expect(readings.map(({ time }) => time)).toEqual([10, 20, 25]);
    expect(readings.at(-1)?.dose).toBeCloseTo((5 * 25) / 3600, 5);
    const differences = readings.map(({ color_difference: difference }) => difference);
    expect(differences[0]).toBeGreaterThan(0);
    expect(differences).toEqual([...differences].sort((a, b) => a - b));
  });

  it('has noise that is far below what the eye can tell', async () => {
    const noisy = await tester(0.05);
    const dark = { ...paint, volumes: { ...volumes, cyan: 0, magenta: 0, yellow: 0 } };
    const { readings } = await noisy.fade({ ...light, paint: dark, exposure_time: 600 });
    expect(readings).toHaveLength(60);
    for (const { color_difference: difference } of readings) expect(difference).toBeLessThan(0.3);
    expect(readings.some(({ color_difference: difference }) => difference > 0)).toBe(true);
  });

  it('opens its shutter over the station, and closes it after the exposure', async () => {
    const slow = await tester(0, 0.001);
    const fading = slow.fade({ ...light, exposure_time: 600 });
    while (slow.status().shutter === 'closed') await new Promise((resolve) => setTimeout(resolve, 1));
    expect(slow.status()).toEqual({ over: 'station_2', shutter: 'open' });
    await fading;
    expect(slow.status()).toEqual({ over: null, shutter: 'closed' });
  });

  it.each([
    [{ exposure_time: 0 }, 'exposure_time is 0 s: it must be between 1 and 600'],
    [{ illuminance: 11 }, 'illuminance is 11 Mlx: it must be between 0.1 and 10'],
    [
      { paint: { ...paint, volumes: { cyan: 0, magenta: 0, yellow: 0, black: 0, white: 0 } } },
      'The beaker in station_2 is empty',
    ],
  ])('refuses %o, and exposes nothing', async (wrong, message) => {
    const one = await tester();
    await expect(one.fade({ ...light, ...wrong })).rejects.toThrow(message);
    expect(one.status()).toEqual({ over: null, shutter: 'closed' });
  });
});

describe('a color station', () => {
  it('mixes and measures, the same again for the same seed', async () => {
    const measure = async (seed: number) => {
      const one = await station(seed);
      await one.clamp(clean);
      await one.mix(mix);
      return one.measure();
    };
    const [first, same, other] = await Promise.all([measure(1), measure(1), measure(2)]);
    expect(same).toEqual(first);
    expect(other.red).not.toBe(first.red);
    expect(Math.abs(other.red - first.red)).toBeLessThan(3);
    expect(first.blue).toBeGreaterThan(first.red);
    expect(first.reflectance).toHaveLength(first.wavelengths.length);
  });

  it('takes a picture that is a PNG of 64 by 64 pixels', async () => {
    const one = await station();
    await one.clamp(clean);
    await one.mix(mix);
    const png = Buffer.from((await one.measure()).image, 'base64');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([64, 64]);
    const data = png.subarray(png.indexOf('IDAT') + 4, png.indexOf('IEND') - 8);
    expect(inflateSync(data)).toHaveLength(64 * (1 + 3 * 64));
  });

  it('refuses to work without a beaker, and to take two', async () => {
    const one = await station();
    await expect(one.mix(mix)).rejects.toThrow('There is no beaker in the clamp');
    await expect(one.measure()).rejects.toThrow('There is no beaker in the clamp');
    await expect(one.release()).rejects.toThrow('There is no beaker in the clamp');
    await one.clamp(clean);
    await expect(one.clamp({ ...clean, container: 'beaker_2' })).rejects.toThrow('beaker_1 is in the clamp');
  });

  it.each([
    [{ volumes: { ...volumes, cyan: -1 } }, 'cyan is -1 ml: it must be 0 or more'],
    [{ volumes: { ...volumes, white: Number.NaN } }, 'white is NaN ml'],
    [{ volumes: { ...volumes, white: 55 } }, 'would run over'],
    [{ volumes: { ...volumes, gold: 1 } }, 'There is no paste called gold'],
    [{ mixing_speed: 5000 }, 'mixing_speed is 5000 rpm: it must be between 0 and 1500'],
    [{ mixing_time: -1 }, 'mixing_time is -1 s'],
    [
      { volumes: { cyan: 0, magenta: 0, yellow: 0, black: 0, white: 0 } },
      'beaker_1 is empty: there is nothing to stir',
    ],
  ])('refuses %o, and doses nothing', async (wrong, message) => {
    const one = await station();
    await one.clamp(clean);
    await expect(one.mix({ ...mix, ...wrong })).rejects.toThrow(message);
    expect(one.status()).toMatchObject({ volume: 0, activity: 'idle' });
  });

  it('keeps what is in a beaker when it goes and comes back, and loses it when it is discarded', async () => {
    const one = await station();
    await one.clamp(clean);
    const paint = await one.mix(mix);
    const released = await one.release();
    expect(released).toEqual({ container: 'beaker_1', paint });
    await one.clamp({ ...clean, paint: released.paint });
    expect(one.status().volume).toBeCloseTo(10.7);
    await one.discard();
    await expect(one.measure()).rejects.toThrow('beaker_1 is empty: there is no color to measure');
  });

  it('knows nothing of a beaker after it was initialised anew', async () => {
    const one = await station();
    await one.clamp(clean);
    await one._initialize({ time_scale: 0, seed: 1, noise: 0 });
    expect(one.status().container).toBeNull();
  });

  it('refuses a time scale that is none', async () => {
    await expect(new Station()._initialize({ time_scale: -1, seed: 1, noise: 0 })).rejects.toThrow(
      'time_scale is -1',
    );
  });
});

describe('the robot arm', () => {
  it('carries one beaker at a time', async () => {
    const arm = new Arm();
    await arm._initialize({ time_scale: 0.001 });
    const first = arm.move({ container: 'beaker_1', from: 'shelf', to: 'station_1' });
    expect(arm.status()).toEqual({ carrying: 'beaker_1', moves: 0 });
    await expect(arm.move({ container: 'beaker_2', from: 'shelf', to: 'station_2' })).rejects.toThrow(
      'The arm holds beaker_1',
    );
    await first;
    expect(await arm._report()).toEqual({ carrying: null, moves: 1 });
  });

  it('refuses a move to where the beaker is', async () => {
    const arm = new Arm();
    await arm._initialize({ time_scale: 0 });
    await expect(arm.move({ container: 'b', from: 'shelf', to: 'shelf' })).rejects.toThrow(
      'that is where it is',
    );
  });
});

describe('the cleaning station', () => {
  it('drains before it rinses, and counts the waste', async () => {
    const cleaner = new Cleaner();
    await cleaner._initialize({ time_scale: 0 });
    await expect(cleaner.rinse()).rejects.toThrow('There is no beaker');
    cleaner.place({ container: 'beaker_1', volume: 12 });
    expect(() => cleaner.place({ container: 'beaker_2', volume: 0 })).toThrow('beaker_1 is in the station');
    await expect(cleaner.rinse()).rejects.toThrow('beaker_1 still holds 12 ml: drain it first');
    expect(await cleaner.drain()).toEqual({ drained: 12 });
    await cleaner.rinse();
    cleaner.release();
    expect(cleaner.status()).toEqual({ container: null, volume: 0, waste: 12 });
    cleaner.emptyWaste();
    expect(cleaner.status().waste).toBe(0);
  });

  it('refuses to drain more than the waste canister has room for', async () => {
    const cleaner = new Cleaner();
    await cleaner._initialize({ time_scale: 0 });
    cleaner.place({ container: 'bucket', volume: 20_001 });
    await expect(cleaner.drain()).rejects.toThrow('empty it before 20001 ml more');
  });
});
