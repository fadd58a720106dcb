import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve as absolute } from 'node:path';
import { argv } from 'node:process';
import type { AgentLog, DeviceProcess, DeviceProcesses, TaskProcess, TaskProcesses } from '@lab/actors';
import {
  fromDevice,
  encodeToken,
  fromTask,
  zodSchema,
  type DeviceAssignment,
  type FromDevice,
  type FromTask,
  type ToDevice,
  type ToTask,
} from '@lab/contracts';
import { ForkedProcess, type CodeUser } from '@lab/hosting';
import type { DeviceProcessList } from './device-process-list.js';

const heardFromDevice = zodSchema(fromDevice);
const heardFromTask = zodSchema(fromTask);

/** The programs that load author code. */
export const hostPrograms = (): string[] => [programOf('device-host'), programOf('task-host')];

/** The program of a host: from the bundle, when this process runs the bundle of the agent. */
function programOf(host: 'device-host' | 'task-host'): string {
  const bundled = join(dirname(argv[1] ?? ''), 'hosts', `${host}.js`);
  return existsSync(bundled) ? bundled : createRequire(import.meta.url).resolve(`@lab/sdk/${host}`);
}

/** Forks one process per device. */
export class ForkedDeviceProcesses implements DeviceProcesses {
  readonly #host = programOf('device-host');

  /**
   * @param folder holds a folder for each device, with the files that the device keeps
   * @param user under whom the processes run; undefined: the user of the agent
   */
  constructor(
    private readonly list: DeviceProcessList,
    private readonly folder: string,
    private readonly log: AgentLog,
    private readonly user?: CodeUser,
  ) {}

  start(device: DeviceAssignment): DeviceProcess {
    const log = this.log.child({ lab: device.lab, device: `${device.lab}.${device.name}` });
    const process: ForkedProcess<ToDevice, FromDevice> = new ForkedProcess({
      host: this.#host,
      hostArguments: [join(absolute(this.folder), encodeToken(`${device.lab}.${device.name}`))],
      user: this.user,
      messages: heardFromDevice,
      log,
      written: (level, text) => ({ type: 'log', level, text }),
      onGone: () => {
        if (process.pid !== undefined) this.list.remove(process.pid);
      },
    });
    if (process.pid !== undefined) this.list.add(process.pid);
    return process;
  }
}

/** Forks processes that run tasks. */
export class ForkedTaskProcesses implements TaskProcesses {
  readonly #host = programOf('task-host');

  constructor(
    private readonly log: AgentLog,
    private readonly user?: CodeUser,
  ) {}

  start(): TaskProcess {
    return new ForkedProcess<ToTask, FromTask>({
      host: this.#host,
      user: this.user,
      messages: heardFromTask,
      log: this.log,
      written: (level, text) => ({ type: 'log', level, text }),
    });
  }
}
