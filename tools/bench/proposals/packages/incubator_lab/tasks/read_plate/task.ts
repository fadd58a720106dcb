import { BaseTask, type TaskResult } from '@lab/sdk';
import type Reader from '../../devices/reader/device.js';

interface Parameters {
  feed: number;
  hours: number;
  celsius: number;
}

export default class ReadPlate extends BaseTask<{ reader: Reader }, Parameters> {
  async _execute(
    { reader }: this['devices'],
    { feed, hours, celsius }: Parameters,
  ): Promise<TaskResult<{ growth: number }>> {
    await reader.work({ seconds: 0.1 });
    return [{ growth: growthOf(feed, hours, celsius) }, {}, {}];
  }
}

/**
 * Growth on a plate: most at 37 degrees with 6 g/l, of which too much is worse than too little. It takes some hours, and more
 * hours change nothing. `growthAt` of the benchmark is the same.
 */
function growthOf(feed: number, hours: number, celsius: number): number {
  const warmth = Math.exp(-(((celsius - 37) / 6) ** 2));
  const food = Math.exp(-(((feed - 6) / (feed > 6 ? 2 : 4)) ** 2));
  return warmth * food * (1 - Math.exp(-((hours / 1.5) ** 2)));
}
