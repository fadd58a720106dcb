import { BaseTask, type TaskResult } from '@lab/sdk';
import type Instrument from '../../devices/instrument/device.js';

export default class Transfer extends BaseTask<{ from: Instrument; to: Instrument }, { ms: number }> {
  async _execute(devices: this['devices'], { ms }: { ms: number }): Promise<TaskResult> {
    await devices.from.move({ ms });
    await devices.to.move({ ms });
    return [{ moved: 2 }, {}, {}];
  }
}
