import {
  Unanswered,
  type AgentIncarnation,
  type DeviceAddress,
  type PeerCall,
  type Peers,
} from '@lab/actors';
import { agentEvents, peerRequests, isServiceError, ServiceError, type JsonValue } from '@lab/contracts';
import { AgentClocks, ReachedNobody, type Bus, type Subscription } from '@lab/messaging';
import type { Clock, Log, Timers } from '@lab/ports';
import { agentTimings } from './timings.js';

const { reconnectMs, repeatMostMs, repeatMs, watchAfterMs } = agentTimings;

/**
 * Devices of other agents, over the broker.
 *
 * A request or reply may be lost, so a call without an answer is sent again under its id until its timeout. The called
 * agent executes a call once: a repeat joins the running call or gets the same answer. The agent refuses a call that was
 * under way for too long. Each call therefore carries a recent reading of that agent's clock, and a refused call is sent
 * again with a new reading.
 *
 * When an agent restarts, the heartbeat of its next incarnation ends the calls to the earlier one, because none of its
 * processes is left by then. A silent agent may still be at work, so its calls wait for their timeout.
 */
export class PeersOverBus implements Peers {
  readonly #clocks: AgentClocks;

  /**
   * @param caller the computer of this agent
   * @param clock a monotonic clock
   */
  constructor(
    private readonly bus: Bus,
    private readonly caller: string,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly log: Pick<Log, 'debug'>,
  ) {
    const ask = async ({ computer, inc }: AgentIncarnation, signal?: AbortSignal): Promise<number> => {
      const options = signal === undefined ? { inc } : { inc, signal };
      const tokens = { computer, inc: String(inc), caller };
      return (await bus.request(peerRequests.readClock, tokens, {}, options)).now_ms;
    };
    this.#clocks = new AgentClocks(ask, clock);
  }

  async call(to: DeviceAddress, call: PeerCall, timeoutMs: number): Promise<JsonValue | undefined> {
    const { computer, lab, name } = to;
    const label = `${lab}.${name}.${call.function}`;
    const giveUp = new AbortController();
    const cancelLate = this.timers.after(timeoutMs, () =>
      giveUp.abort(
        new Unanswered(
          'deadline_exceeded',
          `computer ${computer} gave no answer to ${label} within ${timeoutMs / 1000} s`,
        ),
      ),
    );
    const ended = (): void =>
      giveUp.abort(
        new Unanswered('agent_unreachable', `the agent of ${computer} ended during ${label}`, { over: true }),
      );
    let unwatch = this.timers.after(watchAfterMs, () => (unwatch = this.whenOver(to, ended)));
    const unreachable = (cause: unknown): ServiceError =>
      new ServiceError(
        'agent_unreachable',
        `the agent of ${computer}, which runs device ${lab}.${name}, does not answer`,
        { cause },
      );
    const flight = { sent: false };
    try {
      return await this.#untilAnswered(to, call, timeoutMs, giveUp.signal, flight);
    } catch (error) {
      if (giveUp.signal.aborted) throw flight.sent ? giveUp.signal.reason : unreachable(giveUp.signal.reason);
      throw error instanceof ReachedNobody ? unreachable(error) : error;
    } finally {
      cancelLate();
      unwatch();
    }
  }

  async barCalls({ computer, inc }: AgentIncarnation, attemptId: string, reason: string): Promise<boolean> {
    const address = { computer, inc: String(inc), caller: this.caller };
    const body = { attempt_id: attemptId, reason };
    return (await this.bus.request(peerRequests.stopCalls, address, body, { inc })).moving;
  }

  whenOver({ computer, inc }: AgentIncarnation, over: () => void): () => void {
    const subscribed = this.bus.subscribe(agentEvents.heartbeat, { computer }, (heartbeat) => {
      if (heartbeat.inc > inc) over();
    });
    this.#orLog(subscribed);
    return () => this.#orLog(subscribed.then((subscription: Subscription) => subscription.unsubscribe()));
  }

  /**
   * @param flight says whether the call may have left this computer; updated here
   * @throws what the agent answered; ServiceError with effect none when the call cannot have left this computer
   */
  async #untilAnswered(
    to: DeviceAddress,
    call: PeerCall,
    timeoutMs: number,
    giveUp: AbortSignal,
    flight: { sent: boolean },
  ): Promise<JsonValue | undefined> {
    const until = this.clock.now() + timeoutMs;
    for (let waitMs: number = repeatMs; ; waitMs = Math.min(waitMs * 2, repeatMostMs)) {
      const asOf = await this.#untilClockRead(to, giveUp, flight);
      const before = flight.sent;
      flight.sent = true;
      const silence = new AbortController();
      const cancel = this.timers.after(waitMs, () => silence.abort());
      try {
        const leftMs = Math.max(0, until - this.clock.now());
        return await this.#send(to, call, asOf, leftMs, AbortSignal.any([giveUp, silence.signal]));
      } catch (error) {
        if (giveUp.aborted) throw error;
        const late = isServiceError(error) && error.code === 'late_message';
        if (late) this.#clocks.refused(to);
        if (!silence.signal.aborted) {
          if (!before && isServiceError(error) && error.effect === 'none') {
            flight.sent = false;
            if (!late) throw error;
          }
          if (!late && !isLost(error)) throw error;
          await this.#pause(reconnectMs, giveUp);
        }
      } finally {
        cancel();
      }
      this.log.debug('a device call is sent again', { call: call.callId, computer: to.computer });
    }
  }

  /** @throws ReachedNobody when nothing was sent before; the reason of `giveUp` */
  async #untilClockRead(
    to: AgentIncarnation,
    giveUp: AbortSignal,
    flight: { sent: boolean },
  ): Promise<number> {
    for (;;) {
      try {
        return await this.#clocks.read(to, giveUp);
      } catch (error) {
        if (giveUp.aborted || (error instanceof ReachedNobody && !flight.sent)) throw error;
        await this.#pause(reconnectMs, giveUp);
        if (giveUp.aborted) throw giveUp.reason;
      }
    }
  }

  async #send(
    { computer, inc, lab, name }: DeviceAddress,
    call: PeerCall,
    asOf: number,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<JsonValue | undefined> {
    const reply = await this.bus.request(
      peerRequests.callDevice,
      { computer, inc: String(inc), caller: this.caller, lab, device: name },
      {
        call_id: call.callId,
        function: call.function,
        arguments: call.arguments,
        attempt_id: call.attemptId,
        as_of_ms: asOf,
        ...(call.grant === undefined ? {} : { grant: call.grant }),
      },
      // One second longer than this side waits, so that this side always gives up first.
      { timeoutMs: timeoutMs + 1_000, signal, inc, fence: { [`${lab}.${name}`]: call.fence } },
    );
    this.#clocks.heard({ computer, inc }, reply.now_ms);
    return reply.result;
  }

  #pause(ms: number, giveUp: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        giveUp.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.timers.after(ms, end);
      giveUp.addEventListener('abort', end);
    });
  }

  #orLog(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.log.debug('another agent cannot be watched', { reason: String(error) }),
    );
  }
}

/** The agent did not answer: it was not reached, or the connection was lost. */
function isLost(error: unknown): boolean {
  return error instanceof ReachedNobody || (isServiceError(error) && error.code === 'disconnected');
}
