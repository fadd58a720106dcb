import { Controller } from '@nestjs/common';
import {
  orchestratorRequests as requests,
  type ReplyOf,
  type ScheduleQuery,
  type ScheduleRecord,
} from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';

/** What goes on and what is to come, from what the engine has in memory. */
@Controller()
export class ScheduleController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.readSchedule)
  async readSchedule(query: ScheduleQuery): Promise<ScheduleRecord> {
    return this.engine.schedule(query);
  }

  @Handles(requests.readEstimates)
  async readEstimates(): Promise<ReplyOf<typeof requests.readEstimates>> {
    return this.engine.estimates();
  }
}
