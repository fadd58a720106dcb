import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  agentEvents,
  isServiceError,
  isWithinLabs,
  orchestratorRequests,
  ServiceError,
  toServiceError,
  unnamedPerson,
  type EmergencyStopRequest,
  type ErrorCode,
  type EmergencyStop,
  type Fault,
  type LabRights,
  type StoppedDevice,
} from '@lab/contracts';
import type { Announcements, Requests } from '../ports/index.js';
import type { DeviceRoster } from './roster.js';
import type { StopReports } from './stop-reports.js';
import { mayChange, stoppedDevices } from './stopped-devices.js';

/** In milliseconds. */
interface Patience {
  /** Longest time until the answer to an emergency stop. */
  answerMs: number;
  /** Longest time of a look at an emergency stop in force. */
  lookMs: number;
  /** Longest time of the attempts to record an emergency stop, which go on after the answer. */
  recordMs: number;
  /** Longest time to wait for one answer of the orchestrator. */
  requestMs: number;
  /** Pause before the first count of the answers, between two further ones, and between two attempts to record. */
  firstMs: number;
  pauseMs: number;
}
const usualPatience: Patience = {
  answerMs: 1_600,
  lookMs: 1_000,
  recordMs: 10_000,
  requestMs: 1_200,
  firstMs: 40,
  pauseMs: 200,
};

/** Answers that say that the emergency stop itself is not possible: another attempt would change nothing. */
const finalCodes: ReadonlySet<ErrorCode> = new Set(['unknown_lab', 'unknown_device', 'bad_request']);

/** Emergency stops that a gateway remembers, for questions about those that are not recorded yet. */
const remembered = 100;

/** What is known of an emergency stop in force. */
export interface StopKnowledge {
  stop: EmergencyStop;
  devices: StoppedDevice[];
  /** Whether it is known which devices there are. */
  complete: boolean;
  /** All devices in the scope are known and stopped. */
  confirmed: boolean;
}

/**
 * Engages emergency stops. It notifies the agents by an event that needs neither an orchestrator nor a database, and records
 * the emergency stop at the same time. An agent that was notified keeps to the emergency stop in any case, and reports it to
 * the next leader. Each agent answers with the state of its devices. The event is sent again until all have answered or the
 * time is over.
 */
export class EmergencyStops {
  readonly #engaged = new Map<string, EmergencyStop>();

  constructor(
    private readonly announcements: Announcements,
    private readonly requests: Requests,
    private readonly reports: StopReports,
    private readonly roster: DeviceRoster,
    private readonly patience = usualPatience,
  ) {}

  /**
   * @param see laboratories whose devices the answer names; `confirmed` is about all devices in the scope
   * @returns within `answerMs`, with whether the emergency stop is recorded
   * @throws ServiceError `bad_request` for a device without a laboratory, before anything is done; `unknown_lab`,
   *   `unknown_device`; `service_unavailable` with effect maybe when the broker does not take the notification; its faults
   *   name the devices that may be moving
   */
  async engage(
    request: EmergencyStopRequest,
    see: LabRights['see'],
  ): Promise<StopKnowledge & { recorded: boolean }> {
    const stop: EmergencyStop = {
      id: randomUUID(),
      scope: scopeOf(request),
      by: request.by ?? unnamedPerson,
      reason: request.reason ?? '',
    };
    this.remember(stop);
    const { answerMs } = this.patience;
    // The agents come first.
    const gathering = this.gather(stop, answerMs, see);
    const late = sleep(answerMs, 'late' as const, { ref: false });
    const [known, outcome] = await Promise.all([gathering, Promise.race([this.record(stop), late])]);
    if (outcome instanceof ServiceError && finalCodes.has(outcome.code)) throw outcome;
    if (!known.told) throw unheard(known);
    return { ...known, recorded: outcome === undefined };
  }

