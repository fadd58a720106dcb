import { BaseTask, type TaskResult } from '@lab/sdk';
import type Incubator from '../../devices/incubator/device.js';

interface Parameters {
  hours: number;
  celsius: number;
}

export default class Incubate extends BaseTask<{ incubator: Incubator }, Parameters> {
  async _execute({ incubator }: this['devices'], { hours }: Parameters): Promise<TaskResult> {
    await incubator.work({ seconds: 0.1 * hours });
    return [{}, {}, {}];
  }
}
