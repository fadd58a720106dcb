import { BaseTask, type TaskResult } from '@lab/sdk';
import type ColorStation from '../../devices/color_station/device.js';
import { discardUnknownDose, type Beaker } from '../../handling/beaker.js';
import { volumeOf } from '../../optics/mixing.js';

interface Parameters {
  cyan_volume: number;
  magenta_volume: number;
  yellow_volume: number;
  black_volume: number;
  white_volume: number;
  cyan_strength: number;
  magenta_strength: number;
  yellow_strength: number;
  mixing_time: number;
  mixing_speed: number;
}

export default class MixColors extends BaseTask<{ station: ColorStation }, Parameters, { beaker: Beaker }> {
  async _execute(
    { station }: this['devices'],
    parameters: Parameters,
    { beaker }: this['resources'],
  ): Promise<TaskResult<{ volume: number }>> {
    const { mixing_time, mixing_speed } = parameters;
    await discardUnknownDose(station, beaker);
    const paint = await station.mix({
      volumes: {
        cyan: parameters.cyan_volume * parameters.cyan_strength,
        magenta: parameters.magenta_volume * parameters.magenta_strength,
        yellow: parameters.yellow_volume * parameters.yellow_strength,
        black: parameters.black_volume,
        white: parameters.white_volume,
      },
      mixing_time,
      mixing_speed,
    });
    const volume = volumeOf(paint.volumes);
    beaker.meta.paint = paint;
    beaker.meta.volume = volume;
    return [{ volume }, { beaker }, {}];
  }
}
