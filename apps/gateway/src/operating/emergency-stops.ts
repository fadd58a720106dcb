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
  /** Longest time of the attempts to notify the agents, and of the attempts to record an emergency stop. */
  totalMs: number;
  /** Longest time to wait for one answer. */
  answerMs: number;
  /** Pause between two attempts. */
  pauseMs: number;
}
const usualPatience: Patience = { totalMs: 5_000, answerMs: 2_000, pauseMs: 200 };

/** Answers that say that the emergency stop itself is not possible: another attempt would change nothing. */
const finalCodes: ReadonlySet<ErrorCode> = new Set(['unknown_lab', 'unknown_device', 'bad_request']);

/**
 * Engages emergency stops. It notifies the agents first, by an event that needs neither an orchestrator nor a database, and
 * records the emergency stop at the same time. An agent that was notified keeps to the emergency stop in any case, and
 * reports it to the next leader.
 */
export class EmergencyStops {
  constructor(
    private readonly announcements: Announcements,
    private readonly requests: Requests,
    private readonly patience = usualPatience,
  ) {}

  /**
   * @returns the id of the emergency stop, once it is recorded
   * @throws ServiceError `bad_request` for a device without a laboratory, before anything is done; `unknown_lab`,
   *   `unknown_device`; `service_unavailable` when it could not be recorded: with effect `done` when the agents were
   *   notified, with `maybe` when that is not certain
   */
  async engage(request: EmergencyStopRequest): Promise<string> {
    const stop: EmergencyStop = {
      id: randomUUID(),
      scope: scopeOf(request),
      by: request.by ?? unnamedPerson,
      reason: request.reason ?? '',
    };
    const options = { timeoutMs: this.patience.answerMs };
    const notification = this.repeat(() => this.announcements.announce(agentEvents.emergencyStop, {}, stop));
    const failure = await this.repeat(() =>
      this.requests.call(orchestratorRequests.engageStop, {}, stop, options),
    );
    if (failure === undefined) return stop.id;
    if (finalCodes.has(failure.code)) throw failure;
    const areNotified = (await notification) === undefined;
    throw new ServiceError(
      'service_unavailable',
      areNotified
        ? `The agents were told to stop (stop ${stop.id}) and keep to it, but it is not recorded yet: ${failure.message}`
        : 'The agents could not be told to stop: there is no connection to the broker. ' +
            'Use the stop switches of the instruments.',
      { effect: areNotified ? 'done' : 'maybe', cause: failure },
    );
  }

  /**
   * Repeats an act until it succeeds or the time is over. That is safe: the same id is the same emergency stop.
   *
   * @returns why it failed; undefined: it succeeded
   */
  private async repeat(act: () => Promise<unknown>): Promise<ServiceError | undefined> {
    const { totalMs, pauseMs } = this.patience;
    const end = performance.now() + totalMs;
    for (;;) {
      try {
        await act();
        return undefined;
      } catch (error) {
        if (!isServiceError(error)) return toServiceError(error);
        if (finalCodes.has(error.code) || performance.now() + pauseMs >= end) return error;
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
