import { BaseTask, type TaskResult } from '@lab/sdk';
import type CleaningStation from '../../devices/cleaning_station/device.js';
import type RobotArm from '../../devices/robot_arm/device.js';
import { shelf, type Beaker } from '../../handling/beaker.js';

export default class StoreContainer extends BaseTask<
  { arm: RobotArm; cleaner: CleaningStation },
  Record<never, never>,
  { beaker: Beaker }
> {
  async _execute(
    { arm, cleaner }: this['devices'],
    _parameters: Record<never, never>,
    { beaker }: this['resources'],
  ): Promise<TaskResult> {
    // After an interruption the cleaning station may have released the beaker already.
    if ((await cleaner.status()).container === beaker.name) await cleaner.release();
    await arm.move({ container: beaker.name, from: cleaner.name, to: shelf });
    beaker.meta.location = shelf;
    return [{}, { beaker }, {}];
  }
}
