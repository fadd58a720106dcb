import { BaseTask, type TaskResult } from '@lab/sdk';
import type CleaningStation from '../../devices/cleaning_station/device.js';
import { shelf, type Beaker } from '../../handling/beaker.js';

export default class CleanContainer extends BaseTask<
  { cleaner: CleaningStation },
  Record<never, never>,
  { beaker: Beaker }
> {
  async _execute(
    { cleaner }: this['devices'],
    _parameters: Record<never, never>,
    { beaker }: this['resources'],
  ): Promise<TaskResult> {
    // A run brings the beaker with the arm. As a task by itself, a person has set it down, and takes it out again.
    const byHand = beaker.meta.location !== cleaner.name;
    if (byHand) {
      this.log.info(`${beaker.name} is expected to be set down by hand`);
      // After an interruption the cleaning station may have noted the beaker already.
      if ((await cleaner.status()).container !== beaker.name)
        await cleaner.place({ container: beaker.name, volume: beaker.meta.volume });
      await cleaner.drain();
    }
    await cleaner.rinse();
    if (byHand) await cleaner.release();
    const location = byHand ? shelf : cleaner.name;
    beaker.meta = { ...beaker.meta, location, volume: 0, paint: null };
    return [{}, { beaker }, {}];
  }
}
