import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import {
  OperatorNote,
  orchestratorRequests,
  type Principal,
  type QueuePage,
  type QueueRecord,
} from '@lab/contracts';
import { actorName, Caller, Needs } from '../access/index.js';
import { DtoPipe, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { readPageRequest } from '../lists/index.js';

/** The queue of all task runs that wait: in which order and why, and whether anything may start. */
@Needs('viewer')
@Controller('api/queue')
export class QueueController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get()
  async read(@Query() query: unknown): Promise<QueuePage> {
    const { filters, limit, descending, after, pageOf } = readPageRequest('queue', query);
    const { queue, ...portion } = await this.orchestrator.ask(orchestratorRequests.readQueue, {
      ...filters,
      limit,
      descending,
      after,
    });
    return { ...queue, ...pageOf(portion) };
  }

  @Needs('operator')
  @Post('pause')
  @HttpCode(202)
  async pause(
    @Body(DtoPipe.orNothing(OperatorNote)) { by }: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<QueueRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.pauseQueue, { by: actorName(caller, by) });
  }

  @Needs('operator')
  @Post('resume')
  @HttpCode(202)
  async resume(
    @Body(DtoPipe.orNothing(OperatorNote)) { by }: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<QueueRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.resumeQueue, { by: actorName(caller, by) });
  }
}
