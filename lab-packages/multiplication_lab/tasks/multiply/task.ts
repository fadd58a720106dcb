import { BaseTask, type TaskResult } from '@lab/sdk';
import type Multiplier from '../../devices/multiplier/device.js';

export default class Multiply extends BaseTask<
  { multiplier: Multiplier },
  { number: number; factor: number }
> {
  async _execute(
    devices: this['devices'],
    { number, factor }: { number: number; factor: number },
  ): Promise<TaskResult> {
    const { product } = await devices.multiplier.multiply({ a: number, b: factor });
    console.log(`${number} x ${factor} = ${product} on ${devices.multiplier.name}`);
    return [{ product }, {}, {}];
  }
}
