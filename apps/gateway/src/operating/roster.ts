import { isServiceError, orchestratorRequests, type DeviceRecord } from '@lab/contracts';
import type { Timers } from '@lab/ports';
import type { Requests } from '../ports/index.js';

/** The devices of the loaded laboratories as the leading orchestrator knew them at one moment. */
export interface Roster {
  devices: readonly DeviceRecord[];
  /** ISO 8601 in UTC. */
  asOf: string;
}

/** Time between two looks of {@link DeviceRoster.keepFresh}, in milliseconds. */
const refreshMs = 2_000;
const answerMs = 3_000;

/**
 * Which devices exist. The gateway keeps the latest answer of the orchestrator, so that an emergency stop can name every
 * device also while no orchestrator leads.
 */
export class DeviceRoster {
  #latest: Roster | undefined;

  constructor(private readonly requests: Requests) {}

  /** The latest known roster; undefined: this gateway has never got one. */
  get latest(): Roster | undefined {
    return this.#latest;
  }

  /** Asks the orchestrator. @returns the latest known roster, also if the orchestrator does not answer in time */
  async read(timeoutMs: number): Promise<Roster | undefined> {
    try {
      const { devices } = await this.requests.call(
        orchestratorRequests.listDevices,
        {},
        { brief: true },
        { timeoutMs },
      );
      this.#latest = { devices, asOf: new Date().toISOString() };
    } catch (error) {
      if (!isServiceError(error)) throw error;
    }
    return this.#latest;
  }

  /** Asks again and again. The returned function ends this. */
  keepFresh(timers: Timers): () => void {
    let cancel = (): void => undefined;
    let ended = false;
    const look = (): void => {
      void this.read(answerMs).then(() => {
        if (!ended) cancel = timers.after(refreshMs, look);
      });
    };
    look();
    return () => {
      ended = true;
      cancel();
    };
  }
}
