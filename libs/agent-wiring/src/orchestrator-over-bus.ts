import type { FileTicket, Hello, Orchestrator, Registration } from '@lab/actors';
import { orchestratorRequests, type AttemptResult } from '@lab/contracts';
import type { Bus } from '@lab/messaging';

/**
 * The leading orchestrator, over the broker. When a new leader is heard, pending requests to the earlier leader are
 * given up at once so that the agent sends them again. A suspended leader would otherwise hold them until their timeout.
 */
export class OrchestratorOverBus implements Orchestrator {
  #epoch = 0;
  /** One controller for each pending request. */
  readonly #pending = new Set<AbortController>();

  constructor(private readonly bus: Bus) {}

  /** A leader announced itself. */
  hearLeader(epoch: number): void {
    if (epoch <= this.#epoch) return;
    const isFirst = this.#epoch === 0;
    this.#epoch = epoch;
    if (isFirst) return;
    for (const request of [...this.#pending]) request.abort();
  }

  register(hello: Hello): Promise<Registration> {
    return this.#ask((options) => this.bus.request(orchestratorRequests.registerAgent, {}, hello, options));
  }

  async reportResult(result: AttemptResult): Promise<void> {
    await this.#ask((options) => this.bus.request(orchestratorRequests.reportResult, {}, result, options));
  }

  uploadTicket(file: { attemptId: string; name: string; size: number; sha256: string }): Promise<FileTicket> {
    const { attemptId, name, size, sha256 } = file;
    const body = { attempt_id: attemptId, name, size, sha256 };
    return this.#ask((options) => this.bus.request(orchestratorRequests.uploadTicket, {}, body, options));
  }

  downloadTicket({ attemptId, handle }: { attemptId: string; handle: string }): Promise<FileTicket> {
    const body = { attempt_id: attemptId, handle };
    return this.#ask((options) => this.bus.request(orchestratorRequests.downloadTicket, {}, body, options));
  }

  /** Sends a request that {@link hearLeader} can give up. */
  async #ask<Reply>(send: (options: { signal: AbortSignal }) => Promise<Reply>): Promise<Reply> {
    const request = new AbortController();
    this.#pending.add(request);
    try {
      return await send({ signal: request.signal });
    } finally {
      this.#pending.delete(request);
    }
  }
}
