import { Controller, Get, Param, Query } from '@nestjs/common';
import type { Page, ResourceRecord, ResourceUse } from '@lab/contracts';
import { Needs } from '../access/needs.js';
import { lookupName, readQuery } from '../http/request-input.js';
import { RecordReader } from '../ports.js';
import { found } from '../work/records.js';
import { readPageRequest } from './list-request.js';

/** Resources: what they are, who has them, and which tasks had them. */
@Needs('viewer')
@Controller('api/resources')
export class ResourcesController {
  constructor(private readonly records: RecordReader) {}

  @Get()
  async list(@Query() query: unknown): Promise<Page<ResourceRecord>> {
    const request = readPageRequest('resources', query);
    return request.pageOf(await this.records.list('resources', request));
  }

  @Get(':resource_name')
  async read(@Param('resource_name') given: string, @Query() query: unknown): Promise<ResourceRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'resource');
    return found(await this.records.resource(name), 'resource', name);
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
