import { Controller, Get, Post } from '@nestjs/common';
import {
  LegalHoldRequest,
  orchestratorRequests,
  type LegalHoldRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { Actor, actorName, Caller, Needs, type Acting } from '../access/index.js';
import { ListQuery, portionOf, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  LegalHoldId,
  Operation,
  page,
  record,
} from '../routes/index.js';

const examples = {
  owner: {
    summary: 'All work of a person',
    value: { kind: 'owner', name: 'ada', reason: 'dispute 17', by: 'eve' },
  },
};

/** Legal holds: what they cover cannot be deleted. */
@Group('Operating')
@Needs('admin')
@Controller('api/legal-holds')
export class LegalHoldsController {
  constructor(private readonly orchestrator: Orchestrator) {}

  @Operation('List the legal holds in force', page('LegalHoldRecord', 'By their beginning.'), {
    problems: fromOrchestrator,
  })
  @Get()
  async list(@ListQuery('legal_holds') request: PageRequest): Promise<Page<LegalHoldRecord>> {
    const { holds } = await this.orchestrator.ask(orchestratorRequests.listHolds, {});
    return request.pageOf(portionOf(holds, 'legal_holds', request, ({ id }) => id));
  }

  @Operation('Forbid the deletion of work', record('LegalHoldRecord', 'The hold.'), {
    description:
      'Deletions of this work that have not begun are taken back. `too_late` names the work whose deletion has begun.',
    problems: ['not_found', 'wrong_state', ...fromOrchestrator],
  })
  @Post()
  add(
    @JsonBody(LegalHoldRequest, examples) { by, ...asked }: LegalHoldRequest,
    @Caller() caller: Principal,
  ): Promise<LegalHoldRecord> {
    return this.orchestrator.ask(orchestratorRequests.addHold, { ...asked, by: actorName(caller, by) });
  }

  @Operation('Release a legal hold', record('LegalHoldRecord', 'The hold that was released.'), {
    description: 'Deletions that the hold took back do not come back.',
    problems: ['not_found', ...fromOrchestrator],
  })
  @Action(':id/release')
  release(@LegalHoldId() id: string, @Actor() { by }: Acting): Promise<LegalHoldRecord> {
    return this.orchestrator.ask(orchestratorRequests.releaseHold, { id, by });
  }
}
