import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  CampaignResumption,
  CampaignSubmission,
  OperatorNote,
  orchestratorRequests,
  type CampaignRecord,
  type CampaignSummary,
  type DryRunRecord,
  type JsonObject,
  type Page,
  type ProtocolRunSummary,
  type Principal,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import type { FastifyReply } from 'fastify';
import {
  actorName,
  asOwn,
  Caller,
  labFilter,
  Needs,
  requireOwn,
  requireRightToServers,
  Within,
} from '../access/index.js';
import { type Asked, AskedAt, FoundAgain } from '../idempotency/index.js';
import { DtoPipe, lookupName, MayBeTriedOut, readDryRun, readQuery, refuseBody } from '../routes/index.js';
import { Secrets } from './secrets.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { Estimates } from './estimates.js';
import { isOwn } from './own-submission.js';
import { committed, found, noBodyHint } from '../lookup/index.js';

/** Campaigns: submit, pause, resume, cancel, read. */
@Needs('viewer')
@Controller('api/campaigns')
export class CampaignsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly estimates: Estimates,
    private readonly secrets: Secrets,
  ) {}

  @Needs('submitter')
  @FoundAgain()
  @MayBeTriedOut()
  @Post()
  async submit(
    @Body(new DtoPipe(CampaignSubmission)) given: CampaignSubmission,
    @Query() query: unknown,
    @AskedAt() asked: Asked,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord | DryRunRecord<CampaignSubmission>> {
    const dry = readDryRun(query);
    const submission = asOwn(caller, given);
    if (submission.resume === true) await requireOwn(caller, () => this.records.campaign(submission.name));
    const { meta } = submission;
    requireRightToServers(caller, meta?.['optimizer_overrides']);
    const request =
      meta === undefined ? submission : { ...submission, meta: this.secrets.sealed(meta, 'meta') };
    const shown = meta === undefined ? submission : { ...submission, meta: withSecretsHidden(meta) };
    if (dry) {
      reply.code(200);
      const tried = await this.orchestrator.tryOut({ kind: 'campaign', submission: request });
      return { ...tried, resolved: withoutSecrets(tried.resolved) };
    }
    const { name } = await this.orchestrator.make(
      orchestratorRequests.submitCampaign,
      request,
      async () => isOwn(await this.record(submission.name), shown, asked.at),
      asked.again,
    );
    const record = await committed(() => this.record(name), `campaign ${name}`);
    reply.header('location', `/api/campaigns/${encodeURIComponent(name)}`);
    return record;
  }

  @Needs('submitter', { of: 'campaign' })
  @Post(':campaign_name/cancel')
  @HttpCode(202)
  async cancel(
    @Param('campaign_name') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    refuseBody(body, noBodyHint);
    const name = lookupName(given, 'campaign');
    await requireOwn(caller, () => this.records.campaign(name));
    await this.orchestrator.ask(orchestratorRequests.cancelCampaign, { name });
    return committed(() => this.record(name), `campaign ${name}`);
  }

  @Needs('submitter', { of: 'campaign' })
  @Post(':campaign_name/pause')
  @HttpCode(202)
  async pause(
    @Param('campaign_name') given: string,
    @Body(DtoPipe.orNothing(OperatorNote)) { by }: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    await requireOwn(caller, () => this.records.campaign(name));
    await this.orchestrator.ask(orchestratorRequests.pauseCampaign, { name, by: actorName(caller, by) });
    return committed(() => this.record(name), `campaign ${name}`);
  }

  @Needs('submitter', { of: 'campaign' })
  @Post(':campaign_name/resume')
  @HttpCode(202)
  async resume(
    @Param('campaign_name') given: string,
    @Body(DtoPipe.orNothing(CampaignResumption))
    { by, optimizer_overrides: overrides }: CampaignResumption,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    requireRightToServers(caller, overrides);
    await requireOwn(caller, () => this.records.campaign(name));
    await this.orchestrator.ask(orchestratorRequests.resumeCampaign, {
      name,
      by: actorName(caller, by),
      ...(overrides === undefined
        ? {}
        : { optimizer_overrides: this.secrets.sealed(overrides, 'optimizer_overrides') }),
    });
    return committed(() => this.record(name), `campaign ${name}`);
  }

  @Needs('viewer', { of: 'campaign' })
  @Get(':campaign_name')
  async read(@Param('campaign_name') given: string, @Query() query: unknown): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    const record = found(await this.record(name), 'campaign', name);
    const [estimated] = await this.estimates.ofCampaigns([record]);
    return estimated ?? record;
  }

  @Needs('viewer', { lab: labFilter })
  @Get()
  async list(@Query() query: unknown, @Within() within?: readonly string[]): Promise<Page<CampaignSummary>> {
    const request = readPageRequest('campaigns', query, { within });
    const { items, end } = await this.records.list('campaigns', request);
    return request.pageOf({ items: await this.estimates.ofCampaigns(items.map(withoutSecrets)), end });
  }

  @Needs('viewer', { of: 'campaign' })
  @Get(':campaign_name/runs')
  async runs(
    @Param('campaign_name') given: string,
    @Query() query: unknown,
  ): Promise<Page<ProtocolRunSummary>> {
    const name = lookupName(given, 'campaign');
    const request = readPageRequest('campaign_runs', query, { owner: name });
    const [campaign, { items, end }] = await Promise.all([
      this.records.campaign(name),
      this.records.list('campaign_runs', request, name),
    ]);
    found(campaign, 'campaign', name);
    return request.pageOf({ items: await this.estimates.ofRuns(items), end });
  }

  private async record(name: string): Promise<CampaignRecord | undefined> {
    const campaign = await this.records.campaign(name);
    return campaign && withoutSecrets(campaign);
  }
}

function withoutSecrets<Campaign extends { meta?: JsonObject }>(campaign: Campaign): Campaign {
  const { meta } = campaign;
  return meta === undefined ? campaign : { ...campaign, meta: withSecretsHidden(meta) };
}
