import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  AttentionResolution,
  isServiceError,
  orchestratorRequests,
  ServiceError,
  type AttentionRecord,
  type Page,
  type Principal,
} from '@lab/contracts';
import { actorName, Caller, Needs } from '../access/index.js';
import { DtoPipe, lookupName, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { committed } from '../lookup/index.js';

/** What only a person can settle: read, and decided. */
@Needs('viewer')
@Controller('api/attention')
export class AttentionController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Get()
  async list(@Query() query: unknown): Promise<Page<AttentionRecord>> {
    const request = readPageRequest('attention', query);
    return request.pageOf(await this.records.list('attention', request));
  }

  @Needs('viewer', { of: 'attention' })
  @Get(':id')
  async read(@Param('id') given: string, @Query() query: unknown): Promise<AttentionRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'attention item');
    const item = await this.records.attentionItem(id);
    if (item !== undefined) return item;
    throw new ServiceError('not_found', `There is no attention item "${id}".`);
  }

  @Needs('operator', { of: 'attention' })
  @Post(':id/resolve')
  @HttpCode(200)
  async resolve(
    @Param('id') given: string,
    @Body(new DtoPipe(AttentionResolution)) resolution: AttentionResolution,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<AttentionRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'attention item');
    const by = actorName(caller, resolution.by);
    try {
      await this.orchestrator.ask(orchestratorRequests.resolveAttention, { ...resolution, by, id });
    } catch (error) {
      throw await this.resolvedBefore(id, error);
    }
    return committed(() => this.records.attentionItem(id), `attention item ${id}`);
  }

  /** The orchestrator knows open items only: one that is not open may be resolved, or there may never have been one. */
  private async resolvedBefore(id: string, error: unknown): Promise<unknown> {
    if (!isServiceError(error) || error.code !== 'not_found') return error;
    const item = await this.records.attentionItem(id);
    return item?.state === 'resolved'
      ? new ServiceError('wrong_state', `The attention item "${id}" is resolved already.`, { cause: error })
      : error;
  }
}
