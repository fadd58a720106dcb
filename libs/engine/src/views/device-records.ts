import {
  isReachable,
  ServiceError,
  type DeviceFunction,
  type DeviceOutage,
  type DeviceRecord,
  type DeviceState,
} from '@lab/contracts';
import { type AgentDirectory, deviceStatusOf } from '../agents/index.js';
import { type KnownDevice, type LabMap, deviceKey } from '../labs/index.js';
import { outageOver } from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';
import { iso } from './wait-causes.js';

export function describeDevices(
  labs: LabMap,
  directory: AgentDirectory,
  state: WorkingState,
): DeviceRecord[] {
  const records: DeviceRecord[] = [];
  for (const device of labs.devices.values()) {
    const { state: now, detail, status, doing, lastKnown } = deviceStatusOf(device, directory);
    records.push({
      lab_name: device.lab,
      name: device.name,
      type: device.type,
      computer: device.computer,
      state: now,
      detail,
      held_by: holderOf(state, device.key),
      halted: status?.halted ?? null,
      out_of_service: outageOf(state, device),
      doubt: status?.doubt ?? null,
      doing,
      last_known: lastKnown,
      runtime: status?.runtime ?? null,
      debugger: status?.debugger ?? null,
      functions: status?.functions ?? [],
    });
  }
  return records.sort((a, b) => compare(a.lab_name, b.lab_name) || compare(a.name, b.name));
}

export function locateDevice(
  labs: LabMap,
  directory: AgentDirectory,
  state: WorkingState,
  { lab, device }: { lab: string; device: string },
): DeviceLocation {
  const known = labs.demand(lab, device);
  const agent = directory.get(known.computer);
  if (agent === undefined || !isReachable(agent.state))
    throw new ServiceError('agent_unreachable', `computer ${known.computer} is not connected`);
  const holder = holderOf(state, known.key);
  return {
    computer: known.computer,
    inc: agent.inc,
    functions: directory.functionsOf(known.computer, known.key),
    fence: state.allocation('device', known.key)?.fence ?? 0,
    ...(holder === null ? {} : { held_by: holder }),
  };
}

function outageOf(state: WorkingState, device: KnownDevice): DeviceOutage | null {
  const row = outageOver(state, device);
  if (row === undefined) return null;
  const { by, reason, at, until } = row;
  return { by, reason, since: iso(at), until: iso(until) };
}

/** Label of the task run that has a device (`<lab>.<device>`); null: none has it. */
function holderOf(state: WorkingState, key: string): string | null {
  const owner = state.allocation('device', key)?.taskRunId ?? null;
  const task = owner === null ? undefined : state.rows.taskRuns.get(owner);
  return task === undefined ? null : state.labelOf(task);
}

/** Where a device runs, its functions, and its holder. */
export interface DeviceLocation {
  computer: string;
  /** Incarnation of its agent. */
  inc: number;
  functions: DeviceFunction[];
  /** Label of the task run that has the device; absent: none. */
  held_by?: string;
  /** Of the latest allocation of the device; 0: there was none. */
  fence: number;
}

/** Progress of the start of a device. */
export interface DeviceStart {
  name: string;
  computer: string;
  state: DeviceState;
  detail: string | null;
  /** Its agent is connected and not silent. */
  reachable: boolean;
  /** Time of its last known start, in milliseconds since 1970; undefined: unknown to this leader. */
  startedAt: number | undefined;
}

export function describeStarts(
  labs: LabMap,
  directory: AgentDirectory,
  state: WorkingState,
  lab: string,
): DeviceStart[] {
  return describeDevices(labs, directory, state)
    .filter((device) => device.lab_name === lab)
    .map(({ name, computer, state: now, detail }) => {
      const agent = directory.get(computer);
      return {
        name,
        computer,
        state: now,
        detail,
        reachable: agent !== undefined && isReachable(agent.state),
        startedAt: agent?.startedAt.get(deviceKey(lab, name)),
      };
    });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
