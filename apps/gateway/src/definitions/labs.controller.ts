import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { definitionRequests as requests, LabSelection, type LabChange, type LabRecord } from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { Needs } from '../access/needs.js';
import { DtoPipe } from '../http/dto-pipe.js';
import { readQuery } from '../http/request-input.js';
import { Orchestrator } from '../orchestrator.js';

/** Laboratories: which there are, and load, unload and reload of them. */
@Needs('viewer')
@Controller('api/labs')
export class LabsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get()
  async list(@Query() query: unknown): Promise<LabRecord[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.listLabs, {})).labs;
  }

  @Needs('lab_admin', { lab: 'lab_types' })
  @Post('load')
  @HttpCode(200)
  async load(
    @Body(new DtoPipe(LabSelection)) selection: LabSelection,
    @Query() query: unknown,
  ): Promise<LabChange[]> {
    readQuery(query, []);
    return (await this.orchestrator.ask(requests.loadLabs, selection)).labs;
  }

  @Needs('lab_admin', { lab: 'lab_types' })
  @Post('unload')
  async unload(
    @Body(new DtoPipe(LabSelection)) selection: LabSelection,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LabChange[]> {
    readQuery(query, []);
    return answered(reply, (await this.orchestrator.ask(requests.unloadLabs, selection)).labs);
  }

  @Needs('lab_admin', { lab: 'lab_types' })
  @Post('reload')
  async reload(
    @Body(new DtoPipe(LabSelection)) selection: LabSelection,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LabChange[]> {
    readQuery(query, []);
    return answered(reply, (await this.orchestrator.ask(requests.reloadLabs, selection)).labs);
  }
}

/** 202 when something of it is still to come. */
function answered(reply: FastifyReply, changes: LabChange[]): LabChange[] {
  reply.code(changes.some((change) => change.state === 'draining') ? 202 : 200);
  return changes;
}
