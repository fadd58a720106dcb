import {
  emergencyStopCovers,
  isInDoubt,
  isMoving,
  type DeviceRecord,
  type DeviceStatus,
  type EmergencyStop,
  type StoppedDevice,
} from '@lab/contracts';
import type { Roster } from './roster.js';

/** Computer to the devices in the scope as its agent answered last. */
export type StopAnswers = ReadonlyMap<string, readonly DeviceStatus[]>;

/**
 * What is known of every device in the scope of an emergency stop, by laboratory and name. The devices are those of the
 * loaded laboratories, and those that agents name.
 *
 * @param roster undefined: it is not known which devices there are
 */
export function stoppedDevices(
  stop: EmergencyStop,
  roster: Roster | undefined,
  answers: StopAnswers,
): StoppedDevice[] {
  const devices = new Map<string, StoppedDevice>();
  for (const device of roster?.devices ?? []) {
    const { lab_name: lab, name, computer } = device;
    if (!emergencyStopCovers(stop, { lab, name })) continue;
    devices.set(keyOf(lab, name), {
      ...{ lab_name: lab, name, computer },
      ...(answers.has(computer)
        ? unreported(computer)
        : { state: 'not_reached', detail: `the agent of computer ${computer} has not answered` }),
      held_by: device.held_by,
      doing: device.doing,
      last_known: lastKnownOf(device, roster?.asOf),
    });
  }
  for (const [computer, statuses] of answers)
    for (const status of statuses) {
      const { lab, name } = status;
      const known = devices.get(keyOf(lab, name));
      devices.set(keyOf(lab, name), {
        ...{ lab_name: lab, name, computer },
        ...reported(status),
        held_by: known?.held_by ?? null,
        doing: motionOf(status),
        last_known: null,
      });
    }
  return [...devices.values()].sort((a, b) => compare(a.lab_name, b.lab_name) || compare(a.name, b.name));
}

/** Whether more waiting may change what is known of the device. */
export function mayChange({ state }: StoppedDevice): boolean {
  return state === 'stopping' || state === 'not_reached';
}

function unreported(computer: string): Pick<StoppedDevice, 'state' | 'detail'> {
  return {
    state: 'unknown',
    detail: `the agent of computer ${computer} answered, but does not run the device`,
  };
}

function reported(status: DeviceStatus): Pick<StoppedDevice, 'state' | 'detail'> {
  if (isInDoubt(status.state)) return { state: 'unknown', detail: status.detail ?? 'it is in doubt' };
  if (status.doing !== undefined || isMoving(status.state))
    return { state: 'stopping', detail: 'a call is still in progress' };
  if (status.stopping === true) return { state: 'stopping', detail: '`_stop` is in progress' };
  if (status.state === 'initializing') return { state: 'stopping', detail: '`_initialize` is in progress' };
  return { state: 'stopped', detail: null };
}

/** By the clock of the computer of the device, whose offset the gateway does not know. */
function motionOf({ doing }: DeviceStatus): StoppedDevice['doing'] {
  if (doing === undefined) return null;
  const { since_ms: since, ...motion } = doing;
  return { ...motion, since: new Date(since).toISOString() };
}

function lastKnownOf(
  { state, last_known: known }: DeviceRecord,
  asOf: string | undefined,
): StoppedDevice['last_known'] {
  if (known !== null || asOf === undefined || state === 'unreachable') return known;
  return { state, at: asOf };
}

function keyOf(lab: string, name: string): string {
  return `${lab.length}:${lab}${name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
