import { BaseDevice, effect, query } from '@lab/sdk';
import { srgbOf } from '../../optics/color-space.js';
import {
  add,
  noPaint,
  reflectanceOf,
  stir,
  volumeOf,
  type Paint,
  type Volumes,
} from '../../optics/mixing.js';
import { normalNoise } from '../../optics/noise.js';
import { xyzOf } from '../../optics/observer.js';
import { pigmentNames } from '../../optics/pigments.js';
import { wavelengths } from '../../optics/spectrum.js';
import { PhysicalState } from '../../work/physical-state.js';
import { checkAtLeastZero, checkRange, rounded, SimulatedWork, Stopped } from '../../work/simulated-work.js';
import { photograph } from './photograph.js';

interface InitParameters {
  /** Simulated seconds become this many real ones. */
  time_scale: number;
  /** Stations with the same seed have the same measurement noise. */
  seed: number;
  /** Standard deviation of a measured red, green or blue, on the scale from 0 to 255. */
  noise: number;
}

/** What is in the clamp. */
interface Beaker {
  container: string;
  /** Millilitres. */
  capacity: number;
  paint: Paint;
}

interface Measurement {
  /** sRGB, 0 to 255. */
  red: number;
  green: number;
  blue: number;
  /** Nanometres. */
  wavelengths: number[];
  /** 0 to 1, one for each wavelength. */
  reflectance: number[];
  /** PNG, in base64. */
  image: string;
}

const clampSeconds = 1;
/** Millilitres a second that the five pumps dose together. */
const dosingRate = 2;
const measuringSeconds = 6;
const drainSeconds = 6;

/** Turns per minute that the stirrer can do. */
const fastest = 1500;
/** Seconds after which the stirrer has to cool down. */
const longest = 600;
/** Seconds for the longest stirring, after dosing up to 600 ml. */
const mixTimeout = 900;

export default class ColorStation extends BaseDevice<InitParameters> {
  private work = new SimulatedWork(1);
  private noise: () => number = () => 0;
  private clamped = new PhysicalState<Beaker | null>(null, null);
  private activity: 'idle' | 'dosing' | 'stirring' | 'measuring' = 'idle';

  async _initialize({ time_scale, seed, noise }: InitParameters): Promise<void> {
    checkAtLeastZero('noise', noise);
    const normal = normalNoise(seed);
    this.noise = () => noise * normal();
    this.work = new SimulatedWork(time_scale);
    this.clamped = new PhysicalState<Beaker | null>(this.stateFolder, null);
    this.activity = 'idle';
  }

  async _cleanup(): Promise<void> {
    this.log.info('stirrer stopped, pumps closed');
  }

  /** Stops stirrer and pumps: what has flowed stays in the beaker, and is known. */
  override _stop(reason: string): void {
    this.work.stop(reason);
  }

  async _report(): Promise<object> {
    return this.status();
  }

  /**
   * Clamps a beaker that was set down in the station.
   *
   * @param capacity millilitres
   * @param paint what is in it, as `status` tells it; left out for a clean beaker
   * @throws Error when there is a beaker in the clamp already
   */
  @effect({
    description: 'Clamps a beaker that was set down in the station',
    parameters: {
      container: { type: 'str', desc: 'Name of the beaker' },
      capacity: { type: 'float', unit: 'ml', min: 0, desc: 'What it holds at most' },
      paint: { type: 'dict', optional: true, desc: 'What is in it; left out for a clean beaker' },
    },
  })
  async clamp({
    container,
    capacity,
    paint = noPaint,
  }: {
    container: string;
    capacity: number;
    paint?: Paint;
  }) {
    const inside = this.clamped.get();
    if (inside !== null) {
      throw new Error(`${inside.container} is in the clamp: take it out before ${container} comes`);
    }
    if (!(capacity > 0)) throw new RangeError(`${container} cannot have a capacity of ${capacity} ml`);
    await this.work.spend(clampSeconds);
    this.clamped.set({ container, capacity, paint });
  }

  /** Opens the clamp, so that the beaker can be taken out. */
  @effect({ description: 'Opens the clamp, so that the beaker can be taken out', parameters: {} })
  async release(): Promise<{ container: string; paint: Paint }> {
    const { container, paint } = this.inClamp();
    await this.work.spend(clampSeconds);
    this.clamped.set(null);
    return { container, paint };
  }

  /** Drains the beaker in the clamp into the waste of the station: for one that a stopped run left behind. */
  @effect({ description: 'Drains the beaker in the clamp into the waste', parameters: {} })
  async discard(): Promise<void> {
    const beaker = this.inClamp();
    await this.work.spend(drainSeconds);
    this.clamped.set({ ...beaker, paint: noPaint });
  }

