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
  runtimes,
  type FromTask,
  type Runtime,
  type ToDevice,
  type ToTask,
} from '@lab/contracts';
import {
  ForkedProcess,
  nodeHost,
  pythonHost,
  type CodeUser,
  type HostProgram,
  type Python,
} from '@lab/hosting';
import type { DeviceProcessList } from './device-process-list.js';

const heardFromDevice = zodSchema(fromDevice);
const heardFromTask = zodSchema(fromTask);

type Host = 'device-host' | 'task-host';

const fromHere = createRequire(import.meta.url);

/** The programs that load author code. */
export const hostPrograms = (): string[] =>
  (['device-host', 'task-host'] as const).flatMap((host) =>
    runtimes.map((runtime) => programOf(host, runtime)),
  );

/** The program of a host: from the bundle, when this process runs the bundle of the agent. */
function programOf(host: Host, runtime: Runtime): string {
  const hosts = join(dirname(argv[1] ?? ''), 'hosts');
  if (runtime === 'node') {
    const bundled = join(hosts, `${host}.js`);
    return existsSync(bundled) ? bundled : fromHere.resolve(`@lab/sdk/${host}`);
  }
  const bundled = join(hosts, 'python');
  const folder = existsSync(bundled)
    ? bundled
    : dirname(fromHere.resolve('@lab/python-host/src/device-host.py'));
  return join(folder, `${host}.py`);
}

function launchOf(host: Host, runtime: Runtime, python: Python, given: readonly string[] = []): HostProgram {
  const path = programOf(host, runtime);
  return runtime === 'node' ? nodeHost(path, { given }) : pythonHost(python.program, path, given);
}

/** Forks one process per device. */
export class ForkedDeviceProcesses implements DeviceProcesses {
  /**
   * @param folder holds a folder for each device, with the files that the device keeps
   * @param python was found before a device in Python is started
   * @param user under whom the processes run; undefined: the user of the agent
   */
  constructor(
    private readonly list: DeviceProcessList,
    private readonly folder: string,
    private readonly python: Python,
    private readonly log: AgentLog,
    private readonly user?: CodeUser,
  ) {}

  start(device: DeviceAssignment): DeviceProcess {
    const log = this.log.child({ lab: device.lab, device: `${device.lab}.${device.name}` });
    const folder = join(absolute(this.folder), encodeToken(`${device.lab}.${device.name}`));
    const process: ForkedProcess<ToDevice, FromDevice> = new ForkedProcess({
      host: launchOf('device-host', device.module.runtime ?? 'node', this.python, [folder]),
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
  /** @param python was found before a process for tasks in Python is started */
  constructor(
    private readonly python: Python,
    private readonly log: AgentLog,
    private readonly user?: CodeUser,
  ) {}

  start(runtime: Runtime): TaskProcess {
    return new ForkedProcess<ToTask, FromTask>({
      host: launchOf('task-host', runtime, this.python),
      user: this.user,
      messages: heardFromTask,
      log: this.log,
      written: (level, text) => ({ type: 'log', level, text }),
    });
  }
}
