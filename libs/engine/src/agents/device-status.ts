import { type DeviceRecord, type DeviceState, type DeviceStatus, isHeard } from '@lab/contracts';
import type { AgentDirectory, Presence } from './agent-directory.js';

/** What is known of a device at this moment. */
export interface KnownDevice {
  state: DeviceState;
  detail: string | null;
  /** What its agent said last; undefined: nothing. */
  status: DeviceStatus | undefined;
  doing: DeviceRecord['doing'];
  lastKnown: DeviceRecord['last_known'];
}

/**
 * State of a device as its agent last reported it. A device whose agent is not heard is `unreachable`: it may still be in
 * motion. It is `disabled` only if the agent reported that it stopped the device before it left.
 */
export function deviceStatusOf(
  { key, computer }: { key: string; computer: string },
  directory: AgentDirectory,
): KnownDevice {
  const agent = directory.get(computer);
  if (agent === undefined)
    return {
      state: 'unreachable',
      detail: `the agent of computer ${computer} has not been heard by the present leader`,
      status: undefined,
      doing: null,
      lastKnown: null,
    };
  const status = agent.devices.get(key);
  const known = { status, doing: motionOf(agent, status), lastKnown: null };
  if (isHeard(agent.state))
    return { ...known, state: status?.state ?? 'initializing', detail: status?.detail ?? null };
  if (agent.announcedLeave && (status === undefined || status.state === 'disabled'))
    return { ...known, state: 'disabled', detail: `the agent of computer ${computer} has stopped` };
  const at = new Date(agent.heardAt).toISOString();
  return {
    ...known,
    state: 'unreachable',
    detail: agent.announcedLeave
      ? `the agent of computer ${computer} said that it stops, and not yet that it has stopped the device`
      : `the agent of computer ${computer} has not been heard since ${at}`,
    lastKnown: status === undefined ? null : { state: status.state, at },
  };
}

/** By the clock of this process. */
function motionOf({ clock }: Presence, status: DeviceStatus | undefined): DeviceRecord['doing'] {
  if (status?.doing === undefined) return null;
  const { since_ms: since, ...doing } = status.doing;
  return { ...doing, since: new Date(since - (clock.ms ?? 0)).toISOString() };
}
