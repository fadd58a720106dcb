import { Controller } from '@nestjs/common';
import { orchestratorRequests as requests, type ReplyOf, type RequestOf } from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';

type Accepted = ReplyOf<typeof requests.changeTask>;

/** Changes of work that is not over, and of whether what is over is listed. Each answer is sent after the commit. */
@Controller()
export class ChangesController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.changeTask)
  changeTask(request: RequestOf<typeof requests.changeTask>): Promise<Accepted> {
    const { name, protocol_run_name: run, change, by } = request;
    return this.engine.changes.task(name, run, change, by);
  }

  @Handles(requests.changeProtocolRun)
  changeProtocolRun({ name, change, by }: RequestOf<typeof requests.changeProtocolRun>): Promise<Accepted> {
    return this.engine.changes.protocolRun(name, change, by);
  }

  @Handles(requests.changeCampaign)
  changeCampaign({ name, change, by }: RequestOf<typeof requests.changeCampaign>): Promise<Accepted> {
    return this.engine.changes.campaign(name, change, by);
  }

  @Handles(requests.archiveWork)
  archiveWork({ kind, name, by }: RequestOf<typeof requests.archiveWork>): Promise<Accepted> {
    return this.engine.changes.archive(kind, name, by);
  }

  @Handles(requests.restoreWork)
  restoreWork({ kind, name, by }: RequestOf<typeof requests.restoreWork>): Promise<Accepted> {
    return this.engine.changes.restore(kind, name, by);
  }
}
