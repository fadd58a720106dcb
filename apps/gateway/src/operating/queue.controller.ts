import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { OperatorNote, orchestratorRequests, unnamedPerson, type QueueRecord } from '@lab/contracts';
import { Needs } from '../access/needs.js';
import { DtoPipe } from '../http/dto-pipe.js';
import { readQuery } from '../http/request-input.js';
import { Orchestrator } from '../orchestrator.js';

/** The queue of all task runs that wait: how long it is, and whether anything may start. */
@Needs('viewer')
@Controller('api/queue')
export class QueueController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get()
  async read(@Query() query: unknown): Promise<QueueRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.queueState, {});
  }

  @Needs('operator')
  @Post('pause')
  @HttpCode(202)
  async pause(
    @Body(DtoPipe.orNothing(OperatorNote)) { by = unnamedPerson }: OperatorNote,
    @Query() query: unknown,
  ): Promise<QueueRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.pauseQueue, { by });
  }

  @Needs('operator')
  @Post('resume')
  @HttpCode(202)
  async resume(
    @Body(DtoPipe.orNothing(OperatorNote)) { by = unnamedPerson }: OperatorNote,
    @Query() query: unknown,
  ): Promise<QueueRecord> {
    readQuery(query, []);
    return this.orchestrator.ask(orchestratorRequests.resumeQueue, { by });
  }
}
