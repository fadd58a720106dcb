import { BaseTask, type TaskResult } from '@lab/sdk';
import type Analyzer from '../../devices/analyzer/device.js';

interface Parameters {
  number: number;
  product: number;
}

export default class ScoreMultiplication extends BaseTask<{ analyzer: Analyzer }, Parameters> {
  async _execute({ analyzer }: this['devices'], { product }: Parameters): Promise<TaskResult> {
    return [{ loss: await analyzer.analyze({ product }) }, {}, {}];
  }
}
