import { setMaxListeners } from 'node:events';
import type { DownloadTicket, Orchestrator, Registration, UploadTicket } from '@lab/actors';
import {
  orchestratorRequests,
  type AttemptReport,
  type AttemptResult,
  type DeviceStatus,
  type Halt,
} from '@lab/contracts';
import type { Bus } from '@lab/messaging';

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
    incarnations: number[];
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

  downloadTicket({ attemptId, handle }: { attemptId: string; handle: string }): Promise<DownloadTicket> {
    return this.#bus.request(
      orchestratorRequests.downloadTicket,
      {},
      { attempt_id: attemptId, handle },
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
