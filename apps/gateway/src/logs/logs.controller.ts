import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Fault, LogLine, Page } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { labFilter, Needs, Within } from '../access/index.js';
import { EventStream, readPosition } from '../events/index.js';
import { invalidQuery, lookupName, readQuery } from '../routes/index.js';
import { RecordReader } from '../ports/index.js';
import { filterNames, readFilters, readPageRequest } from '../lists/index.js';
import { found, foundTask, readTaskAddress } from '../lookup/index.js';
import { LogFeed } from './log-feed.js';

/** Whose lines, as the address says it, and what the query says beside that. */
interface Part {
  fixed: Readonly<Record<string, string>>;
  query: unknown;
}

type DeviceAddress = Record<'lab_id' | 'device_id', string>;

/** What the code of tasks and devices wrote: as lists, and as streams of what comes. */
@Needs('viewer')
@Controller('api')
export class LogsController {
  constructor(
    private readonly records: RecordReader,
    private readonly feed: LogFeed,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Get('logs')
  async all(@Query() query: unknown, @Within() within?: readonly string[]): Promise<Page<LogLine>> {
    return this.#list({ fixed: {}, query }, within);
  }

  /** A line has no more than one lab, which the filter names. */
  @Needs('viewer', { lab: labFilter })
  @Get('logs/stream')
  async followAll(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#follow({ fixed: {}, query }, request, reply);
  }

  @Needs('viewer', { of: 'task' })
  @Get('tasks/:task_name/logs')
  async ofTask(@Param('task_name') given: string, @Query() query: unknown): Promise<Page<LogLine>> {
    return this.#list(await this.#partOfTask(given, query));
  }

  @Needs('viewer', { of: 'task' })
  @Get('tasks/:task_name/logs/stream')
  async followTask(
    @Param('task_name') given: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#follow(await this.#partOfTask(given, query), request, reply);
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Get('protocols/:protocol_run_name/logs')
  async ofRun(@Param('protocol_run_name') given: string, @Query() query: unknown): Promise<Page<LogLine>> {
    return this.#list(await this.#partOfRun(given, query));
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Get('protocols/:protocol_run_name/logs/stream')
  async followRun(
    @Param('protocol_run_name') given: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#follow(await this.#partOfRun(given, query), request, reply);
  }

  /** A device that is loaded no longer has its lines still. */
  @Needs('viewer', { lab: 'lab_id' })
  @Get('labs/:lab_id/devices/:device_id/logs')
  async ofDevice(@Param() address: DeviceAddress, @Query() query: unknown): Promise<Page<LogLine>> {
    return this.#list(partOfDevice(address, query));
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Get('labs/:lab_id/devices/:device_id/logs/stream')
  async followDevice(
    @Param() address: DeviceAddress,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.#follow(partOfDevice(address, query), request, reply);
  }

  async #partOfTask(given: string, query: unknown): Promise<Part> {
    const { protocol_run_name: run, ...rest } = query as Record<string, string>;
    const address = readTaskAddress(run === undefined ? {} : { protocol_run_name: run });
    const { id } = await foundTask(this.records, given, address);
    return { fixed: { task_run: id }, query: rest };
  }

  async #partOfRun(given: string, query: unknown): Promise<Part> {
    const name = lookupName(given, 'protocol run');
    found(await this.records.protocolRun(name), 'protocol run', name);
    return { fixed: { protocol_run: name }, query };
  }

  async #list({ fixed, query }: Part, within?: readonly string[]): Promise<Page<LogLine>> {
    const request = readPageRequest('logs', query, { fixed, within });
    return request.pageOf(await this.records.list('logs', request));
  }

  async #follow({ fixed, query }: Part, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { after: asked, ...given } = readQuery(query, ['after', ...filterNames('logs', fixed)]);
    const faults: Fault[] = [];
    const after = readPosition(asked, request.headers['last-event-id'] as string | undefined, faults);
    const filter = { ...readFilters('logs', given, faults), ...fixed };
    if (faults.length > 0) throw invalidQuery(faults);
    if (request.method === 'HEAD') await reply.type('text/event-stream; charset=utf-8').send();
    else await this.feed.serve(filter, after, (onEnd) => new EventStream(reply, onEnd));
  }
}

function partOfDevice({ lab_id, device_id }: DeviceAddress, query: unknown): Part {
  const fixed = { lab: lookupName(lab_id, 'laboratory'), device: lookupName(device_id, 'device') };
  return { fixed, query };
}
