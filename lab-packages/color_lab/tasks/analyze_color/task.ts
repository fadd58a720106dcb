import { BaseTask, type TaskResult } from '@lab/sdk';
import type ColorStation from '../../devices/color_station/device.js';
import type { Beaker } from '../../handling/beaker.js';

type Outputs = { red: number; green: number; blue: number };

export default class AnalyzeColor extends BaseTask<
  { station: ColorStation },
  Record<never, never>,
  { beaker: Beaker }
> {
  async _execute(
    { station }: this['devices'],
    _parameters: Record<never, never>,
    { beaker }: this['resources'],
  ): Promise<TaskResult<Outputs>> {
    const { red, green, blue, wavelengths, reflectance, image } = await station.measure();
    const rows = wavelengths.map((wavelength, index) => `${wavelength},${reflectance[index]}`);
    // Large data leaves a task as files, under the names people will download them by.
    const files = {
      'spectrum.csv': ['wavelength_nm,reflectance', ...rows, ''].join('\n'),
      'image.png': Buffer.from(image, 'base64'),
    };
    return [{ red, green, blue }, { beaker }, files];
  }
}
