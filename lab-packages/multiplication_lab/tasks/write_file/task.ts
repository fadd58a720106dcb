import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BaseTask, type TaskResult } from '@lab/sdk';

export default class WriteFile extends BaseTask<Record<never, never>, { text: string; kilobytes: number }> {
  async _execute(
    _devices: this['devices'],
    { text, kilobytes }: { text: string; kilobytes: number },
  ): Promise<TaskResult> {
    const path = join(await this.scratchFolder(), 'notes.txt');
    await writeFile(path, `${text} from a path`);
    const block = Buffer.alloc(1024, 'x');
    return [
      { files: 3 },
      {},
      {
        'notes in memory.txt': Buffer.from(text),
        'notes.txt': { path },
        'large.bin': Readable.from(
          (function* () {
            for (let index = 0; index < kilobytes; index++) yield block;
          })(),
        ),
      },
    ];
  }
}
