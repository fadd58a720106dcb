import { Controller, Get } from '@nestjs/common';
import {
  AttentionResolution,
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type AttentionRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { actorName, Caller, labFilter, Needs } from '../access/index.js';
import { attentionResolutions } from '../examples/index.js';
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
  page,
  pathName,
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
    try {
      await this.orchestrator.ask(orchestratorRequests.resolveAttention, { ...resolution, by, id });
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
