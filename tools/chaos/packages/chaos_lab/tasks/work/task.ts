import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { BaseTask, type TaskResult } from '@lab/sdk';
import type Instrument from '../../devices/instrument/device.js';

interface Parameters {
  moves: number;
  ms: number;
  bytes: number;
}

/** Writes down what it returns, for whoever compares it with the record. */
export default class Work extends BaseTask<{ instrument: Instrument }, Parameters> {
  async _execute(devices: this['devices'], { moves, ms, bytes }: Parameters): Promise<TaskResult> {
    const { folder, call_id } = await devices.instrument.sense();
    const attempt = call_id.split('/')[0] ?? '';
    await devices.instrument.configure({ level: moves });
    for (let moved = 0; moved < moves; moved += 1) await devices.instrument.move({ ms });
    const token = randomBytes(8).toString('hex');
    const content = randomBytes(bytes);
    const sha256 = createHash('sha256').update(content).digest('hex');
    appendFileSync(
      join(folder, 'tasks.log'),
      `${JSON.stringify({ attempt, token, moved: moves, bytes, sha256 })}\n`,
    );
    return [{ moved: moves, token }, {}, bytes === 0 ? {} : { 'data.bin': content }];
  }
}
