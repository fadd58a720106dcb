import { Controller, Get, Post, Res } from '@nestjs/common';
import {
  CampaignResumption,
  CampaignSubmission,
  orchestratorRequests,
  type CampaignRecord,
  type CampaignSummary,
  type DryRunRecord,
  type JsonObject,
  type LabRights,
  type Page,
  type Principal,
  type ProtocolRunSummary,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import type { FastifyReply } from 'fastify';
import {
  Actor,
  actorName,
  anyLab,
  asOwn,
  Caller,
  labFilter,
  Needs,
  RecordRoles,
  requireOwn,
  requireRightToServers,
  Rights,
  type Acting,
} from '../access/index.js';
import { EntryOfSubmission, type SubmissionEntry } from '../audit/index.js';
import { campaignSubmissions, operatorNotes } from '../examples/index.js';
import { AskedAs, FoundAgain, type Asked } from '../idempotency/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { committed, found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  CampaignName,
  DryRun,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  OptionalBody,
  page,
  record,
} from '../routes/index.js';
import { Estimates } from './estimates.js';
import { Secrets } from './secrets.js';
import { submissionErrors } from './submission-errors.js';
import { submitWork } from './submit.js';

/** Campaigns: submit, pause, resume, cancel, read. */
@Group('Campaigns')
@Needs('viewer')
@Controller('api/campaigns')
export class CampaignsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly estimates: Estimates,
    private readonly secrets: Secrets,
    private readonly roles: RecordRoles,
  ) {}

  @Needs('submitter', { lab: anyLab })
  @FoundAgain()
  @Operation('Submit a campaign', record('CampaignRecord', 'The campaign is accepted.'), {
    description:
      'A campaign runs one protocol many times. Without an optimizer, give `global_parameters`, `protocol_run_parameters` (exactly `max_protocol_runs` entries), or both. With `optimize`, the service creates the optimizer of the protocol before it answers, and the optimizer proposes the inputs run by run.',
    location: true,
    problems: [
      ...submissionErrors,
      'unknown_protocol',
      'not_found',
      'optimizer_error',
      'optimizer_unavailable',
    ],
  })
  @Post()
  async submit(
    @JsonBody(CampaignSubmission, campaignSubmissions) given: CampaignSubmission,
    @DryRun() dry: boolean,
    @AskedAs() asked: Asked,
    @EntryOfSubmission() written: SubmissionEntry,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Caller() asker: Principal,
    @Rights() rights: LabRights,
  ): Promise<CampaignRecord | DryRunRecord<CampaignSubmission>> {
    const caller = await this.roles.overResumed(asker, 'campaign', given);
    const submission = asOwn(caller, given);
    if (submission.resume === true) await requireOwn(caller, () => this.records.campaign(submission.name));
    const { meta } = submission;
    requireRightToServers(caller, meta?.['optimizer_overrides']);
    const request =
      meta === undefined ? submission : { ...submission, meta: this.secrets.sealed(meta, 'meta') };
    if (dry) {
      reply.code(200);
      const tried = await this.orchestrator.tryOut({ kind: 'campaign', submission: request }, rights);
      return { ...tried, resolved: withoutSecrets(tried.resolved) };
    }
    const { name } = await submitWork<typeof orchestratorRequests.submitCampaign>(
      this.orchestrator,
      orchestratorRequests.submitCampaign,
      request,
      { asked, written, rights },
      () => this.records.isOfSubmission('campaign', submission.name, asked.submissionId),
    );
    const made = await committed(() => this.record(name), `campaign ${name}`);
    reply.header('location', `/api/campaigns/${encodeURIComponent(name)}`);
    return made;
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('Cancel a campaign', record('CampaignRecord', 'The campaign will end.'), {
    description: 'The service starts no further run and cancels the runs of the campaign.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':campaign_name/cancel', 202)
  cancel(@CampaignName() name: string, @Caller() caller: Principal): Promise<CampaignRecord> {
    return this.act(caller, name, () => this.orchestrator.ask(orchestratorRequests.cancelCampaign, { name }));
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('Pause a campaign', record('CampaignRecord', 'The campaign is paused.'), {
    description:
      'The service starts no further run, and no further task of the existing runs. Running tasks continue to their end.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':campaign_name/pause', 202)
  pause(@CampaignName() name: string, @Actor() { caller, by }: Acting): Promise<CampaignRecord> {
    return this.act(caller, name, () =>
      this.orchestrator.ask(orchestratorRequests.pauseCampaign, { name, by }),
    );
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('Resume a campaign', record('CampaignRecord', 'The campaign continues.'), {
    description:
      'A paused campaign continues. Of a failed or cancelled campaign, the service keeps the completed runs, resumes the failed and cancelled runs with the same parameters, and then continues with the remaining runs.',
    problems: [
      'wrong_state',
      ...fromOrchestrator,
      'backlog_full',
      'duplicate_name',
      'optimizer_error',
      'optimizer_unavailable',
    ],
  })
  @Action(':campaign_name/resume', 202)
  resume(
    @CampaignName() name: string,
    @OptionalBody(CampaignResumption, {
      ...operatorNotes,
      overrides: { summary: 'Without the AI from here on', value: { optimizer_overrides: { p_ai: 0 } } },
    })
    { by, optimizer_overrides: overrides }: CampaignResumption,
    @Caller() caller: Principal,
    @Rights() rights: LabRights,
  ): Promise<CampaignRecord> {
    requireRightToServers(caller, overrides);
    return this.act(caller, name, () =>
      this.orchestrator.ask(orchestratorRequests.resumeCampaign, {
        name,
        by: actorName(caller, by),
        rights,
        ...(overrides === undefined
          ? {}
          : { optimizer_overrides: this.secrets.sealed(overrides, 'optimizer_overrides') }),
      }),
    );
  }

  @Needs('viewer', { of: 'campaign' })
  @Operation('Read a campaign', record('CampaignRecord', 'The campaign. Its runs are a separate list.'))
  @Get(':campaign_name')
  async read(@CampaignName() name: string): Promise<CampaignRecord> {
    const campaign = found(await this.record(name), 'campaign', name);
    const [estimated] = await this.estimates.ofCampaigns([campaign]);
    return estimated ?? campaign;
  }

  @Needs('viewer', { lab: labFilter })
  @Operation('List campaigns', page('CampaignSummary', 'Campaigns without their runs.'))
  @Get()
  async list(@ListQuery('campaigns') request: PageRequest): Promise<Page<CampaignSummary>> {
    const { items, end } = await this.records.list('campaigns', request);
    return request.pageOf({ items: await this.estimates.ofCampaigns(items.map(withoutSecrets)), end });
  }

  @Needs('viewer', { of: 'campaign' })
  @Operation(
    'List the protocol runs of a campaign',
    page('ProtocolRunSummary', 'Runs in the order of their creation, without their tasks.'),
  )
  @Get(':campaign_name/runs')
  async runs(
    @CampaignName() name: string,
    @ListQuery('campaign_runs', { owner: 'campaign_name' }) request: PageRequest,
  ): Promise<Page<ProtocolRunSummary>> {
    const [campaign, { items, end }] = await Promise.all([
      this.records.campaign(name),
      this.records.list('campaign_runs', request, name),
    ]);
    found(campaign, 'campaign', name);
    return request.pageOf({ items: await this.estimates.ofRuns(items), end });
  }

  private async act(caller: Principal, name: string, ask: () => Promise<unknown>): Promise<CampaignRecord> {
    await requireOwn(caller, () => this.records.campaign(name));
    await ask();
    return committed(() => this.record(name), `campaign ${name}`);
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
