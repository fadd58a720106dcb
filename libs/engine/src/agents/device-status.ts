import { isReachable, type DeviceState, type DeviceStatus } from '@lab/contracts';
import type { AgentDirectory } from './agent-directory.js';

/** State of a device as its agent last reported it. A device of an unreachable agent is disabled. */
export function deviceStatusOf(
  { key, computer }: { key: string; computer: string },
  directory: AgentDirectory,
): { state: DeviceState; detail: string | null; status: DeviceStatus | undefined } {
  const agent = directory.get(computer);
  const status = agent?.devices.get(key);
  if (agent === undefined || !isReachable(agent.state))
    return { state: 'disabled', detail: `computer ${computer} is not connected`, status };
  const unheard = agent.state === 'suspect' ? `computer ${computer} has not been heard for a while` : null;
  return { state: status?.state ?? 'initializing', detail: unheard ?? status?.detail ?? null, status };
}
