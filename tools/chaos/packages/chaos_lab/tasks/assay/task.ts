import { BaseTask, type TaskResult } from '@lab/sdk';
import type Instrument from '../../devices/instrument/device.js';

export default class Assay extends BaseTask<{ instrument: Instrument }> {
  async _execute(devices: this['devices']): Promise<TaskResult> {
    for (let seen = 0; seen < 3; seen += 1) await devices.instrument.sense();
    return [{ seen: 3 }, {}, {}];
  }
}
