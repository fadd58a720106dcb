import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve as absolute } from 'node:path';
import { argv } from 'node:process';
import type {
  AgentLog,
  DeviceProcess,
  DeviceProcesses,
  HostKind,
  TaskProcess,
  TaskProcesses,
} from '@lab/actors';
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
  type DebuggedStart,
  type Debuggers,
  type HostProgram,
  type Interpreters,
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

function launchOf(
  host: Host,
  { runtime, environment }: HostKind,
  interpreters: Interpreters,
  given: readonly string[] = [],
): HostProgram {
  const path = programOf(host, runtime);
  if (runtime === 'node') return nodeHost(path, { given });
  return pythonHost(interpreters.program(environment), path, given);
}

function debugged(
  debuggers: Debuggers | undefined,
  name: string | undefined,
  kind: HostKind,
  host: HostProgram,
  waits = false,
): DebuggedStart {
  return debuggers?.start(name, kind, host, waits) ?? { host, address: undefined, ended: () => undefined };
}

/** Forks one process per device. */
export class ForkedDeviceProcesses implements DeviceProcesses {
  /**
   * @param folder holds a folder for each device, with the files that the device keeps
   * @param interpreters has that of a device in Python before the device is started
   * @param user under whom the processes run; undefined: the user of the agent
   * @param debuggers undefined: none may attach
   */
  constructor(
    private readonly list: DeviceProcessList,
    private readonly folder: string,
    private readonly interpreters: Interpreters,
    private readonly log: AgentLog,
    private readonly user?: CodeUser,
    private readonly debuggers?: Debuggers,
  ) {}

  start(device: DeviceAssignment): DeviceProcess {
    const log = this.log.child({ lab: device.lab, device: `${device.lab}.${device.name}` });
    const folder = join(absolute(this.folder), encodeToken(`${device.lab}.${device.name}`));
    const { runtime = 'node', environment } = device.module;
    const kind = { runtime, environment };
    const own = launchOf('device-host', kind, this.interpreters, [folder]);
    const { host, address, ended } = debugged(this.debuggers, `${device.lab}.${device.name}`, kind, own);
    const process: ForkedProcess<ToDevice, FromDevice> = new ForkedProcess({
      ...{ host, debugger: address },
      user: this.user,
      messages: heardFromDevice,
      log,
      written: (level, text) => ({ type: 'log', level, text }),
      onGone: () => {
        ended();
        if (process.pid !== undefined) this.list.remove(process.pid);
      },
    });
    if (process.pid !== undefined) this.list.add(process.pid);
    return process;
  }
}

/** Forks processes that run tasks. */
export class ForkedTaskProcesses implements TaskProcesses {
  /** @param interpreters has that of a process for tasks in Python before the process is started */
  constructor(
    private readonly interpreters: Interpreters,
    private readonly log: AgentLog,
    private readonly user?: CodeUser,
    private readonly debuggers?: Debuggers,
  ) {}

  start(kind: HostKind): TaskProcess {
    const own = launchOf('task-host', kind, this.interpreters);
    const { host, address, ended } = debugged(this.debuggers, kind.debugged, kind, own, true);
    return new ForkedProcess<ToTask, FromTask>({
      ...{ host, debugger: address, onGone: ended },
      user: this.user,
      messages: heardFromTask,
      log: this.log,
      written: (level, text) => ({ type: 'log', level, text }),
    });
  }
}
