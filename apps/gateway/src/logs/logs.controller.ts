import { Controller, Get, Param, Query } from '@nestjs/common';
import type { LogLine, Page } from '@lab/contracts';
import { Needs } from '../access/needs.js';
import { lookupName } from '../http/request-input.js';
import { RecordReader } from '../ports.js';
import { readPageRequest } from '../records/list-request.js';
import { found, foundTask, readTaskAddress } from '../work/records.js';

/** What the code of tasks and devices wrote. */
@Needs('viewer')
@Controller('api')
export class LogsController {
  constructor(private readonly records: RecordReader) {}

  @Get('logs')
  async all(@Query() query: unknown): Promise<Page<LogLine>> {
    return this.#list(query, {});
  }

  @Needs('viewer', { of: 'task' })
  @Get('tasks/:task_name/logs')
  async ofTask(@Param('task_name') given: string, @Query() query: unknown): Promise<Page<LogLine>> {
    const { protocol_run_name: run, ...rest } = query as Record<string, string>;
    const address = readTaskAddress(run === undefined ? {} : { protocol_run_name: run });
    const { id } = await foundTask(this.records, given, address);
    return this.#list(rest, { task_run: id });
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Get('protocols/:protocol_run_name/logs')
  async ofRun(@Param('protocol_run_name') given: string, @Query() query: unknown): Promise<Page<LogLine>> {
    const name = lookupName(given, 'protocol run');
    found(await this.records.protocolRun(name), 'protocol run', name);
    return this.#list(query, { protocol_run: name });
  }

  /** A device that is loaded no longer has its lines still. */
  @Needs('viewer', { lab: 'lab_id' })
  @Get('labs/:lab_id/devices/:device_id/logs')
  async ofDevice(
    @Param() { lab_id, device_id }: Record<'lab_id' | 'device_id', string>,
    @Query() query: unknown,
  ): Promise<Page<LogLine>> {
    return this.#list(query, {
      lab: lookupName(lab_id, 'laboratory'),
      device: lookupName(device_id, 'device'),
    });
  }

  async #list(query: unknown, fixed: Readonly<Record<string, string>>): Promise<Page<LogLine>> {
    const request = readPageRequest('logs', query, { fixed });
    return request.pageOf(await this.records.list('logs', request));
  }
}
