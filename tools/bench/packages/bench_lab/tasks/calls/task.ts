import { BaseTask, type TaskResult } from '@lab/sdk';
import type Probe from '../../devices/probe/device.js';

export default class Calls extends BaseTask<{ probe: Probe }, { count: number }> {
  async _execute(devices: this['devices'], { count }: { count: number }): Promise<TaskResult> {
    const durations: number[] = [];
    for (let call = 0; call < count; call += 1) {
      const begin = performance.now();
      await devices.probe.touch();
      durations.push(performance.now() - begin);
    }
    // What other work on the machine disturbed does not count.
    const quick = durations.sort((a, b) => a - b)[Math.ceil(count / 10) - 1];
    return [{ call_ms: quick ?? 0 }, {}, {}];
  }
}
