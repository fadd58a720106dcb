import { Controller, Get, Query } from '@nestjs/common';
import { orchestratorRequests, type ScheduleRecord } from '@lab/contracts';
import { Needs } from '../access/index.js';
import { readScheduleQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';

/** What goes on, what is to come and why what waits waits, as the leading orchestrator sees it at this moment. */
@Needs('viewer')
@Controller('api/schedule')
export class ScheduleController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get()
  async read(@Query() query: unknown): Promise<ScheduleRecord> {
    return this.orchestrator.ask(orchestratorRequests.readSchedule, readScheduleQuery(query));
  }
}
