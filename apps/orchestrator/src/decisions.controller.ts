import { Controller } from '@nestjs/common';
import {
  orchestratorRequests as requests,
  type AttentionDecision,
  type Halt,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';

/** What only people decide: how questions are settled, what is stopped, and what is put back. Each answer is sent after the commit. */
@Controller()
export class DecisionsController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.resolveAttention)
  resolveAttention(decision: AttentionDecision): Promise<ReplyOf<typeof requests.resolveAttention>> {
    return this.engine.resolveAttention(decision);
  }

  @Handles(requests.resetResource)
  resetResource(
    asked: RequestOf<typeof requests.resetResource>,
  ): Promise<ReplyOf<typeof requests.resetResource>> {
    return this.engine.resources.reset(asked);
  }

  @Handles(requests.engageStop)
  engageStop(halt: Halt): Promise<ReplyOf<typeof requests.engageStop>> {
    return this.engine.engageStop(halt);
  }

  @Handles(requests.releaseStop)
  releaseStop({
    id,
    by,
  }: RequestOf<typeof requests.releaseStop>): Promise<ReplyOf<typeof requests.releaseStop>> {
    return this.engine.releaseStop(id, by);
  }
}
