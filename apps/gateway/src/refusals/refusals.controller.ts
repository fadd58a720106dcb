import { Controller, Get } from '@nestjs/common';
import type { Page, RefusalRecord } from '@lab/contracts';
import { Needs } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { RecordReader } from '../ports/index.js';
import { Group, Operation, page } from '../routes/index.js';
import { RefusalLog } from './refusal-log.js';

@Group('Access')
@Needs('admin')
@Controller('api/security')
export class RefusalsController {
  constructor(
    private readonly records: RecordReader,
    private readonly refusals: RefusalLog,
  ) {}

  @Operation('List refused requests', page('RefusalRecord', 'Latest first.'), {
    description:
      'Requests that the service refused with 401, 403, 421 or 429, and addresses that webhooks may not reach. One record counts the refusals of one kind, caller and address within a minute. Other gateways show theirs up to a minute later. Records are kept for 90 days, and at most 200,000 of them.',
  })
  @Get('refusals')
  async list(@ListQuery('refusals') request: PageRequest): Promise<Page<RefusalRecord>> {
    await this.refusals.flush();
    return request.pageOf(await this.records.list('refusals', request));
  }
}
