import {
  agentRequests as requests,
  isServiceError,
  ServiceError,
  type AnyRequest,
  type AttemptStatus,
  type DeviceStatus,
  type DeviceGrant,
  type ErrorCode,
  type ReplyOf,
  type RequestOf,
  type TaskStart,
} from '@lab/contracts';
import type { AgentAddress, AgentPresence, Agents } from '@lab/engine';
import { ReachedNobody, type Bus, type RequestOptions } from '@lab/messaging';
import type { Lease } from './lease.js';
import { leaderTimings } from './timings.js';

type AgentRequest = AnyRequest & {
  readonly subject: `svc.v1.agent.{computer}.{inc}.${'task' | 'devices'}.${string}`;
};

/** Signs statements that agents believe of the leading orchestrator alone. */
export interface Signer {
  sign(statement: DeviceGrant): string;
}

/**
 * Sends requests to the incarnations of agents. It checks the lease immediately before each request.
 *
 * @param signer signs the grants of devices of other computers; undefined: agents get none
 */
export function agentsOverBus(bus: Bus, lease: Lease, signer?: Signer): Agents {
  const ask = async <D extends AgentRequest>(
    definition: D,
    to: AgentAddress,
    body: RequestOf<D>,
    marks: Pick<RequestOptions, 'fence' | 'fresh' | 'timeoutMs'> = {},
  ): Promise<ReplyOf<D>> => {
    lease.demand();
    const { computer, inc, epoch } = to;
    const reply = bus.request<AgentRequest>(definition, { computer, inc: String(inc) }, body, {
      ...marks,
      epoch,
      inc,
    });
    return unreachable(reply, to) as Promise<ReplyOf<D>>;
  };
  return {
    async presence({ computer, inc, epoch }): Promise<AgentPresence> {
      try {
        await bus.request(requests.confirmPresence, { computer, inc: String(inc) }, {}, { epoch, inc });
        return 'answers';
      } catch (error) {
        if (error instanceof ReachedNobody) return 'gone';
        const unanswered = !isServiceError(error) || lost.has(error.code);
        return unanswered ? 'silent' : 'answers';
      }
    },
    async start(to, start): Promise<AttemptStatus> {
      const fence = Object.fromEntries(
        Object.values(start.devices).map((device) => [`${device.lab}.${device.name}`, device.fence]),
      );
      const granted = signer === undefined ? start : withGrants(start, to.computer, signer);
      return (await ask(requests.startTask, to, granted, { fence, fresh: to.fresh })).status;
    },
    async cancel(to, attemptId, reason): Promise<AttemptStatus> {
      return (await ask(requests.cancelTask, to, { attempt_id: attemptId, reason })).status;
    },
    async status(to, attemptId): Promise<AttemptStatus> {
      return (await ask(requests.taskStatus, to, { attempt_id: attemptId })).status;
    },
    async assignDevices(to, devices): Promise<void> {
      await ask(requests.assignDevices, to, { devices });
    },
    async provideCode(to, devices, module): Promise<void> {
      await ask(
        requests.assignDevices,
        to,
        { devices, next: module },
        { timeoutMs: leaderTimings.provideMs },
      );
    },
    async resetDevice(to, { lab, name }, doubtId, by): Promise<void> {
      lease.demand();
      const { computer, inc, epoch } = to;
      const tokens = { computer, inc: String(inc), lab, device: name };
      await unreachable(
        bus.request(requests.resetDevice, tokens, { doubt_id: doubtId, by }, { epoch, inc }),
        to,
      );
    },
    async update(to, version, by): Promise<'placed' | 'runs'> {
      lease.demand();
      const { computer, inc, epoch } = to;
      const tokens = { computer, inc: String(inc) };
      const reply = bus.request(requests.updateAgent, tokens, { version, by }, { epoch, inc });
      return (await unreachable(reply, to)).state;
    },
    async restartDevice(to, { lab, name }, by, reason): Promise<DeviceStatus> {
      lease.demand();
      const { computer, inc, epoch } = to;
      const tokens = { computer, inc: String(inc), lab, device: name };
      const reply = bus.request(requests.restartDevice, tokens, { by, reason }, { epoch, inc });
      return (await unreachable(reply, to)).device;
    },
  };
}

/** Errors of the way there and back. Every other error is an answer of the agent. */
const lost: ReadonlySet<ErrorCode> = new Set(['deadline_exceeded', 'disconnected', 'forbidden', 'aborted']);

function withGrants(start: TaskStart, caller: string, signer: Signer): TaskStart {
  const devices = Object.entries(start.devices).map(([slot, device]) => {
    if (device.computer === caller) return [slot, device];
    const { lab, name, fence } = device;
    const grant = signer.sign({ lab, device: name, fence, attempt_id: start.attempt_id, caller });
    return [slot, { ...device, grant }];
  });
  return { ...start, devices: Object.fromEntries(devices) as TaskStart['devices'] };
}

/** Without a subscriber on its subject the agent process does not exist, so the request had no effect. */
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
