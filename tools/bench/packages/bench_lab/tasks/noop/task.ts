import { BaseTask, type TaskResult } from '@lab/sdk';

export default class Noop extends BaseTask {
  async _execute(): Promise<TaskResult> {
    return [{ done: true }, {}, {}];
  }
}
