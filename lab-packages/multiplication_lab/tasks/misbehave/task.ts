import { BaseTask, type TaskResult } from '@lab/sdk';
import type Brittle from '../../devices/brittle/device.js';

type Mode =
  | 'not_at_all'
  | 'look'
  | 'long_step'
  | 'die_in_step'
  | 'throw'
  | 'device_throws'
  | 'device_exits'
  | 'device_hangs'
  | 'calls_undeclared'
  | 'calls_inherited'
  | 'wrong_argument'
  | 'exit'
  | 'ignore_abort'
  | 'wrong_output'
  | 'no_triple';

export default class Misbehave extends BaseTask<{ brittle: Brittle }, { mode: Mode }> {
  async _execute({ brittle }: this['devices'], { mode }: { mode: Mode }): Promise<TaskResult> {
    if (mode === 'look') return look(brittle);
    const { steps } = await brittle.step();
    switch (mode) {
      case 'not_at_all':
        break;
      case 'long_step':
        await brittle.step({ seconds: 60 });
        break;
      case 'die_in_step': {
        void brittle.step({ seconds: 1 });
        while ((await brittle.count()).steps === steps);
        process.kill(process.pid, 'SIGKILL');
        break;
      }
      case 'throw':
        throw new Error('the task was told to throw');
      case 'device_throws':
        await brittle.fail({ message: 'the device was told to throw' });
        break;
      case 'device_exits':
        await brittle.exit({ code: 3 });
        break;
      case 'device_hangs':
        await brittle.hang();
        break;
      case 'calls_undeclared':
        await brittle.hidden();
        break;
      case 'calls_inherited':
        await brittle.inherited();
        break;
      case 'wrong_argument':
        await brittle.step({ seconds: -1 });
        break;
      case 'exit':
        process.exit(7);
        break;
      case 'ignore_abort':
        for (;;) await new Promise((resolve) => setTimeout(resolve, 1000));
      case 'wrong_output':
        return [{ steps: 'many' }, {}, {}];
      case 'no_triple':
        return undefined as unknown as TaskResult;
    }
    return [{ steps }, {}, {}];
  }
}

/** Moves nothing, and is content once the device has made a step. */
async function look(brittle: Misbehave['devices']['brittle']): Promise<TaskResult> {
  const { steps } = await brittle.count();
  if (steps === 0) throw new Error('the device has made no step yet');
  return [{ steps }, {}, {}];
}
