import { BaseTask, type TaskResult } from '@lab/sdk';
import type ColorStation from '../../devices/color_station/device.js';
import type MicrofadingTester from '../../devices/microfading_tester/device.js';
import type { Beaker } from '../../handling/beaker.js';

interface Parameters {
  exposure_time: number;
  illuminance: number;
}

/** The beaker stays in its station, which therefore belongs to this task as well. */
export default class TestLightfastness extends BaseTask<
  { station: ColorStation; tester: MicrofadingTester },
  Parameters,
  { beaker: Beaker }
> {
  async _execute(
    { station, tester }: this['devices'],
    parameters: Parameters,
    { beaker }: this['resources'],
  ): Promise<TaskResult<{ dose: number; color_difference: number }>> {
    const { container, paint } = await station.status();
    if (container !== beaker.name || paint === null) {
      throw new Error(
        `${beaker.name} is expected in ${station.name}, which holds ${container ?? 'no beaker'}`,
      );
    }
    const { readings } = await tester.fade({ station: station.name, paint, ...parameters });
    const last = readings.at(-1);
    if (last === undefined) throw new Error(`${tester.name} exposed ${beaker.name} and read nothing`);
    const rows = readings.map(({ time, dose, color_difference }) => `${time},${dose},${color_difference}`);
    const files = { 'fading.csv': ['time_s,dose_mlxh,color_difference', ...rows, ''].join('\n') };
    return [{ dose: last.dose, color_difference: last.color_difference }, { beaker }, files];
  }
}