  /**
   * Doses the pastes and stirs.
   *
   * @param volumes millilitres of each paste
   * @param mixing_time seconds
   * @param mixing_speed turns per minute
   * @throws Error when there is no beaker or too little room in it, or a value is out of range; then nothing was dosed
   */
  @effect({
    timeout: mixTimeout,
    description: 'Doses the pastes and stirs',
    parameters: {
      volumes: { type: 'dict', desc: 'Millilitres of each paste, by its name' },
      mixing_time: { type: 'float', unit: 's', min: 0, max: longest },
      mixing_speed: { type: 'float', unit: 'rpm', min: 0, max: fastest },
    },
  })
  async mix({
    volumes,
    mixing_time,
    mixing_speed,
  }: {
    volumes: Volumes;
    mixing_time: number;
    mixing_speed: number;
  }): Promise<Paint> {
    const beaker = this.inClamp();
    checkVolumes(volumes);
    checkRange('mixing_time', mixing_time, 's', 0, longest);
    checkRange('mixing_speed', mixing_speed, 'rpm', 0, fastest);
    const dosed = volumeOf(volumes);
    const before = volumeOf(beaker.paint.volumes);
    if (before + dosed > beaker.capacity) {
      throw new RangeError(
        `${beaker.container} holds ${before} of ${beaker.capacity} ml: ${dosed} ml more would run over`,
      );
    }
    if (before + dosed === 0) throw new RangeError(`${beaker.container} is empty: there is nothing to stir`);
    // If the process dies while it doses, nobody knows how much has flowed. At most, all of it has.
    this.clamped.set({ ...beaker, paint: add(beaker.paint, volumes) });
    try {
      this.activity = 'dosing';
      const layered = await this.part(
        dosed / dosingRate,
        (share) => add(beaker.paint, shareOf(volumes, share)),
        beaker,
      );
      this.activity = 'stirring';
      return await this.part(
        mixing_time,
        (share) => stir(layered, mixing_time * share, mixing_speed),
        beaker,
      );
    } finally {
      this.activity = 'idle';
    }
  }

  /**
   * Measures the color of what is in the beaker.
   *
   * @throws Error when there is no beaker, or nothing in it
   */
  @effect({ description: 'Measures the color of what is in the beaker', parameters: {} })
  async measure(): Promise<Measurement> {
    const { container, paint } = this.inClamp();
    if (volumeOf(paint.volumes) === 0) throw new Error(`${container} is empty: there is no color to measure`);
    this.activity = 'measuring';
    try {
      await this.work.spend(measuringSeconds);
    } finally {
      this.activity = 'idle';
    }
    const reflectance = reflectanceOf(paint);
    const seen = srgbOf(xyzOf(reflectance)).map((value) =>
      rounded(Math.min(255, Math.max(0, value + this.noise())), 2),
    );
    const [red = 0, green = 0, blue = 0] = seen;
    return {
      red,
      green,
      blue,
      wavelengths: [...wavelengths],
      reflectance: reflectance.map((value) => rounded(value, 5)),
      image: photograph(paint, [red, green, blue]).toString('base64'),
    };
  }

  /** What the station holds and does. A query: it answers while the stirrer turns. */
  @query({ description: 'Tells what the station holds and does', parameters: {} })
  status(): { container: string | null; paint: Paint | null; volume: number; activity: string } {
    const { container = null, paint = null } = this.clamped.get() ?? {};
    return {
      container,
      paint,
      volume: paint === null ? 0 : volumeOf(paint.volumes),
      activity: this.activity,
    };
  }

  /** A part of the mixing; when it is stopped, the beaker holds what came of the share that was done. */
  private async part(seconds: number, paintAfter: (share: number) => Paint, beaker: Beaker): Promise<Paint> {
    let share = 1;
    try {
      await this.work.spend(seconds);
    } catch (error) {
      share = error instanceof Stopped ? error.share : 0;
      throw error;
    } finally {
      this.clamped.set({ ...beaker, paint: paintAfter(share) });
    }
    return paintAfter(share);
  }

  private inClamp(): Beaker {
    const beaker = this.clamped.get();
    if (beaker === null) throw new Error(`There is no beaker in the clamp of ${this.name}`);
    return beaker;
  }
}

function checkVolumes(volumes: Volumes): void {
  for (const name of pigmentNames) checkRange(name, volumes[name], 'ml', 0);
  const extra = Object.keys(volumes).find((name) => !(pigmentNames as readonly string[]).includes(name));
  if (extra !== undefined) {
    throw new RangeError(`There is no paste called ${extra}; there are ${pigmentNames.join(', ')}`);
  }
}

function shareOf(volumes: Volumes, share: number): Volumes {
  return Object.fromEntries(pigmentNames.map((name) => [name, volumes[name] * share])) as unknown as Volumes;
}
