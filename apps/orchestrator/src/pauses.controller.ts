import { Controller } from '@nestjs/common';
import {
  orchestratorRequests as requests,
  type QueueQuery,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';

type Accepted = ReplyOf<typeof requests.submitTask>;
type Queue = ReplyOf<typeof requests.pauseQueue>;

/** Pauses of the queue, of runs and of campaigns, and how they go on. Each answer is sent after the commit. */
@Controller()
export class PausesController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.pauseProtocolRun)
  pauseProtocolRun({ name, by }: RequestOf<typeof requests.pauseProtocolRun>): Promise<Accepted> {
    return this.engine.pauseProtocolRun(name, by);
  }

  @Handles(requests.resumeProtocolRun)
  resumeProtocolRun({ name, by }: RequestOf<typeof requests.resumeProtocolRun>): Promise<Accepted> {
    return this.engine.resumeProtocolRun(name, by);
  }

  @Handles(requests.pauseCampaign)
  pauseCampaign({ name, by }: RequestOf<typeof requests.pauseCampaign>): Promise<Accepted> {
    return this.engine.pauseCampaign(name, by);
  }

  @Handles(requests.resumeCampaign)
  resumeCampaign({
    name,
    by,
    optimizer_overrides: overrides,
  }: RequestOf<typeof requests.resumeCampaign>): Promise<Accepted> {
    return this.engine.resumeCampaign(name, by, overrides);
  }

  @Handles(requests.pauseQueue)
  pauseQueue({ by }: RequestOf<typeof requests.pauseQueue>): Promise<Queue> {
    return this.engine.pauseQueue(by);
  }

  @Handles(requests.resumeQueue)
  resumeQueue({ by }: RequestOf<typeof requests.resumeQueue>): Promise<Queue> {
    return this.engine.resumeQueue(by);
  }

  @Handles(requests.readQueue)
  async readQueue(query: QueueQuery): Promise<ReplyOf<typeof requests.readQueue>> {
    return this.engine.queue(query);
  }
}
