import { Unanswered, type DeviceAddress, type Log, type Peers } from '@lab/actors';
import {
  agentEvents,
  agentRequests,
  isServiceError,
  ServiceError,
  type JsonObject,
  type JsonValue,
} from '@lab/contracts';
import { ReachedNobody, type Bus, type Subscription } from '@lab/messaging';

/** A call that lasts so long is worth listening for the fate of its agent, in milliseconds. */
const watchAfterMs = 2_000;

/** A call without an answer is sent again after so long, then twice as long up to the most, in milliseconds. */
const repeatMs = 3_000;
const repeatMostMs = 12_000;
/** After the loss of the connection, and while the agent that has the call is not connected, in milliseconds. */
const reconnectMs = 500;

interface Timers {
  after(ms: number, callback: () => void): () => void;
}

interface PeerCall {
  callId: string;
  function: string;
  arguments: JsonObject;
  attemptId: string;
  fence: number;
}

/**
 * Devices of other agents, over the broker.
 *
 * A message may be lost on either way, so a call without an answer is sent again under its id until its time is over:
 * the agent that has it lets the repeat join, or answers it as it answered before, and makes no call twice.
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

  async call(to: DeviceAddress, call: PeerCall, timeoutMs: number): Promise<JsonValue | undefined> {
    const { computer, lab, name } = to;
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
      return await this.#untilAnswered(to, call, timeoutMs, giveUp.signal);
    } catch (error) {
      if (giveUp.signal.aborted) throw giveUp.signal.reason;
      if (error instanceof ReachedNobody) {
        const what = `the agent of ${computer}, which runs device ${lab}.${name}, does not answer`;
        throw new ServiceError('agent_unreachable', what, { cause: error });
      }
      throw error;
    } finally {
      cancelLate();
      unwatch();
    }
  }

  async stopCalls(
    { computer, inc }: { computer: string; inc: number },
    attemptId: string,
    reason: string,
  ): Promise<void> {
    const address = { computer, inc: String(inc) };
    await this.#bus.request(agentRequests.stopCalls, address, { attempt_id: attemptId, reason }, { inc });
  }

  /** @throws what the agent answered; ServiceError with effect none when the call cannot have left this computer */
  async #untilAnswered(
    to: DeviceAddress,
    call: PeerCall,
    timeoutMs: number,
    giveUp: AbortSignal,
  ): Promise<JsonValue | undefined> {
    let sent = false;
    for (let waitMs = repeatMs; ; waitMs = Math.min(waitMs * 2, repeatMostMs)) {
      const silence = new AbortController();
      const cancel = this.#timers.after(waitMs, () => silence.abort());
      try {
        return await this.#send(to, call, timeoutMs, AbortSignal.any([giveUp, silence.signal]));
      } catch (error) {
        const lost = isLost(error);
        sent ||= silence.signal.aborted || (lost && isServiceError(error) && error.effect === 'maybe');
        if (giveUp.aborted || !sent || !(lost || silence.signal.aborted)) throw error;
        if (!silence.signal.aborted) await this.#pause(reconnectMs, giveUp);
      } finally {
        cancel();
      }
      this.#log.debug('a device call is sent again', { call: call.callId, computer: to.computer });
    }
  }

  async #send(
    { computer, inc, lab, name }: DeviceAddress,
    call: PeerCall,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<JsonValue | undefined> {
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
      { timeoutMs: timeoutMs + 1_000, signal, inc, fence: { [`${lab}.${name}`]: call.fence } },
    );
    return reply.result;
  }

  #pause(ms: number, giveUp: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        giveUp.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#timers.after(ms, end);
      giveUp.addEventListener('abort', end);
    });
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

/** The agent did not answer: it was not reached, or the connection was lost. */
function isLost(error: unknown): boolean {
  return error instanceof ReachedNobody || (isServiceError(error) && error.code === 'disconnected');
}
