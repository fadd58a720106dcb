import { Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import {
  InsightSubmission,
  isServiceError,
  isTerminal,
  orchestratorRequests,
  runtimeParameters,
  ServiceError,
  shownJournal,
  zodSchema,
  type CampaignRecord,
  type InsightRecord,
  type JournalEntry,
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
import { ListQuery, type PageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Body,
  CampaignName as NameOfCampaign,
  fromOrchestrator,
  Group,
  json,
  JsonBody,
  Operation,
  page,
  pathName,
  QueryFlag,
  QueryText,
  record,
  ref,
} from '../routes/index.js';
import { Secrets } from './secrets.js';

/** The part of the journal in the record of an optimizer. */
const latest = { limit: shownJournal, sort: 'number', descending: true, filters: {}, after: null };

const params = zodSchema(runtimeParameters.zod());

const CampaignName = (): ParameterDecorator => NameOfCampaign({ example: 'find_teal' });
const ProtocolType = pathName('protocol_type', 'protocol', {
  description: 'Type name of the protocol.',
  example: 'color_mixing',
});

/** The optimizers of campaigns: read them, change their settings, give hints to their AI. */
@Group('Campaigns')
@Needs('viewer', { of: 'campaign' })
@Controller('api')
export class OptimizersController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly secrets: Secrets,
  ) {}

  @Needs('submitter', { of: 'campaign' })
  @Operation(
    'Change settings of the optimizer while the campaign runs',
    {
      description: 'All runtime parameters after the change.',
      content: json(ref('RuntimeParameters'), { p_bayesian: 0.8, p_ai: 0.2 }),
    },
    {
      description:
        'Any of `p_bayesian`, `p_ai`, `ai_history_size`, `ai_additional_context`, and the runtime parameters of the plugged-in optimizer. Setting one of the two probabilities sets the other as well. `p_ai` 0 removes the AI; a larger value brings it back. The service makes all changes or none. They survive every restart and resume.',
      problems: ['wrong_state', ...fromOrchestrator, 'optimizer_error', 'optimizer_unavailable'],
    },
  )
  @Put('campaigns/:campaign_name/optimizer/params')
  async configure(
    @CampaignName() name: string,
    @QueryText('by', 'Who makes the change, for the audit.') by: string | undefined,
    @Body(
      {
        schema: ref('RuntimeParameters'),
        required: true,
        examples: { less: { summary: 'Ask the AI less often', value: { p_ai: 0.2 } } },
      },
      readParameters,
    )
    parameters: RuntimeParameterValues,
    @Caller() caller: Principal,
  ): Promise<RuntimeParameterValues> {
    await requireOwn(caller, () => this.records.campaign(name));
    const reply = await this.orchestrator.ask(orchestratorRequests.configureOptimizer, {
      name,
      by: actorName(caller, by),
      runtime_params: this.secrets.sealed(parameters as JsonObject, '') as RuntimeParameterValues,
    });
    return reply.runtime_params;
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('Give a hint to the AI of the optimizer', record('InsightRecord', 'The hint is queued.'), {
    description: 'The AI gets the text with its next suggestions until one of them succeeds.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Post('campaigns/:campaign_name/optimizer/insight')
  @HttpCode(201)
  async addInsight(
    @CampaignName() name: string,
    @JsonBody(InsightSubmission, {
      insight: {
        summary: 'An observation of a person',
        value: { insight: 'Yellow stains the beaker: stay below 12.', by: 'ada' },
      },
    })
    { insight, by }: InsightSubmission,
    @Caller() caller: Principal,
  ): Promise<InsightRecord> {
    await requireOwn(caller, () => this.records.campaign(name));
    const queued = await this.orchestrator.ask(orchestratorRequests.addInsight, {
      name,
      by: actorName(caller, by),
      text: insight,
    });
    return insightRecord({ ...queued, used: false });
  }

  @Operation('Read the optimizer of a campaign', record('OptimizerRecord', 'The optimizer.'), {
    description:
      'State and settings, the proposals whose runs have not begun, the hints, and the latest entries of the journal. For a finished campaign: the optimizer at its end.',
    problems: ['wrong_state', 'store_unavailable', ...fromOrchestrator],
  })
  @Get('campaigns/:campaign_name/optimizer')
  async read(
    @CampaignName() name: string,
    @QueryFlag(
      'explain',
      'True: the service asks the model of the optimizer what it has learned. This may take seconds.',
    )
    explain: boolean,
  ): Promise<OptimizerRecord> {
    const { campaign, kept } = await this.optimized(name);
    const [status, { items }] = await Promise.all([
      isTerminal(campaign.state) ? null : this.status(campaign.name, explain),
      this.records.list('journal', latest, campaign.name),
    ]);
    const now = status ?? { ...kept, ...over };
    const { session: _, ...shown } = now;
    return {
      ...shown,
      campaign: campaign.name,
      insights: now.insights.map(insightRecord),
      journal: [...items],
    };
  }

  @Operation('List the journal of the optimizer', page('JournalEntry', 'Newest first.'), {
    description:
      'How the parameters of each run were found, for example what the AI wrote about its suggestion. Trials without a note are left out.',
    problems: ['wrong_state'],
  })
  @Get('campaigns/:campaign_name/optimizer/journal')
  async journal(
    @CampaignName() name: string,
    @ListQuery('journal', { owner: 'campaign_name' }) request: PageRequest,
  ): Promise<Page<JournalEntry>> {
    await this.optimized(name);
    return request.pageOf(await this.records.list('journal', request, name));
  }

  @Operation('List the trials of a campaign', page('Trial', 'By number.'), {
    description: 'Inputs, outputs and notes of each trial. A campaign without an optimizer has none.',
  })
  @Get('campaigns/:campaign_name/trials')
  async trials(
    @CampaignName() name: string,
    @ListQuery('trials', { owner: 'campaign_name' }) request: PageRequest,
  ): Promise<Page<Trial>> {
    const [campaign, portion] = await Promise.all([
      this.records.campaign(name),
      this.records.list('trials', request, name),
    ]);
    found(campaign, 'campaign', name);
    return request.pageOf(portion);
  }

  @Needs('viewer')
  @Operation(
    'Read the default settings of the optimizer of a protocol',
    record('OptimizerDescription', 'The optimizer.'),
    {
      tag: 'Definitions',
      description:
        'Fields for a form, default settings, inputs and outputs. The service creates the optimizer for this answer and drops it again.',
      problems: ['unknown_protocol', ...fromOrchestrator, 'optimizer_error', 'optimizer_unavailable'],
    },
  )
  @Get('protocols/:protocol_type/optimizer/defaults')
  async defaults(
    @ProtocolType() protocol: string,
    @QueryText('optimizer_ip', 'Computer whose optimizer worker is asked. Default: 127.0.0.1.')
    ip: string | undefined,
  ): Promise<OptimizerDescription> {
    return this.orchestrator.ask(orchestratorRequests.readOptimizerDefaults, {
      protocol,
      ...(ip === undefined ? {} : { optimizer_ip: ip }),
    });
  }

  private async optimized(name: string): Promise<{ campaign: CampaignRecord; kept: KeptOptimizer }> {
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    if (campaign.optimizer === null)
      throw new ServiceError('wrong_state', `The campaign "${name}" was submitted without an optimizer.`);
    return { campaign, kept: campaign.optimizer };
  }

  /** The state that the leading orchestrator knows; null: the campaign has ended meanwhile. */
  private async status(name: string, explain: boolean): Promise<OptimizerStatus | null> {
    try {
      return await this.orchestrator.ask(orchestratorRequests.readOptimizer, { name, explain });
    } catch (error) {
      if (isServiceError(error) && (error.code === 'wrong_state' || error.code === 'not_found')) return null;
      throw error;
    }
  }
}

/** @throws ServiceError `invalid` */
function readParameters(body: unknown): RuntimeParameterValues {
  const checked = params.check(body);
  if (checked.ok && Object.keys(checked.value).length > 0) return checked.value;
  throw new ServiceError('invalid', 'The body is not an object of parameters and their values.', {
    faults: checked.ok
      ? [{ path: '', code: 'empty', message: 'names no parameter', hint: 'for example {"p_ai": 0.2}' }]
      : checked.faults,
  });
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
