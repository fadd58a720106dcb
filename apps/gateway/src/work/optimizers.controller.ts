import { Body, Controller, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  InsightSubmission,
  isServiceError,
  isTerminal,
  orchestratorRequests,
  runtimeParameters,
  ServiceError,
  zodSchema,
  type CampaignRecord,
  type InsightRecord,
  type JsonObject,
  type KeptInsight,
  type KeptOptimizer,
  type OptimizerDescription,
  type OptimizerRecord,
  type OptimizerStatus,
  type Page,
  type Principal,
  type RuntimeParameterValues,
  type Trial,
} from '@lab/contracts';
import { actorName, Caller, Needs, requireOwn } from '../access/index.js';
import { DtoPipe, lookupName, readFlag, readQuery } from '../routes/index.js';
import { Secrets } from './secrets.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';

/** Of so many of the latest trials the record of an optimizer shows the notes. */
const shownJournal = 50;

const params = zodSchema(runtimeParameters.zod());

/** The optimizers of campaigns: read them, change their settings, tell their AI something. */
@Needs('viewer', { of: 'campaign' })
@Controller('api')
export class OptimizersController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly secrets: Secrets,
  ) {}

  @Needs('submitter', { of: 'campaign' })
  @Put('campaigns/:campaign_name/optimizer/params')
  async configure(
    @Param('campaign_name') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<RuntimeParameterValues> {
    const { by } = readQuery(query, ['by'] as const);
    const name = lookupName(given, 'campaign');
    await requireOwn(caller, () => this.records.campaign(name));
    const reply = await this.orchestrator.ask(orchestratorRequests.configureOptimizer, {
      name,
      by: actorName(caller, by),
      runtime_params: this.parametersOf(body),
    });
    return reply.runtime_params;
  }

  @Needs('submitter', { of: 'campaign' })
  @Post('campaigns/:campaign_name/optimizer/insight')
  @HttpCode(201)
  async addInsight(
    @Param('campaign_name') given: string,
    @Body(new DtoPipe(InsightSubmission)) { insight, by }: InsightSubmission,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<InsightRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    await requireOwn(caller, () => this.records.campaign(name));
    const queued = await this.orchestrator.ask(orchestratorRequests.addInsight, {
      name,
      by: actorName(caller, by),
      text: insight,
    });
    return insightRecord({ ...queued, used: false });
  }

  /** Of a campaign that goes on, as the leading orchestrator knows it; of one that is over, as it was in the end. */
  @Get('campaigns/:campaign_name/optimizer')
  async read(@Param('campaign_name') given: string, @Query() query: unknown): Promise<OptimizerRecord> {
    const explain = readFlag('explain', readQuery(query, ['explain'] as const).explain);
    const { campaign, kept } = await this.optimized(given);
    const [status, trials] = await Promise.all([
      isTerminal(campaign.state) ? null : this.status(campaign.name, explain),
      this.records.journal(campaign.name, {
        after: Math.max(0, campaign.protocol_runs_started - shownJournal),
        limit: shownJournal,
      }),
    ]);
    const now = status ?? { ...kept, ...over };
    const { session: _, ...shown } = now;
    return {
      ...shown,
      campaign: campaign.name,
      insights: now.insights.map(insightRecord),
      journal: trials.map(({ number, run, source, note }) => ({ number, run, source, note })).reverse(),
    };
  }

  @Get('campaigns/:campaign_name/trials')
  async trials(@Param('campaign_name') given: string, @Query() query: unknown): Promise<Page<Trial>> {
    const name = lookupName(given, 'campaign');
    const request = readPageRequest('trials', query, { owner: name });
    const [campaign, portion] = await Promise.all([
      this.records.campaign(name),
      this.records.list('trials', request, name),
    ]);
    found(campaign, 'campaign', name);
    return request.pageOf(portion);
  }

  @Needs('viewer')
  @Get('protocols/:protocol_type/optimizer/defaults')
  async defaults(
    @Param('protocol_type') given: string,
    @Query() query: unknown,
  ): Promise<OptimizerDescription> {
    const { optimizer_ip } = readQuery(query, ['optimizer_ip'] as const);
    return this.orchestrator.ask(orchestratorRequests.readOptimizerDefaults, {
      protocol: lookupName(given, 'protocol'),
      ...(optimizer_ip === undefined ? {} : { optimizer_ip }),
    });
  }

  private parametersOf(body: unknown): RuntimeParameterValues {
    const checked = params.check(body);
    if (!checked.ok || Object.keys(checked.value).length === 0)
      throw new ServiceError('invalid', 'The body is not an object of parameters and their values.', {
        faults: checked.ok
          ? [{ path: '', code: 'empty', message: 'names no parameter', hint: 'for example {"p_ai": 0.2}' }]
          : checked.faults,
      });
    return this.secrets.sealed(checked.value as JsonObject, '') as RuntimeParameterValues;
  }

  private async optimized(given: string): Promise<{ campaign: CampaignRecord; kept: KeptOptimizer }> {
    const name = lookupName(given, 'campaign');
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    if (campaign.optimizer === null)
      throw new ServiceError('wrong_state', `The campaign "${name}" was submitted without an optimizer.`);
    return { campaign, kept: campaign.optimizer };
  }

  /** Null: the campaign has ended meanwhile. */
  private async status(name: string, explain: boolean): Promise<OptimizerStatus | null> {
    try {
      return await this.orchestrator.ask(orchestratorRequests.readOptimizer, { name, explain });
    } catch (error) {
      if (isServiceError(error) && (error.code === 'wrong_state' || error.code === 'not_found')) return null;
      throw error;
    }
  }
}

const over = {
  state: 'closed',
  reason: null,
  worker: null,
  session: null,
  pending: [],
  belief: null,
} as const satisfies Partial<OptimizerStatus>;

function insightRecord({ id, text, by, at, used }: KeptInsight): InsightRecord {
  return { id, text, by, at: new Date(at).toISOString(), used };
}
