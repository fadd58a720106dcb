import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  orchestratorRequests,
  ResourceReset,
  type Page,
  type Principal,
  type ResourceRecord,
  type ResourceUse,
} from '@lab/contracts';
import { actorName, Caller, labFilter, Needs, Within } from '../access/index.js';
import { DtoPipe, lookupName, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { committed, found } from '../lookup/index.js';
import { readPageRequest } from '../lists/index.js';

/** Resources: what they are, who has them, which tasks had them; and a reset of their data. */
@Needs('viewer')
@Controller('api/resources')
export class ResourcesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Get()
  async list(@Query() query: unknown, @Within() within?: readonly string[]): Promise<Page<ResourceRecord>> {
    const request = readPageRequest('resources', query, { within });
    return request.pageOf(await this.records.list('resources', request));
  }

  @Needs('viewer', { of: 'resource' })
  @Get(':resource_name')
  async read(@Param('resource_name') given: string, @Query() query: unknown): Promise<ResourceRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'resource');
    return found(await this.records.resource(name), 'resource', name);
  }

  @Needs('operator', { of: 'resource' })
  @Post(':resource_name/reset')
  @HttpCode(200)
  async reset(
    @Param('resource_name') given: string,
    @Body(DtoPipe.orNothing(ResourceReset)) { reason = '', force = false, by }: ResourceReset,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ResourceRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'resource');
    await this.orchestrator.ask(orchestratorRequests.resetResource, {
      name,
      by: actorName(caller, by),
      reason,
      force,
    });
    return committed(() => this.records.resource(name), `resource ${name}`);
  }

  @Get(':resource_name/history')
  async history(@Param('resource_name') given: string, @Query() query: unknown): Promise<Page<ResourceUse>> {
    const name = lookupName(given, 'resource');
    const request = readPageRequest('resource_uses', query, { owner: name });
    const [resource, uses] = await Promise.all([
      this.records.resource(name),
      this.records.list('resource_uses', request, name),
    ]);
    found(resource, 'resource', name);
    return request.pageOf(uses);
  }
}
