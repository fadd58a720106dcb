import { Controller, Delete, Get } from '@nestjs/common';
import {
  AttentionClaimRequest,
  AttentionResolution,
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type AttentionRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { actorName, Caller, labFilter, Needs } from '../access/index.js';
import { attentionClaims, attentionResolutions } from '../examples/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { committed } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  OptionalBody,
  page,
  pathName,
  QueryText,
  record,
} from '../routes/index.js';

const ItemId = pathName('id', 'attention item', {
  description: 'Id of the attention item.',
  example: '0190c0de-0000-7000-8000-00000000000b',
});

/** Attention items: decisions that only a person can make. */
@Group('Operating')
@Needs('viewer')
@Controller('api/attention')
export class AttentionController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Operation('List the decisions that only a person can make', page('AttentionRecord', 'Newest first.'))
  @Get()
  async list(@ListQuery('attention') request: PageRequest): Promise<Page<AttentionRecord>> {
    return request.pageOf(await this.records.list('attention', request));
  }

  @Needs('viewer', { of: 'attention' })
  @Operation(
    'Read an attention item',
    record('AttentionRecord', 'The known facts and the possible decisions.'),
  )
  @Get(':id')
  async read(@ItemId() id: string): Promise<AttentionRecord> {
    const item = await this.records.attentionItem(id);
    if (item !== undefined) return item;
    throw new ServiceError('not_found', `There is no attention item "${id}".`);
  }

  @Needs('operator', { of: 'attention' })
  @Operation('Resolve an attention item', record('AttentionRecord', 'The resolved item.'), {
    description:
      'A task is declared `completed` with its outputs, or `failed`, or is tried again (`retry`). A device is declared `idle` and safe to be started anew. An agent is declared `lost`. A task that runs for long goes on (`keep_waiting`) or is stopped (`cancel`). Other warnings take no decision. The service keeps the decision and the name of the person for ever.',
    problems: ['wrong_state', ...fromOrchestrator, 'agent_unreachable', 'stale_message', 'unknown_device'],
  })
  @Action(':id/resolve')
  async resolve(
    @ItemId() id: string,
    @JsonBody(AttentionResolution, attentionResolutions) resolution: AttentionResolution,
    @Caller() caller: Principal,
  ): Promise<AttentionRecord> {
    const by = actorName(caller, resolution.by);
    const decision = { ...resolution, by, id };
    return this.changed(id, this.orchestrator.ask(orchestratorRequests.resolveAttention, decision));
  }

  @Needs('operator', { of: 'attention' })
  @Operation('Say that you are deciding an attention item', record('AttentionRecord', 'The claimed item.'), {
    description:
      'Others see in `claim` who is deciding. A claim lasts 10 min; repeat the request to renew it. It ends with the decision, or when its person releases it. It informs, and keeps nobody from deciding: a decision of somebody else is carried out, and the audit names whose claim it ignored. While another person has a claim, the request is refused unless `take_over` is true.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':id/claim')
  async claim(
    @ItemId() id: string,
    @OptionalBody(AttentionClaimRequest, attentionClaims) { by, take_over = false }: AttentionClaimRequest,
    @Caller() caller: Principal,
  ): Promise<AttentionRecord> {
    const claim = { id, by: actorName(caller, by), take_over };
    return this.changed(id, this.orchestrator.ask(orchestratorRequests.claimAttention, claim));
  }

  @Needs('operator', { of: 'attention' })
  @Operation(
    'Say that you are not deciding an attention item any more',
    record('AttentionRecord', 'The released item.'),
    {
      description:
        'Ends your claim. Without a claim in force the request changes nothing. The claim of another person is refused.',
      problems: ['wrong_state', ...fromOrchestrator],
    },
  )
  @Delete(':id/claim')
  async release(
    @ItemId() id: string,
    @QueryText('by', 'Who had claimed it. With tokens it is the owner of the token.') by: string | undefined,
    @Caller() caller: Principal,
  ): Promise<AttentionRecord> {
    const release = { id, by: actorName(caller, by) };
    return this.changed(id, this.orchestrator.ask(orchestratorRequests.releaseAttention, release));
  }

  /** The item after the orchestrator has carried out a request about it. */
  private async changed(id: string, carriedOut: Promise<unknown>): Promise<AttentionRecord> {
    try {
      await carriedOut;
    } catch (error) {
      throw await this.resolvedBefore(id, error);
    }
    return committed(() => this.records.attentionItem(id), `attention item ${id}`);
  }

  /** The orchestrator knows only open items: any other item may be resolved, or may never have existed. */
  private async resolvedBefore(id: string, error: unknown): Promise<unknown> {
    if (!isServiceError(error) || error.code !== 'not_found') return error;
    const item = await this.records.attentionItem(id);
    return item?.state === 'resolved'
      ? new ServiceError('wrong_state', `The attention item "${id}" is already resolved.`, { cause: error })
      : error;
  }
}
