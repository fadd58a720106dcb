import { BaseTask, type TaskResult } from '@lab/sdk';
import type Handler from '../../devices/handler/device.js';

export default class PreparePlate extends BaseTask<{ handler: Handler }, { feed: number }> {
  async _execute({ handler }: this['devices']): Promise<TaskResult> {
    await handler.work({ seconds: 0.05 });
    return [{}, {}, {}];
  }
}