  /**
   * Asks all agents again about an emergency stop in force.
   *
   * @param see as of {@link engage}
   * @throws ServiceError `service_unavailable` as {@link engage}
   */
  async look(stop: EmergencyStop, see: LabRights['see']): Promise<StopKnowledge> {
    const known = await this.gather(stop, this.patience.lookMs, see);
    if (!known.told) throw unheard(known);
    return known;
  }

  /** An emergency stop that this gateway engaged lately. */
  engaged(id: string): EmergencyStop | undefined {
    return this.#engaged.get(id);
  }

  private remember(stop: EmergencyStop): void {
    this.#engaged.set(stop.id, stop);
    const [oldest] = this.#engaged.keys();
    if (this.#engaged.size > remembered && oldest !== undefined) this.#engaged.delete(oldest);
  }

  /** Notifies the agents and counts their answers. `told`: the broker has the notification. */
  private async gather(
    stop: EmergencyStop,
    withinMs: number,
    see: LabRights['see'],
  ): Promise<StopKnowledge & { told: boolean }> {
    const { firstMs, pauseMs } = this.patience;
    const end = performance.now() + withinMs;
    const answers = new Map<string, Parameters<StopReports['hear']>[1]['devices']>();
    let told = false;
    let asked = false;
    const announce = (): void =>
      void this.announcements.announce(agentEvents.emergencyStop, {}, stop).then(
        () => (told = true),
        () => undefined,
      );
    const stopListening = this.reports.listen(stop.id, (computer, devices) => answers.set(computer, devices));
    announce();
    void this.roster.read(withinMs / 2).finally(() => (asked = true));
    try {
      for (let pause = firstMs; ; pause = pauseMs) {
        await sleep(Math.min(pause, Math.max(0, end - performance.now())));
        const roster = this.roster.latest;
        const devices = stoppedDevices(stop, roster, answers);
        const isOver = performance.now() >= end;
        if (isOver || (told && asked && roster !== undefined && !devices.some(mayChange))) {
          const complete = roster !== undefined;
          const confirmed = complete && devices.every(({ state }) => state === 'stopped');
          const seen = devices.filter(({ lab_name: lab }) => isWithinLabs([lab], see));
          return { stop, devices: seen, complete, confirmed, told };
        }
        announce();
      }
    } finally {
      stopListening();
    }
  }

  /**
   * Records the emergency stop, again and again until that succeeds or the time is over. That is safe: the same id is the
   * same emergency stop.
   *
   * @returns why it failed; undefined: it is recorded
   */
  private async record(stop: EmergencyStop): Promise<ServiceError | undefined> {
    const { recordMs, requestMs, pauseMs } = this.patience;
    const end = performance.now() + recordMs;
    for (;;) {
      try {
        await this.requests.call(orchestratorRequests.engageStop, {}, stop, { timeoutMs: requestMs });
        return undefined;
      } catch (error) {
        if (!isServiceError(error)) return toServiceError(error);
        if (finalCodes.has(error.code) || performance.now() + pauseMs >= end) return error;
      }
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
}

/** Whether an emergency stop stops something of these laboratories. @param scope as its record has it */
export function reaches(scope: string, labs: LabRights['see']): boolean {
  const [kind, name = ''] = scope.split(':');
  return kind === 'all' || isWithinLabs([name.split('.')[0] ?? ''], labs);
}

function unheard({ stop, devices }: StopKnowledge): ServiceError {
  const faults: Fault[] = devices.map(({ lab_name: lab, name, computer, state, doing }) => ({
    path: `${lab}.${name}`,
    code: state,
    message: `on computer ${computer}, may be moving${
      doing === null ? '' : `: ${doing.function} ${JSON.stringify(doing.arguments)} since ${doing.since}`
    }`,
  }));
  return new ServiceError(
    'service_unavailable',
    `The broker does not take the emergency stop ${stop.id}, so it is not known whether any agent was told to stop. ` +
      'Use the hardware switches of the instruments.',
    { effect: 'maybe', faults },
  );
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
