import type { DeviceAddress, Orchestrator, Peers, Registration, UploadTicket } from '@lab/actors';
import {
  agentRequests,
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type AttemptReport,
  type AttemptResult,
  type DeviceStatus,
  type JsonObject,
  type JsonValue,
} from '@lab/contracts';
import type { Bus } from '@lab/messaging';

/** The leading orchestrator, over the broker. */
export class OrchestratorOverBus implements Orchestrator {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  register(hello: {
    computer: string;
    session: string;
    version: string;
    attempts: AttemptReport[];
    devices: DeviceStatus[];
  }): Promise<Registration> {
    return this.#bus.request(orchestratorRequests.registerAgent, {}, hello);
  }

  async reportResult(result: AttemptResult): Promise<void> {
    await this.#bus.request(orchestratorRequests.reportResult, {}, result);
  }

  uploadTicket(file: {
    attemptId: string;
    name: string;
    size: number;
    sha256: string;
  }): Promise<UploadTicket> {
    const { attemptId, name, size, sha256 } = file;
    return this.#bus.request(
      orchestratorRequests.uploadTicket,
      {},
      { attempt_id: attemptId, name, size, sha256 },
    );
  }
}

/** Devices of other agents, over the broker. */
export class PeersOverBus implements Peers {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  async call(
    to: DeviceAddress,
    call: { callId: string; function: string; arguments: JsonObject; attemptId: string; fence: number },
    timeoutMs: number,
  ): Promise<JsonValue | undefined> {
    const { computer, inc, lab, name } = to;
    try {
      const reply = await this.#bus.request(
        agentRequests.callDevice,
        { computer, inc: String(inc), lab, device: name },
        {
          call_id: call.callId,
          function: call.function,
          arguments: call.arguments,
          attempt_id: call.attemptId,
        },
        { timeoutMs, inc, fence: { [`${lab}.${name}`]: call.fence } },
      );
      return reply.result;
    } catch (error) {
      if (isServiceError(error) && error.code === 'service_unavailable' && error.effect === 'none') {
        throw new ServiceError(
          'agent_unreachable',
          `the agent of ${computer}, which runs device ${lab}.${name}, does not answer`,
          { cause: error },
        );
      }
      throw error;
    }
  }
}
