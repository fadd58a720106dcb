import { BaseTask, type TaskResult } from '@lab/sdk';
import { ciede2000, labOf, xyzOfSrgb } from '../../optics/color-space.js';

interface Parameters {
  red: number;
  green: number;
  blue: number;
  target_red: number;
  target_green: number;
  target_blue: number;
}

/** Needs no device and no resource: it runs on the computer of the service, and waits for nothing. */
export default class ScoreColor extends BaseTask<Record<never, never>, Parameters> {
  async _execute(_devices: this['devices'], parameters: Parameters): Promise<TaskResult<{ loss: number }>> {
    const { red, green, blue, target_red, target_green, target_blue } = parameters;
    const measured = labOf(xyzOfSrgb([red, green, blue]));
    const wanted = labOf(xyzOfSrgb([target_red, target_green, target_blue]));
    return [{ loss: Number(ciede2000(measured, wanted).toFixed(4)) }, {}, {}];
  }
}
