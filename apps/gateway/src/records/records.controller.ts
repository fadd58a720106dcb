import { Controller, Get, Param, Query } from '@nestjs/common';
import type { AttemptRecord, AuditRecord, Page, TaskFileRecord, TaskRunRecord } from '@lab/contracts';
import { Needs } from '../access/index.js';
import { lookupName, readQuery } from '../routes/index.js';
import { RecordReader } from '../ports/index.js';
import { found } from '../lookup/index.js';
import { readPageRequest } from '../lists/index.js';

/** Records across all work: task runs and attempts by id, attempts, files, and what people did. */
@Needs('viewer')
@Controller('api')
export class RecordsController {
  constructor(private readonly records: RecordReader) {}

  @Needs('viewer', { of: 'task_run' })
  @Get('task-runs/:id')
  async taskRun(@Param('id') given: string, @Query() query: unknown): Promise<TaskRunRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'task run');
    return found(await this.records.taskById(id), 'task run with the id', id);
  }

  @Get('attempts')
  async attempts(@Query() query: unknown): Promise<Page<AttemptRecord>> {
    const request = readPageRequest('attempts', query);
    return request.pageOf(await this.records.list('attempts', request));
  }

  @Needs('viewer', { of: 'attempt' })
  @Get('attempts/:id')
  async attempt(@Param('id') given: string, @Query() query: unknown): Promise<AttemptRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'attempt');
    return found(await this.records.attempt(id), 'attempt with the id', id);
  }

  @Get('files')
  async files(@Query() query: unknown): Promise<Page<TaskFileRecord>> {
    const request = readPageRequest('files', query);
    return request.pageOf(await this.records.list('files', request));
  }

  @Needs('admin')
  @Get('audit')
  async audit(@Query() query: unknown): Promise<Page<AuditRecord>> {
    const request = readPageRequest('audit', query);
    return request.pageOf(await this.records.list('audit', request));
  }

  @Needs('admin')
  @Get('audit/:id')
  async auditEntry(@Param('id') given: string, @Query() query: unknown): Promise<AuditRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'entry of the audit');
    return found(await this.records.auditEntry(id), 'entry of the audit with the id', id);
  }
}
