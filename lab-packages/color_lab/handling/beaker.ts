import type { Handle, Resource } from '@lab/sdk';
import type CleaningStation from '../devices/cleaning_station/device.js';
import type ColorStation from '../devices/color_station/device.js';
import type RobotArm from '../devices/robot_arm/device.js';
import type { Paint } from '../optics/mixing.js';

/** A beaker of the lab, with what is known of it between tasks. */
export type Beaker = Resource<{
  /** Millilitres. */
  capacity: number;
  /** `shelf`, or the name of a device. */
  location: string;
  /** Millilitres. */
  volume: number;
  paint: Paint | null;
}>;

export const shelf = 'shelf';

/**
 * Takes away a beaker that a stopped run left in a station. The device belongs to this task alone, so no running task can
 * still need that beaker.
 *
 * @returns the name of the beaker that is on the shelf again, or null
 */
export async function clearStation(
  arm: Handle<RobotArm>,
  station: Handle<ColorStation>,
): Promise<string | null> {
  const { container } = await station.status();
  if (container === null) return null;
  await station.discard();
  await station.release();
  await arm.move({ container, from: station.name, to: shelf });
  return container;
}

/** As {@link clearStation}, for the cleaning station. */
export async function clearCleaner(
  arm: Handle<RobotArm>,
  cleaner: Handle<CleaningStation>,
): Promise<string | null> {
  const { container } = await cleaner.status();
  if (container === null) return null;
  await cleaner.drain();
  await cleaner.release();
  await arm.move({ container, from: cleaner.name, to: shelf });
  return container;
}

/**
 * Opens the clamp of the station in which the beaker is. After an interruption the clamp may be open already.
 *
 * @throws Error when another beaker is in the clamp
 */
export async function openClamp(station: Handle<ColorStation>, { name }: Beaker): Promise<void> {
  const { container } = await station.status();
  if (container === name) await station.release();
  else if (container !== null) throw new Error(`${station.name} holds ${container} instead of ${name}`);
}

/**
 * Drains what an interrupted mixing left in an empty beaker, because nobody knows what has flowed.
 *
 * @throws Error when the interrupted mixing began with paint in the beaker
 */
export async function discardUnknownDose(
  station: Handle<ColorStation>,
  { name, meta }: Beaker,
): Promise<void> {
  const { container, volume } = await station.status();
  if (container !== name || volume === meta.volume) return;
  if (meta.volume > 0)
    throw new Error(
      `${name} holds ${volume} ml instead of ${meta.volume} ml: nobody knows its color after an interrupted mixing`,
    );
  await station.discard();
}
