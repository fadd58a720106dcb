import { Controller } from '@nestjs/common';
import {
  orchestratorRequests as requests,
  type CampaignSubmission,
  type ProtocolRunSubmission,
  type ReplyOf,
  type RequestOf,
  type TaskSubmission,
} from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';

type Accepted = ReplyOf<typeof requests.submitTask>;

/** What people ask for through the gateway. Each answer is sent after the decision was committed. */
@Controller()
export class SubmissionsController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.submitProtocolRun)
  submitProtocolRun(submission: ProtocolRunSubmission): Promise<Accepted> {
    return this.engine.submitProtocolRun(submission);
  }

  @Handles(requests.submitCampaign)
  submitCampaign(submission: CampaignSubmission): Promise<Accepted> {
    return this.engine.submitCampaign(submission);
  }

  @Handles(requests.submitTask)
  submitTask(submission: TaskSubmission): Promise<Accepted> {
    return this.engine.submitTask(submission);
  }

  @Handles(requests.cancelProtocolRun)
  cancelProtocolRun({ name }: RequestOf<typeof requests.cancelProtocolRun>): Promise<Accepted> {
    return this.engine.cancelProtocolRun(name);
  }

  @Handles(requests.cancelCampaign)
  cancelCampaign({ name }: RequestOf<typeof requests.cancelCampaign>): Promise<Accepted> {
    return this.engine.cancelCampaign(name);
  }

  @Handles(requests.cancelTask)
  cancelTask(request: RequestOf<typeof requests.cancelTask>): Promise<Accepted> {
    return this.engine.cancelTask(request.name, request.protocol_run_name);
  }

  @Handles(requests.locateDevice)
  async locateDevice(
    request: RequestOf<typeof requests.locateDevice>,
  ): Promise<ReplyOf<typeof requests.locateDevice>> {
    return this.engine.present.locate(request.lab, request.device);
  }

  @Handles(requests.listDevices)
  async listDevices(): Promise<ReplyOf<typeof requests.listDevices>> {
    return { devices: this.engine.present.devices() };
  }

  @Handles(requests.listAgents)
  async listAgents(): Promise<ReplyOf<typeof requests.listAgents>> {
    return { agents: this.engine.present.agents() };
  }
}
