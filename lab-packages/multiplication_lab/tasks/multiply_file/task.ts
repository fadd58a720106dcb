import { readFile } from 'node:fs/promises';
import { BaseTask, type InputFile, type Resource, type TaskResult } from '@lab/sdk';
import type Multiplier from '../../devices/multiplier/device.js';

export default class MultiplyFile extends BaseTask<
  { multiplier: Multiplier },
  Record<never, never>,
  Record<string, Resource>,
  { numbers: InputFile }
> {
  async _execute({ multiplier }: this['devices']): Promise<TaskResult> {
    const lines = (await readFile(this.files.numbers.path, 'utf8')).trim().split('\n');
    let product = 1;
    for (const line of lines) ({ product } = await multiplier.multiply({ a: product, b: Number(line) }));
    return [{ product }, {}, {}];
  }
}
