import { BaseTask, type TaskResult } from '@lab/sdk';
import type ColorStation from '../../devices/color_station/device.js';
import type RobotArm from '../../devices/robot_arm/device.js';
import { clearStation, shelf, type Beaker } from '../../handling/beaker.js';

export default class RetrieveContainer extends BaseTask<
  { arm: RobotArm; station: ColorStation },
  Record<never, never>,
  { beaker: Beaker }
> {
  async _execute(
    { arm, station }: this['devices'],
    _parameters: Record<never, never>,
    { beaker }: this['resources'],
  ): Promise<TaskResult> {
    // Nothing is mixed into what a stopped run left behind: the measured color would be a lie.
    if (beaker.meta.volume > 0) {
      throw new Error(
        `${beaker.name} still holds ${beaker.meta.volume} ml from a run that was stopped: set it into the cleaning station ` +
          `and run the task clean_container with it`,
      );
    }
    const left = await clearStation(arm, station);
    if (left !== null) this.log.warn(`${left} stood in ${station.name}; it is on the shelf now`);
    await arm.move({ container: beaker.name, from: shelf, to: station.name });
    await station.clamp({
      container: beaker.name,
      capacity: beaker.meta.capacity,
      ...(beaker.meta.paint === null ? {} : { paint: beaker.meta.paint }),
    });
    // What is known of the beaker changed, so it is returned: the next task finds it as it is here.
    beaker.meta.location = station.name;
    return [{}, { beaker }, {}];
  }
}
