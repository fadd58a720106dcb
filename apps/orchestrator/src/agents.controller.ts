import { Controller } from '@nestjs/common';
import {
  agentEvents,
  orchestratorRequests as requests,
  type AttemptResult,
  type BodyOf,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles, HandlesEvent, type BusContext } from '@lab/messaging/nest';

/** What agents report. A result is acknowledged only after it was committed; everything else may be lost. */
@Controller()
export class AgentsController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.registerAgent)
  register(agent: RequestOf<typeof requests.registerAgent>): Promise<ReplyOf<typeof requests.registerAgent>> {
    return this.engine.registerAgent(agent);
  }

  @Handles(requests.reportResult)
  async result(result: AttemptResult): Promise<ReplyOf<typeof requests.reportResult>> {
    await this.engine.attemptEnded(result);
    return {};
  }

  /** Sent to all agents at once. Heard here as well, it is recorded even if whoever sent it gets no further. */
  @HandlesEvent(agentEvents.emergencyStop)
  stopped(halt: BodyOf<typeof agentEvents.emergencyStop>): void {
    this.engine.stopHeard(halt);
  }

  @HandlesEvent(agentEvents.heartbeat)
  heartbeat(beat: BodyOf<typeof agentEvents.heartbeat>, context: BusContext): void {
    this.engine.agentAlive(context.token('computer'), beat);
  }

  @HandlesEvent(agentEvents.deviceChanged)
  deviceChanged(change: BodyOf<typeof agentEvents.deviceChanged>, context: BusContext): void {
    this.engine.deviceChanged(context.token('computer'), change.inc, change.device);
  }

  @HandlesEvent(agentEvents.leaving)
  leaving(agent: BodyOf<typeof agentEvents.leaving>, context: BusContext): void {
    this.engine.agentLeaving(context.token('computer'), agent.inc, agent.session);
  }
}
