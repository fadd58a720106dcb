import { BaseTask, type TaskResult } from '@lab/sdk';
import type Multiplier from '../../devices/multiplier/device.js';

export default class MultiplyOnTwo extends BaseTask<
  { left: Multiplier; right: Multiplier },
  { number: number }
> {
  async _execute(devices: this['devices'], { number }: { number: number }): Promise<TaskResult> {
    const products = await Promise.all(
      [devices.left, devices.right].map((device) => device.multiply({ a: number, b: number })),
    );
    return [{ sum: products.reduce((sum, { product }) => sum + product, 0) }, {}, {}];
  }
}
