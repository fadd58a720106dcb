import { isServiceError, ServiceError, type AgentUpdates } from '@lab/contracts';
import type { Log, Timers } from '@lab/ports';
import { readJoined } from '../installation/index.js';
import type { HttpWay } from '../joining/index.js';
import { keeperLock, readPointer } from '../keeping/index.js';
import { platformHere } from './choice.js';
import { holderOf, place, type PlaceOptions } from './update.js';

/** Who may start an update: `from_service` also the service, `by_hand` only somebody at the computer. */
export const updateModes = ['from_service', 'by_hand'] as const;
export type UpdateMode = (typeof updateModes)[number];

export interface FromServiceParts {
  /** Data folder of the agent. */
  data: string;
  /** Version of this program. */
  version: string;
  mode: UpdateMode;
  /** Address of the gateway; undefined: this computer does not know it. */
  gateway: string | undefined;
  way: HttpWay;
  /** Text of the credentials of the agent; undefined: it has none. */
  credentials: () => string | undefined;
  /** Lets this agent stop in order. */
  stop: () => void;
  timers: Timers;
  log: Log;
  /** Default: that of this computer. */
  platform?: string;
  freeBytes?: PlaceOptions['freeBytes'];
}

/** Milliseconds for the answer to leave before the agent stops. */
const answerMs = 250;

/**
 * Updates of this agent that the service asks for. The package must be offered and signed by the service that this computer
 * joined, as with `svc-agent update`.
 */
export class UpdatesFromService {
  #under: { version: string; outcome: Promise<'placed' | 'runs'> } | undefined;

  constructor(private readonly parts: FromServiceParts) {}

  /** What the leading orchestrator must know, as it is now. */
  describe(): AgentUpdates {
    const failed = readPointer(this.parts.data)?.failed;
    return {
      platform: this.parts.platform ?? platformHere,
      refusal: this.#refusal(),
      failed: failed === undefined ? null : { version: failed.version, why: failed.why },
    };
  }

  /**
   * Puts a version in place and lets this agent stop; its keeper then tries the version. A repeated request joins the update
   * that is under way.
   *
   * @param closing calls the given function, which points to the new version, if nothing runs on this computer, and lets nothing
   * begin from then on; else it throws
   * @throws ServiceError `forbidden` when this agent takes no updates, `wrong_state` with the reason, and what `closing` throws
   */
  update(version: string, by: string, closing: (point: () => void) => void): Promise<'placed' | 'runs'> {
    const under = this.#under;
    if (under?.version === version) return under.outcome;
    if (under !== undefined)
      throw new ServiceError('wrong_state', `this agent is being updated to ${under.version}`);
    const refusal = this.#refusal();
    if (refusal !== null) throw new ServiceError('forbidden', refusal);
    const outcome = this.#place(version, by, closing);
    this.#under = { version, outcome };
    const forget = (): void => void (this.#under = undefined);
    // After `placed` this process only stops.
    outcome.then((state) => (state === 'runs' ? forget() : undefined), forget);
    return outcome;
  }

  async #place(to: string, by: string, closing: (point: () => void) => void): Promise<'placed' | 'runs'> {
    const { data, gateway = '', way, credentials, version, platform = platformHere, freeBytes } = this.parts;
    const { log, stop, timers } = this.parts;
    log.info('the service asks for an update of this agent', { to, by });
    try {
      const options = {
        ...{ data, gateway, way, credentials: credentials() ?? '', version, platform, to },
        ...(freeBytes === undefined ? {} : { freeBytes }),
        say: (line: string): void => log.info(line),
      };
      const state = await place(options, closing);
      if (state === 'placed') timers.after(answerMs, stop);
      return state;
    } catch (error) {
      if (isServiceError(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      log.warn('this agent was not updated', { to, message });
      throw new ServiceError('wrong_state', message, { cause: error });
    }
  }

  #refusal(): string | null {
    const { mode, data, gateway, credentials } = this.parts;
    if (mode === 'by_hand')
      return 'SVC_AGENT_UPDATES=by_hand forbids updates from the service on this computer';
    if (gateway === undefined || credentials() === undefined || readJoined(data) === undefined)
      return 'its computer did not join with an invitation, so it cannot verify what the service offers';
    return holderOf(keeperLock(data)) === undefined
      ? 'its agent was not started by "svc-agent run", which tries new versions and goes back'
      : null;
  }
}
