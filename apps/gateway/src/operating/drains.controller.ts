import { Controller, Get } from '@nestjs/common';
import { orchestratorRequests, type DrainRecord, type Principal } from '@lab/contracts';
import { Actor, Needs, requireOwn, type Acting } from '../access/index.js';
import { found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { Action, CampaignName, fromOrchestrator, Group, Operation, record } from '../routes/index.js';

const drained = record(
  'DrainRecord',
  'Whether new work may begin, and the work that has begun and has not ended.',
);

/** Drains: what has begun goes on to its end, and nothing new begins. */
@Group('Operating')
@Controller('api')
export class DrainsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('viewer')
  @Operation('Read the drain of all work', drained, { problems: fromOrchestrator })
  @Get('queue/drain')
  read(): Promise<DrainRecord> {
    return this.orchestrator.ask(orchestratorRequests.readDrain, { campaign: null });
  }

  @Needs('operator')
  @Operation('Drain all work', drained, {
    description:
      'No protocol run and no on-demand task begins. Those that have begun go on to their end, with all their tasks. New work is accepted and waits. The drain lasts over every restart, until a person ends it. The request can be repeated.',
    problems: fromOrchestrator,
  })
  @Action('queue/drain', 202)
  begin(@Actor() { by }: Acting): Promise<DrainRecord> {
    return this.orchestrator.ask(orchestratorRequests.drain, { campaign: null, by });
  }

  @Needs('operator')
  @Operation('End the drain of all work', drained, {
    description: 'Work may begin again, except that of drained campaigns. The request can be repeated.',
    problems: fromOrchestrator,
  })
  @Action('queue/drain/end', 202)
  end(@Actor() { by }: Acting): Promise<DrainRecord> {
    return this.orchestrator.ask(orchestratorRequests.endDrain, { campaign: null, by });
  }

  @Needs('viewer', { of: 'campaign' })
  @Operation('Read the drain of a campaign', drained, {
    description: 'A campaign that has ended is not drained any more.',
    problems: fromOrchestrator,
  })
  @Get('campaigns/:campaign_name/drain')
  async readOfCampaign(@CampaignName() campaign: string): Promise<DrainRecord> {
    found(await this.records.campaign(campaign), 'campaign', campaign);
    return this.orchestrator.ask(orchestratorRequests.readDrain, { campaign });
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('Drain a campaign', drained, {
    description:
      'No further run of the campaign begins. Its runs that have begun go on to their end, with all their tasks. The drain lasts over every restart, until a person ends it or the campaign ends. The request can be repeated.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action('campaigns/:campaign_name/drain', 202)
  async beginOfCampaign(
    @CampaignName() campaign: string,
    @Actor() { caller, by }: Acting,
  ): Promise<DrainRecord> {
    await this.requireOwn(caller, campaign);
    return this.orchestrator.ask(orchestratorRequests.drain, { campaign, by });
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('End the drain of a campaign', drained, {
    description: 'Further runs of the campaign may begin again. The request can be repeated.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action('campaigns/:campaign_name/drain/end', 202)
  async endOfCampaign(
    @CampaignName() campaign: string,
    @Actor() { caller, by }: Acting,
  ): Promise<DrainRecord> {
    await this.requireOwn(caller, campaign);
    return this.orchestrator.ask(orchestratorRequests.endDrain, { campaign, by });
  }

  private requireOwn(caller: Principal, campaign: string): Promise<void> {
    return requireOwn(caller, () => this.records.campaign(campaign));
  }
}
