import { BaseTask, type TaskResult } from '@lab/sdk';
import type Probe from '../../devices/probe/device.js';

export default class Touch extends BaseTask<{ probe: Probe }, { previous_end: number }> {
  async _execute(devices: this['devices'], parameters: { previous_end: number }): Promise<TaskResult> {
    const { at } = await devices.probe.touch();
    const gap = parameters.previous_end === 0 ? 0 : at - parameters.previous_end;
    const endedAt = performance.timeOrigin + performance.now();
    return [{ called_at: at, ended_at: endedAt, gap }, {}, {}];
  }
}
