import type { FileTicket, Hello, Orchestrator, Registration } from '@lab/actors';
import { orchestratorRequests, type AttemptResult } from '@lab/contracts';
import { LeaderWatch, type Bus } from '@lab/messaging';

/**
 * The leading orchestrator, over the broker. When a new leader is heard, pending requests to the earlier leader are
 * given up at once so that the agent sends them again.
 */
export class OrchestratorOverBus implements Orchestrator {
  readonly #leaders = new LeaderWatch();

  constructor(
    private readonly bus: Bus,
    private readonly computer: string,
  ) {}

  /** A leader announced itself. */
  hearLeader(epoch: number): void {
    this.#leaders.hear(epoch);
  }

  register(hello: Hello): Promise<Registration> {
    return this.#leaders.whileItLeads((options) =>
      this.bus.request(orchestratorRequests.registerAgent, { computer: this.computer }, hello, options),
    );
  }

  async reportResult(result: AttemptResult): Promise<void> {
    await this.#leaders.whileItLeads((options) =>
      this.bus.request(orchestratorRequests.reportResult, { computer: this.computer }, result, options),
    );
  }

  uploadTicket(file: { attemptId: string; name: string; size: number; sha256: string }): Promise<FileTicket> {
    const { attemptId, name, size, sha256 } = file;
    const body = { attempt_id: attemptId, name, size, sha256 };
    return this.#leaders.whileItLeads((options) =>
      this.bus.request(orchestratorRequests.uploadTicket, { computer: this.computer }, body, options),
    );
  }

  downloadTicket({ attemptId, handle }: { attemptId: string; handle: string }): Promise<FileTicket> {
    const body = { attempt_id: attemptId, handle };
    return this.#leaders.whileItLeads((options) =>
      this.bus.request(orchestratorRequests.downloadTicket, { computer: this.computer }, body, options),
    );
  }
}
