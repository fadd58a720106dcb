import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  CampaignSubmission,
  OperatorNote,
  orchestratorRequests,
  runStates,
  unnamedPerson,
  type CampaignRecord,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { DtoPipe } from '../http/dto-pipe.js';
import { lookupName, readListQuery, readQuery, refuseBody } from '../http/request-input.js';
import { Orchestrator } from '../orchestrator.js';
import { RecordReader } from '../ports.js';
import { Estimates } from './estimates.js';
import { isOwn } from './own-submission.js';
import { committed, found, noBodyHint } from './records.js';

/** Campaigns: submit, pause, resume, cancel, read. */
@Controller('api/campaigns')
export class CampaignsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly estimates: Estimates,
  ) {}

  @Post()
  async submit(
    @Body(new DtoPipe(CampaignSubmission)) submission: CampaignSubmission,
    @Query() query: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    const askedAt = Date.now();
    const { name } = await this.orchestrator.make(orchestratorRequests.submitCampaign, submission, async () =>
      isOwn(await this.records.campaign(submission.name), submission, askedAt),
    );
    const record = await committed(() => this.records.campaign(name), `campaign ${name}`);
    reply.header('location', `/api/campaigns/${encodeURIComponent(name)}`);
    return record;
  }

  @Post(':campaign_name/cancel')
  @HttpCode(202)
  async cancel(
    @Param('campaign_name') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    refuseBody(body, noBodyHint);
    const name = lookupName(given, 'campaign');
    await this.orchestrator.ask(orchestratorRequests.cancelCampaign, { name });
    return committed(() => this.records.campaign(name), `campaign ${name}`);
  }

  @Post(':campaign_name/pause')
  @HttpCode(202)
  async pause(
    @Param('campaign_name') given: string,
    @Body(DtoPipe.orNothing(OperatorNote)) { by = unnamedPerson }: OperatorNote,
    @Query() query: unknown,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    await this.orchestrator.ask(orchestratorRequests.pauseCampaign, { name, by });
    return committed(() => this.records.campaign(name), `campaign ${name}`);
  }

  @Post(':campaign_name/resume')
  @HttpCode(202)
  async resume(
    @Param('campaign_name') given: string,
    @Body(DtoPipe.orNothing(OperatorNote)) { by = unnamedPerson }: OperatorNote,
    @Query() query: unknown,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    await this.orchestrator.ask(orchestratorRequests.resumeCampaign, { name, by });
    return committed(() => this.records.campaign(name), `campaign ${name}`);
  }

  @Get(':campaign_name')
  async read(@Param('campaign_name') given: string, @Query() query: unknown): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    const record = found(await this.records.campaign(name), 'campaign', name);
    const [estimated] = await this.estimates.ofCampaigns([record]);
    return estimated ?? record;
  }

  @Get()
  async list(@Query() query: unknown): Promise<CampaignRecord[]> {
    return this.estimates.ofCampaigns(await this.records.campaigns(readListQuery(query, runStates)));
  }
}
