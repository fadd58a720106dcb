import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Fault, ListRequest, LogLine, Page } from '@lab/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { guestOf, labFilter, Needs } from '../access/index.js';
import { EventStream, lastEventId, positionParameters, readPosition } from '../events/index.js';
import {
  filterParameters,
  ListQuery,
  ListQueryAt,
  readFilters,
  type PageRequest,
  type Place,
} from '../lists/index.js';
import { AddressOfTask, found, foundTask, type TaskAddress } from '../lookup/index.js';
import { RecordReader } from '../ports/index.js';
import {
  eventStream,
  FromQuery,
  Group,
  invalidQuery,
  Operation,
  page,
  pathName,
  ProtocolRunName,
} from '../routes/index.js';
import { LogFeed } from './log-feed.js';

/** Which lines a client follows. */
interface LineSelection {
  filters: ListRequest['filters'];
  /** Id of the line behind which to begin; undefined: from now on. */
  after: number | undefined;
}

const LabId = pathName('lab_id', 'laboratory', {
  description: 'Name of the laboratory.',
  example: 'color_lab',
});
const DeviceId = pathName('device_id', 'device', {
  description: 'Name of the device.',
  example: 'color_mixer',
});

/** A parameter of a handler: the {@link LineSelection} in the query. @param fixed filters that the address gives */
const LineQuery = (fixed: readonly string[] = []): ParameterDecorator =>
  FromQuery(
    [...positionParameters('line'), ...filterParameters('logs', fixed)],
    ({ after: asked, ...given }, request): LineSelection => {
      const faults: Fault[] = [];
      const after = readPosition(asked, lastEventId(request), faults);
      const filters = readFilters('logs', given, faults, fixed);
      if (faults.length > 0) throw invalidQuery(faults);
      return { filters, after };
    },
  );

const lines = page('LogLine', 'In the order in which the service stored them, latest first.');
const stream = eventStream('The lines as they occur.', 'line', 'LogLine');
const streaming =
  'Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, until the client leaves. The stream stays open when the source of the lines has ended. Heartbeats, `event: gap`, and continuing after a break work as in `GET /api/events`. The limit of streams counts both kinds together.';
const following = ['events_pruned', 'store_unavailable'] as const;

/** Output of tasks and devices: as lists, and as streams of new lines. */
@Group('Logs')
@Needs('viewer')
@Controller('api')
export class LogsController {
  constructor(
    private readonly records: RecordReader,
    private readonly feed: LogFeed,
  ) {}

  @Needs('viewer', { lab: labFilter })
  @Operation('List the output of tasks and devices', lines, {
    description:
      'The service stores a line within a second after it was written. `logs` of the configuration says how long it keeps lines.',
  })
  @Get('logs')
  all(@ListQuery('logs') request: PageRequest): Promise<Page<LogLine>> {
    return this.#list(request);
  }

  /** A line has at most one lab, which the filter names. */
  @Needs('viewer', { lab: labFilter })
  @Operation('Follow the output of tasks and devices', stream, {
    description: streaming,
    problems: following,
  })
  @Get('logs/stream')
  followAll(
    @LineQuery() selection: LineSelection,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.#follow(selection, {}, request, reply);
  }

  @Needs('viewer', { of: 'task' })
  @Operation('List the output of a task', lines, {
    description: 'Contains the output of all attempts.',
  })
  @Get('tasks/:task_name/logs')
  async ofTask(
    @AddressOfTask('mix_colors') address: TaskAddress,
    @ListQueryAt('logs', ['task_run']) requestAt: (place: Place) => PageRequest,
  ): Promise<Page<LogLine>> {
    const { id } = await foundTask(this.records, address);
    return this.#list(requestAt({ fixed: { task_run: id } }));
  }

  @Needs('viewer', { of: 'task' })
  @Operation('Follow the output of a task', stream, {
    description: `The output of all attempts. ${streaming}`,
    problems: following,
  })
  @Get('tasks/:task_name/logs/stream')
  async followTask(
    @AddressOfTask('mix_colors') address: TaskAddress,
    @LineQuery(['task_run']) selection: LineSelection,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id } = await foundTask(this.records, address);
    await this.#follow(selection, { task_run: id }, request, reply);
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Operation('List the output of the tasks of a protocol run', lines)
  @Get('protocols/:protocol_run_name/logs')
  async ofRun(
    @ProtocolRunName() name: string,
    @ListQuery('logs', { fixed: { protocol_run: 'protocol_run_name' } }) request: PageRequest,
  ): Promise<Page<LogLine>> {
    found(await this.records.protocolRun(name), 'protocol run', name);
    return this.#list(request);
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Operation('Follow the output of the tasks of a protocol run', stream, {
    description: streaming,
    problems: following,
  })
  @Get('protocols/:protocol_run_name/logs/stream')
  async followRun(
    @ProtocolRunName() name: string,
    @LineQuery(['protocol_run']) selection: LineSelection,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    found(await this.records.protocolRun(name), 'protocol run', name);
    await this.#follow(selection, { protocol_run: name }, request, reply);
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Operation('List the output of a device', lines, {
    description: 'The device may have been unloaded in the meantime.',
  })
  @Get('labs/:lab_id/devices/:device_id/logs')
  ofDevice(
    @LabId() _lab: string,
    @DeviceId() _device: string,
    @ListQuery('logs', { fixed: { lab: 'lab_id', device: 'device_id' } }) request: PageRequest,
  ): Promise<Page<LogLine>> {
    return this.#list(request);
  }

  @Needs('viewer', { lab: 'lab_id' })
  @Operation('Follow the output of a device', stream, {
    description: streaming,
    problems: following,
  })
  @Get('labs/:lab_id/devices/:device_id/logs/stream')
  followDevice(
    @LabId() lab: string,
    @DeviceId() device: string,
    @LineQuery(['lab', 'device']) selection: LineSelection,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.#follow(selection, { lab, device }, request, reply);
  }

  async #list(request: PageRequest): Promise<Page<LogLine>> {
    return request.pageOf(await this.records.list('logs', request));
  }

  async #follow(
    { filters, after }: LineSelection,
    fixed: Readonly<Record<string, string>>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (request.method === 'HEAD') await reply.type('text/event-stream; charset=utf-8').send();
    else
      await this.feed.serve(
        { ...filters, ...fixed },
        after,
        guestOf(request),
        (onEnd) => new EventStream(reply, onEnd),
      );
  }
}
