import { BaseTask, type TaskResult } from '@lab/sdk';
import type CleaningStation from '../../devices/cleaning_station/device.js';
import type ColorStation from '../../devices/color_station/device.js';
import type RobotArm from '../../devices/robot_arm/device.js';
import { clearCleaner, openClamp, type Beaker } from '../../handling/beaker.js';

export default class EmptyContainer extends BaseTask<
  { arm: RobotArm; station: ColorStation; cleaner: CleaningStation },
  Record<never, never>,
  { beaker: Beaker }
> {
  async _execute(
    { arm, station, cleaner }: this['devices'],
    _parameters: Record<never, never>,
    { beaker }: this['resources'],
  ): Promise<TaskResult<{ drained: number }>> {
    // A person may have this tried again after an interruption at any point: nothing that was done is done twice.
    if ((await cleaner.status()).container !== beaker.name) {
      const left = await clearCleaner(arm, cleaner);
      if (left !== null) this.log.warn(`${left} stood in ${cleaner.name}; it is on the shelf now`);
      await openClamp(station, beaker);
      await arm.move({ container: beaker.name, from: station.name, to: cleaner.name });
      await cleaner.place({ container: beaker.name, volume: beaker.meta.volume });
    }
    const { drained } = await cleaner.drain();
    beaker.meta = { ...beaker.meta, location: cleaner.name, volume: 0, paint: null };
    return [{ drained }, { beaker }, {}];
  }
}
