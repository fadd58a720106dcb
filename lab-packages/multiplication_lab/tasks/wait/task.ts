import { setTimeout as delay } from 'node:timers/promises';
import { BaseTask, type TaskResult } from '@lab/sdk';
import type Multiplier from '../../devices/multiplier/device.js';

export default class Wait extends BaseTask<{ multiplier: Multiplier }, { seconds: number }> {
  async _execute(_devices: this['devices'], { seconds }: { seconds: number }): Promise<TaskResult> {
    await delay(seconds * 1000, undefined, { signal: this.signal });
    return [{ waited: seconds }, {}, {}];
  }
}
