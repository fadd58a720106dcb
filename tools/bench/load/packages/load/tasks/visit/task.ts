import { setTimeout as delay } from 'node:timers/promises';
import { BaseTask, type TaskResult } from '@lab/sdk';
import type Station from '../../devices/station/device.js';

type Parameters = { key: string; stay_s: number };

export default class Visit extends BaseTask<{ station: Station }, Parameters> {
  async _execute(devices: this['devices'], { key, stay_s }: Parameters): Promise<TaskResult> {
    await devices.station.touch({ key });
    if (stay_s > 0) await delay(stay_s * 1000, undefined, { signal: this.signal });
    return [{}, {}, {}];
  }
}
