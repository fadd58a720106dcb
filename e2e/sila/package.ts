import { libraries, type Library } from '../../libs/sila/test/peers.js';

/** The files of the package `sila_lab`. @param ports of the servers */
export const silaLab = (ports: Record<Library, number>): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'sila_lab', version: '1.0.0', type: 'module' }),
  'devices/sila_server/device.yml': `type: sila_server
desc: Any SiLA 2 server
init_parameters: { address: '', insecure: true, lock_timeout: 60, lock_retry_delay: 0.2, lock_max_retries: 20 }
`,
  'devices/sila_server/device.ts': `import { SilaDevice } from '@lab/sila';
export default class SilaServer extends SilaDevice {}
`,
  'tasks/use_bench/task.yml': `type: use_bench
desc: Moves and heats
devices:
  bench:
    type: sila_server
input_parameters:
  seconds:
    type: float
    unit: s
    desc: How long it heats
output_parameters:
  reached:
    type: float
    unit: n/a
    desc: The temperature
`,
  'tasks/use_bench/task.ts': `import { BaseTask, type TaskResult } from '@lab/sdk';
import { connect } from '@lab/sila';
import type SilaServer from '../../devices/sila_server/device.js';
export default class UseBench extends BaseTask<{ bench: SilaServer }, { seconds: number }> {
  async _execute({ bench }: this['devices'], { seconds }: { seconds: number }): Promise<TaskResult> {
    const session = await connect(bench, { lock_timeout: 30 });
    await session.run('Bench', 'Move', { To: 5, Seconds: 0 });
    const { Reached } = await session.run('Bench', 'Heat', { Seconds: seconds, Fail: false });
    return [{ reached: Number(Reached) }, {}, {}];
  }
}
`,
  'devices/mixer/device.yml': 'type: mixer\ndesc: A mixer without SiLA\n',
  'devices/mixer/device.ts': `import { BaseDevice, effect, idempotent, query } from '@lab/sdk';
export default class Mixer extends BaseDevice<object> {
  private mixed = 0;
  async _initialize(): Promise<void> {
    this.mixed = 0;
  }
  async _cleanup(): Promise<void> {
    this.log.info('at rest');
  }
  async _report(): Promise<object> {
    return this.status();
  }
  @query({ description: 'Tells how much it has mixed', parameters: {} })
  status(): { mixed: number } {
    return { mixed: this.mixed };
  }
  @idempotent({ description: 'Cleans the stirrer', parameters: {} })
  clean(): { clean: boolean } {
    return { clean: true };
  }
  @effect({
    description: 'Mixes',
    parameters: {
      volume: { type: 'float', unit: 'ml', min: 0, max: 25 },
      seconds: { type: 'float', unit: 's' },
    },
  })
  async mix({ volume, seconds }: { volume: number; seconds: number }): Promise<{ mixed: number }> {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    if (volume === 13) throw new Error('the valve is stuck');
    this.mixed += volume;
    return { mixed: this.mixed };
  }
}
`,
  'tasks/use_mixer/task.yml':
    'type: use_mixer\ndesc: Mixes for some seconds\ndevices: { mixer: { type: mixer } }\n',
  'tasks/use_mixer/task.ts': `import { BaseTask, type TaskResult } from '@lab/sdk';
import type Mixer from '../../devices/mixer/device.js';
export default class UseMixer extends BaseTask<{ mixer: Mixer }> {
  async _execute({ mixer }: this['devices']): Promise<TaskResult> {
    await mixer.mix({ volume: 1, seconds: 2.5 });
    return [{}, {}, {}];
  }
}
`,
  'laboratories/sila_lab/lab.yml': `name: sila_lab
desc: Two SiLA servers, and a mixer
computers:
  sila_pc:
    desc: The computer of the instruments
    ip: 10.77.0.3
devices:
  mixer:
    desc: A mixer
    type: mixer
    computer: sila_pc
${libraries
  .map(
    (library) => `  ${library}:
    desc: A server
    type: sila_server
    computer: sila_pc
    init_parameters: { address: '127.0.0.1:${ports[library]}' }
`,
  )
  .join('')}`,
});
