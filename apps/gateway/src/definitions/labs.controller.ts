import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  definitionRequests as requests,
  LabSelection,
  ServiceError,
  type LabChange,
  type LabRecord,
  type Page,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { Needs } from '../access/index.js';
import { DtoPipe, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { portionOf, readPageRequest } from '../lists/index.js';

/** Laboratories: which there are, and load, unload and reload of them. */
@Needs('viewer')
@Controller('api/labs')
export class LabsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Get()
  async list(@Query() query: unknown): Promise<Page<LabRecord>> {
    const request = readPageRequest('labs', query);
    const { labs } = await this.orchestrator.ask(requests.listLabs, {});
    return request.pageOf(portionOf(labs, 'labs', request, ({ name }) => name));
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Get(':lab_id')
  async read(@Param('lab_id') name: string, @Query() query: unknown): Promise<LabRecord> {
    readQuery(query, []);
    const { labs } = await this.orchestrator.ask(requests.listLabs, {});
    const lab = labs.find((each) => each.name === name);
    if (lab !== undefined) return lab;
    throw new ServiceError('unknown_lab', `No package has a laboratory "${name}".`);
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
