import { isGivenUp, isHeard, isInDoubt, ServiceError, toServiceError } from '@lab/contracts';
import type { AgentDirectory } from '../agents/index.js';
import type { KnownDevice, LabMap } from '../labs/index.js';
import { type AgentAddress, type Agents, conflict } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';

export interface RestartPorts {
  loop: TurnLoop;
  agents: Agents;
  directory: AgentDirectory;
  labs: () => LabMap;
  epoch: () => number;
  person: (by: string) => Person;
}

/** Request to restart a device. */
export interface RestartAsked {
  lab: string;
  device: string;
  /** Person who asks, for the audit. */
  by: string;
  reason: string;
}

/** Restarts single devices for people. */
export class DeviceRestarts {
  constructor(private readonly ports: RestartPorts) {}

  /**
   * Ends the process of a device in order and starts a new one. Resolves when its agent has begun. The audit names the
   * person before the agent is asked, and says when the restart failed. No task gets the device meanwhile.
   *
   * @throws ServiceError `unknown_lab`, `unknown_device`; `invalid` without a reason; `wrong_state` when a task or run holds
   *   a device that has no fault, when an emergency stop covers it, or while it executes a call; `agent_unreachable`
   */
  async restart(asked: RestartAsked): Promise<Record<string, never>> {
    const { agents, directory, labs, loop, person } = this.ports;
    const { key, lab, name } = labs().demand(asked.lab, asked.device);
    const { by, reason } = asked;
    try {
      const to = await loop.submit('restart of a device', (turn) => this.#begin(turn, asked));
      const status = await agents.restartDevice(to, { lab, name }, by, reason);
      loop.enqueue('restart of a device begun', (turn) => {
        const agent = directory.current(to.computer, to.inc);
        if (agent !== undefined) directory.deviceChanged(agent, status, turn.now);
        directory.restartAnswered(key);
      });
      return {};
    } catch (error) {
      const { message } = toServiceError(error);
      loop.enqueue('restart of a device failed', (turn) => {
        if (directory.restartAnswered(key))
          audit(turn, person(by), 'device.restart_failed', `device/${key}`, { reason: message });
        turn.state.dispatchDue = true;
      });
      throw error;
    }
  }

  #begin(turn: Turn, { lab, device, by, reason }: RestartAsked): AgentAddress {
    const { directory, epoch, labs, person } = this.ports;
    if (reason.trim() === '') {
      const faults = [{ path: 'reason', code: 'required', message: 'is missing', hint: 'say why' }];
      throw new ServiceError('invalid', 'A restart of a device needs a reason.', { faults });
    }
    const known = labs().demand(lab, device);
    const agent = directory.get(known.computer);
    if (agent === undefined || !isHeard(agent.state))
      throw new ServiceError('agent_unreachable', `computer ${known.computer} is not connected`);
    const state = agent.devices.get(known.key)?.state;
    const holder = holderOf(turn.state, known);
    if (holder !== null && !(state !== undefined && (isGivenUp(state) || isInDoubt(state))))
      throw conflict(
        `${holder} has the device ${known.key}, which has no fault. Wait for its end, or cancel it, and restart then.`,
      );
    directory.restartAsked(known.key);
    audit(turn, person(by), 'device.restart', `device/${known.key}`, {
      reason,
      state: state ?? null,
      ...(holder === null ? {} : { held_by: holder }),
    });
    return { computer: agent.computer, inc: agent.inc, epoch: epoch() };
  }
}

/** The task or run that has a device, in words; null: none. */
function holderOf(state: WorkingState, { key }: KnownDevice): string | null {
  const allocation = state.allocation('device', key);
  if (allocation === undefined) return null;
  const { taskRunId, heldByRunId } = allocation;
  const run = heldByRunId === null ? undefined : state.rows.protocolRuns.get(heldByRunId);
  if (run !== undefined && !state.isInUse(allocation)) return `the protocol run ${run.name}`;
  const task = taskRunId === null ? undefined : state.rows.taskRuns.get(taskRunId);
  return task === undefined ? null : `the task ${state.labelOf(task)}`;
}
