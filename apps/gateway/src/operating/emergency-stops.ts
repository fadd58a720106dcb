import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  agentEvents,
  isServiceError,
  orchestratorRequests,
  ServiceError,
  toServiceError,
  unnamedPerson,
  type EmergencyStopRequest,
  type ErrorCode,
  type EmergencyStop,
} from '@lab/contracts';
import { Announcements, Requests } from '../ports/index.js';

/** In milliseconds. */
interface Patience {
  /** How long telling the agents and recording a stop are each tried. */
  totalMs: number;
  /** Longest wait for one answer. */
  answerMs: number;
  /** Between one try and the next. */
  pauseMs: number;
}
const usualPatience: Patience = { totalMs: 5_000, answerMs: 2_000, pauseMs: 200 };

/** Answers that say that the stop itself makes no sense: asking again would change nothing. */
const senseless: ReadonlySet<ErrorCode> = new Set(['unknown_lab', 'unknown_device', 'bad_request']);

/**
 * Engages emergency stops. The agents are told before anything else and whatever becomes of the rest, for the event
 * needs neither an orchestrator nor a database. Recording it is tried beside that; an agent that heard of a stop keeps
 * to it in any case, and tells the next leader.
 */
export class EmergencyStops {
  constructor(
    private readonly announcements: Announcements,
    private readonly requests: Requests,
    private readonly patience = usualPatience,
  ) {}

  /**
   * @returns the id of the stop, once it is recorded
   * @throws ServiceError `bad_request` for a device without a laboratory, before anything is done; `unknown_lab`,
   *   `unknown_device`; `service_unavailable` when it could not be recorded: effect `done` when the agents were told,
   *   `maybe` when not even that is certain
   */
  async engage(request: EmergencyStopRequest): Promise<string> {
    const stop: EmergencyStop = {
      id: randomUUID(),
      scope: scopeOf(request),
      by: request.by ?? unnamedPerson,
      reason: request.reason ?? '',
    };
    const telling = this.tell(stop);
    const failure = await this.record(stop);
    if (failure === undefined) return stop.id;
    if (senseless.has(failure.code)) throw failure;
    throw (await telling)
      ? new ServiceError(
          'service_unavailable',
          `The agents were told to stop (stop ${stop.id}) and keep to it, but it is not recorded yet: ${failure.message}`,
          { effect: 'done', cause: failure },
        )
      : new ServiceError(
          'service_unavailable',
          'The agents could not be told to stop: there is no connection to the broker. ' +
            'Use the stop switches of the instruments.',
          { effect: 'maybe', cause: failure },
        );
  }

  /** @returns whether the broker has got it */
  private async tell(stop: EmergencyStop): Promise<boolean> {
    return (
      (await this.insist(() => this.announcements.announce(agentEvents.emergencyStop, {}, stop))) ===
      undefined
    );
  }

  /** @returns why it is not recorded; undefined when it is */
  private record(stop: EmergencyStop): Promise<ServiceError | undefined> {
    const options = { timeoutMs: this.patience.answerMs };
    return this.insist(() => this.requests.call(orchestratorRequests.engageStop, {}, stop, options));
  }

  /** Repeats what may be repeated, for its id makes it the same stop, until it is done or patience is over. */
  private async insist(act: () => Promise<unknown>): Promise<ServiceError | undefined> {
    const { totalMs, pauseMs } = this.patience;
    const end = performance.now() + totalMs;
    for (;;) {
      try {
        await act();
        return undefined;
      } catch (error) {
        if (!isServiceError(error)) return toServiceError(error);
        if (senseless.has(error.code) || performance.now() + pauseMs >= end) return error;
      }
      await sleep(pauseMs);
    }
  }
}

/** @throws ServiceError `bad_request` */
function scopeOf({ lab_name: lab, device_name: device }: EmergencyStopRequest): string {
  if (device === undefined) return lab === undefined ? 'all' : `lab:${lab}`;
  if (lab !== undefined) return `device:${lab}.${device}`;
  throw new ServiceError(
    'bad_request',
    'A device is named together with its laboratory: give lab_name as well.',
  );
}
