import { BaseTask, type TaskResult } from '@lab/sdk';
import type Multiplier from '../../devices/multiplier/device.js';

interface Parameters {
  number: number;
  factor: number;
}

export default class Multiplication extends BaseTask<{ multiplier: Multiplier }, Parameters> {
  async _execute({ multiplier }: this['devices'], { number, factor }: Parameters): Promise<TaskResult> {
    return [{ in_number: number, product: await multiplier.multiply({ a: number, b: factor }) }, {}, {}];
  }
}
