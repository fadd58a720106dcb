import { BaseDevice, effect, query } from '@lab/sdk';
import { ciede2000, labOf, srgbOf, xyzOfSrgb, type Lab } from '../../optics/color-space.js';
import { fadedPigments } from '../../optics/fading.js';
import { reflectanceOf, volumeOf, type Paint } from '../../optics/mixing.js';
import { normalNoise } from '../../optics/noise.js';
import { xyzOf } from '../../optics/observer.js';
import { checkAtLeastZero, checkRange, rounded, SimulatedWork } from '../../work/simulated-work.js';

interface InitParameters {
  /** Simulated seconds become this many real ones. */
  time_scale: number;
  /** Testers with the same seed have the same measurement noise. */
  seed: number;
  /** Standard deviation of a measured red, green or blue, on the scale from 0 to 255. */
  noise: number;
}

/** The color of the spot after some light. */
interface Reading {
  /** Seconds of exposure. */
  time: number;
  /** Megalux hours. */
  dose: number;
  /** CIEDE2000 to the color before the exposure. */
  color_difference: number;
}

/** Seconds to drive over a station, to find the surface of the paint, and to measure in the dark. */
const approachSeconds = 10;
/** Seconds of exposure from one reading to the next. */
const readingInterval = 10;

/** Megalux that the lamp can focus on the spot. */
const brightest = 10;
/** Seconds of exposure; longer, the paint around the spot dries. */
const longest = 600;
/** Seconds for the longest exposure, with the approach. */
const fadeTimeout = 660;

/**
 * Tells how fast to light a paint is by what becomes of a spot of 0.4 mm under a strong lamp, which the rest of the paint does
 * not notice (P. M. Whitmore, X. Pan and C. Bailie, "Predicting the fading of objects", Journal of the American Institute for
 * Conservation 38 (1999) 395-409). It hangs on a gantry above the stations and serves one at a time.
 */
export default class MicrofadingTester extends BaseDevice<InitParameters> {
  private work = new SimulatedWork(1);
  private noise: () => number = () => 0;
  private over: string | null = null;
  private shutter: 'closed' | 'open' = 'closed';

  async _initialize({ time_scale, seed, noise }: InitParameters): Promise<void> {
    checkAtLeastZero('noise', noise);
    const normal = normalNoise(seed);
    this.noise = () => noise * normal();
    this.work = new SimulatedWork(time_scale);
    this.over = null;
    this.shutter = 'closed';
  }

  async _cleanup(): Promise<void> {
    this.log.info('lamp switched off');
  }

  /** Closes the shutter, so that no light falls on the paint any more. */
  override _stop(reason: string): void {
    this.work.stop(reason);
  }

  async _report(): Promise<object> {
    return this.status();
  }

  /**
   * Fades a spot of the paint in a station, and measures its color before and again and again meanwhile.
   *
   * @param station name of the station
   * @param paint what is in the beaker there, as the station tells it
   * @param exposure_time seconds
   * @param illuminance megalux
   * @throws RangeError when the beaker is empty, or a value out of range; then nothing was exposed
   */
  @effect({
    timeout: fadeTimeout,
    description: 'Fades a spot of the paint in a station and measures its color meanwhile',
    parameters: {
      station: { type: 'str', desc: 'Name of the station' },
      paint: { type: 'dict', desc: 'What is in the beaker, as the station tells it' },
      exposure_time: { type: 'float', unit: 's', min: 1, max: longest },
      illuminance: { type: 'float', unit: 'Mlx', min: 0.1, max: brightest },
    },
  })
  async fade({
    station,
    paint,
    exposure_time,
    illuminance,
  }: {
    station: string;
    paint: Paint;
    exposure_time: number;
    illuminance: number;
  }): Promise<{ readings: Reading[] }> {
    if (volumeOf(paint.volumes) === 0) {
      throw new RangeError(`The beaker in ${station} is empty: there is nothing to fade`);
    }
    checkRange('exposure_time', exposure_time, 's', 1, longest);
    checkRange('illuminance', illuminance, 'Mlx', 0.1, brightest);
    this.over = station;
    try {
      await this.work.spend(approachSeconds);
      const before = this.measured(paint, 0);
      this.shutter = 'open';
      const readings: Reading[] = [];
      for (let time = 0; time < exposure_time;) {
        const next = Math.min(exposure_time, time + readingInterval);
        await this.work.spend(next - time);
        time = next;
        const dose = (illuminance * time) / 3600;
        const difference = ciede2000(before, this.measured(paint, dose));
        readings.push({ time, dose: rounded(dose, 5), color_difference: rounded(difference, 3) });
      }
      return { readings };
    } finally {
      this.shutter = 'closed';
      this.over = null;
    }
  }

  /** Where the tester is and whether light falls on the paint. A query: it answers during an exposure. */
  @query({ description: 'Tells where the tester is and whether its shutter is open', parameters: {} })
  status(): { over: string | null; shutter: 'closed' | 'open' } {
    return { over: this.over, shutter: this.shutter };
  }

  /** The color of the spot after a dose, in megalux hours. */
  private measured(paint: Paint, dose: number): Lab {
    const [red, green, blue] = srgbOf(xyzOf(reflectanceOf(paint, fadedPigments(dose))));
    return labOf(xyzOfSrgb([red + this.noise(), green + this.noise(), blue + this.noise()]));
  }
}
