import { setMaxListeners } from 'node:events';
import {
  Unanswered,
  type DeviceAddress,
  type Log,
  type Orchestrator,
  type Peers,
  type Registration,
  type UploadTicket,
} from '@lab/actors';
import {
  agentEvents,
  agentRequests,
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type AttemptReport,
  type AttemptResult,
  type DeviceStatus,
  type Halt,
  type JsonObject,
  type JsonValue,
} from '@lab/contracts';
import type { Bus, Subscription } from '@lab/messaging';

/**
 * The leading orchestrator, over the broker. What an earlier leader was asked and has not answered when its successor is
 * heard is given up at once, to be asked again: one that was stopped would keep it until the time is up.
 */
export class OrchestratorOverBus implements Orchestrator {
  readonly #bus: Bus;
  #epoch = 0;
  #leader = untilSucceeded();

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Somebody leads. */
  hearLeader(epoch: number): void {
    if (epoch <= this.#epoch) return;
    const isFirst = this.#epoch === 0;
    this.#epoch = epoch;
    if (isFirst) return;
    this.#leader.abort();
    this.#leader = untilSucceeded();
  }

  register(hello: {
    computer: string;
    session: string;
    version: string;
    attempts: AttemptReport[];
    devices: DeviceStatus[];
    halts: Halt[];
  }): Promise<Registration> {
    return this.#bus.request(orchestratorRequests.registerAgent, {}, hello, this.#options());
  }

  async reportResult(result: AttemptResult): Promise<void> {
    await this.#bus.request(orchestratorRequests.reportResult, {}, result, this.#options());
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
      this.#options(),
    );
  }

  #options(): { signal: AbortSignal } {
    return { signal: this.#leader.signal };
  }
}

/** One for all requests of a leader, of which there may be as many as there are results. */
function untilSucceeded(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** A call that lasts so long is worth listening for the fate of its agent, in milliseconds. */
const watchAfterMs = 2_000;

interface Timers {
  after(ms: number, callback: () => void): () => void;
}

/**
 * Devices of other agents, over the broker.
 *
 * A caller does not wait in vain for an agent that was started anew: the heartbeat of its next incarnation ends the
 * calls to the earlier one, of which no process is left by then. An agent that is silent may still be at work, so its
 * calls wait for their time.
 */
export class PeersOverBus implements Peers {
  readonly #bus: Bus;
  readonly #timers: Timers;
  readonly #log: Log;

  constructor(bus: Bus, timers: Timers, log: Log) {
    this.#bus = bus;
    this.#timers = timers;
    this.#log = log;
  }

  async call(
    to: DeviceAddress,
    call: { callId: string; function: string; arguments: JsonObject; attemptId: string; fence: number },
    timeoutMs: number,
  ): Promise<JsonValue | undefined> {
    const { computer, inc, lab, name } = to;
    const label = `${lab}.${name}.${call.function}`;
    const giveUp = new AbortController();
    const cancelLate = this.#timers.after(timeoutMs, () =>
      giveUp.abort(
        new Unanswered(
          'deadline_exceeded',
          `computer ${computer} gave no answer to ${label} within ${timeoutMs / 1000} s`,
        ),
      ),
    );
    const unwatch = this.#watch(to, () =>
      giveUp.abort(
        new Unanswered('agent_unreachable', `the agent of ${computer} ended during ${label}`, { over: true }),
      ),
    );
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
        // A second more than this side waits, so that it is always known which of them gave up.
        {
          timeoutMs: timeoutMs + 1_000,
          signal: giveUp.signal,
          inc,
          fence: { [`${lab}.${name}`]: call.fence },
        },
      );
      return reply.result;
    } catch (error) {
      if (giveUp.signal.aborted) throw giveUp.signal.reason;
      throw lossOf(error, to);
    } finally {
      cancelLate();
      unwatch();
    }
  }

  /** Tells once when a later incarnation of the agent is heard. The returned function ends it. */
  #watch({ computer, inc }: DeviceAddress, gone: () => void): () => void {
    let subscribed: Promise<Subscription> | undefined;
    const cancel = this.#timers.after(watchAfterMs, () => {
      subscribed = this.#bus.subscribe(agentEvents.heartbeat, { computer }, (heartbeat) => {
        if (heartbeat.inc > inc) gone();
      });
      this.#orLog(subscribed);
    });
    return () => {
      cancel();
      if (subscribed !== undefined)
        this.#orLog(subscribed.then((subscription) => subscription.unsubscribe()));
    };
  }

  #orLog(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.#log.debug('another agent cannot be watched', { reason: String(error) }),
    );
  }
}

/** What the failure of a request says of the call. */
function lossOf(error: unknown, { computer, lab, name }: DeviceAddress): unknown {
  if (!isServiceError(error)) return error;
  if (error.code === 'disconnected' && error.effect === 'maybe') {
    return new Unanswered('disconnected', error.message, { cause: error });
  }
  if (error.code === 'service_unavailable' && error.effect === 'none') {
    return new ServiceError(
      'agent_unreachable',
      `the agent of ${computer}, which runs device ${lab}.${name}, does not answer`,
      { cause: error },
    );
  }
  return error;
}
