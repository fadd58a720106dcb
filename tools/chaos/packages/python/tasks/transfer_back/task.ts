import { BaseTask, type TaskResult } from '@lab/sdk';
import type Instrument from '../../../chaos_lab/devices/instrument/device.js';

/** Moves a device in Python, and then one in TypeScript. A handle knows the functions of its device at run time. */
export default class TransferBack extends BaseTask<{ from: Instrument; to: Instrument }, { ms: number }> {
  async _execute(devices: this['devices'], { ms }: { ms: number }): Promise<TaskResult> {
    await devices.from.move({ ms });
    await devices.to.move({ ms });
    return [{ moved: 2 }, {}, {}];
  }
}
