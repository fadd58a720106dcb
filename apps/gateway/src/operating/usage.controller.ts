import { Controller, Get } from '@nestjs/common';
import {
  orchestratorRequests,
  type LabRights,
  type Page,
  type Principal,
  type UsageQuery,
  type UsageRecord,
} from '@lab/contracts';
import { Caller, hasRole, Needs, ownLabs, Rights } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { fromOrchestrator, Group, Operation, page } from '../routes/index.js';

/** What owners and laboratories store, and how much of their quotas they use. */
@Group('Operating')
@Controller('api/usage')
export class UsageController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Needs('viewer', { lab: ownLabs })
  @Operation(
    'List what owners and laboratories store, with their quotas',
    page('UsageRecord', 'The fullest first.'),
    {
      description:
        'An administrator gets all of it. Others get their own usage, and that of the laboratories for which they have a role. What was deleted counts for up to 10 s more.',
      problems: fromOrchestrator,
    },
  )
  @Get()
  async list(
    @ListQuery('usage') { filters, limit, sort, descending, after, pageOf }: PageRequest,
    @Rights() rights: LabRights,
    @Caller() caller: Principal,
  ): Promise<Page<UsageRecord>> {
    const portion = await this.orchestrator.ask(orchestratorRequests.readUsage, {
      ...(filters as Pick<UsageQuery, 'kind' | 'name'>),
      ...{ rights, limit, descending, after },
      owner: hasRole(caller, 'admin') ? null : caller.name,
      sort: sort as UsageQuery['sort'],
    });
    return pageOf(portion);
  }
}
