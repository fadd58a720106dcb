import { agentRequests, isServiceError, ServiceError, type AttemptStatus } from '@lab/contracts';
import type { AgentAddress, Agents } from '@lab/engine';
import type { Bus } from '@lab/messaging';

/** The engine's way to the agents: requests to the subject of one computer in one incarnation. */
export function agentsOverBus(bus: Bus): Agents {
  const tokens = (to: AgentAddress): { computer: string; inc: string } => ({
    computer: to.computer,
    inc: String(to.inc),
  });
  const leadership = (to: AgentAddress): { epoch: number; inc: number } => ({ epoch: to.epoch, inc: to.inc });
  return {
    async start(to, start): Promise<AttemptStatus> {
      const fence = Object.fromEntries(
        Object.values(start.devices).map((device) => [`${device.lab}.${device.name}`, device.fence]),
      );
      const reply = await unreachable(
        bus.request(agentRequests.startTask, tokens(to), start, {
          ...leadership(to),
          fence,
          fresh: to.fresh,
        }),
        to,
      );
      return reply.status;
    },
    async cancel(to, attemptId, reason): Promise<AttemptStatus> {
      const body = { attempt_id: attemptId, reason };
      return (await unreachable(bus.request(agentRequests.cancelTask, tokens(to), body, leadership(to)), to))
        .status;
    },
    async status(to, attemptId): Promise<AttemptStatus> {
      const body = { attempt_id: attemptId };
      return (await unreachable(bus.request(agentRequests.taskStatus, tokens(to), body, leadership(to)), to))
        .status;
    },
    async assignDevices(to, devices): Promise<void> {
      await unreachable(
        bus.request(agentRequests.assignDevices, tokens(to), { devices }, leadership(to)),
        to,
      );
    },
  };
}

/** Nobody listening on an agent's subject means that this agent process is not there: nothing was done. */
async function unreachable<T>(reply: Promise<T>, to: AgentAddress): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (isServiceError(error) && error.code === 'service_unavailable' && error.effect === 'none') {
      throw new ServiceError('agent_unreachable', `the agent of computer ${to.computer} does not answer`, {
        effect: 'none',
        cause: error,
      });
    }
    throw error;
  }
}
