import { isReachable, type DeviceRecord, type DeviceState } from '@lab/contracts';
import type { AgentDirectory } from './agent-directory.js';
import { deviceKey, type LabMap } from './lab-map.js';
import type { WorkingState } from './working-state.js';

/** The devices as people see them: what their agents last said, and who holds them. */
export function describeDevices(
  labs: LabMap,
  directory: AgentDirectory,
  state: WorkingState,
): DeviceRecord[] {
  const records: DeviceRecord[] = [];
  for (const device of labs.devices.values()) {
    const agent = directory.get(device.computer);
    const status = agent?.devices.get(device.key);
    const owner = state.allocation('device', device.key)?.taskRunId ?? null;
    const task = owner === null ? undefined : state.rows.taskRuns.get(owner);
    const away = agent === undefined || !isReachable(agent.state);
    records.push({
      lab_name: device.lab,
      name: device.name,
      type: device.type,
      computer: device.computer,
      state: away ? 'disabled' : (status?.state ?? 'initializing'),
      detail: away
        ? `computer ${device.computer} is not connected`
        : agent.state === 'suspect'
          ? `computer ${device.computer} has not been heard for a while`
          : (status?.detail ?? null),
      held_by: task === undefined ? null : state.labelOf(task),
      halted: status?.halted ?? null,
      doubt: status?.doubt ?? null,
      functions: status?.functions ?? [],
    });
  }
  return records.sort((a, b) => compare(a.lab_name, b.lab_name) || compare(a.name, b.name));
}

/** How the start of a device goes. */
export interface DeviceStart {
  name: string;
  computer: string;
  state: DeviceState;
  detail: string | null;
  /** Its agent is there, and was heard within the usual time. */
  reachable: boolean;
  /** When it was last heard to start, in milliseconds since 1970; undefined: never by this agent. */
  startedAt: number | undefined;
}

/** The devices of a laboratory by name, with when they were last started. */
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
