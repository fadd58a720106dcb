import { Controller, Get } from '@nestjs/common';
import type {
  AttemptRecord,
  AuditRecord,
  EffectRecord,
  Page,
  TaskFileRecord,
  TaskRunRecord,
} from '@lab/contracts';
import { labFilter, Needs } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { found } from '../lookup/index.js';
import { RecordReader } from '../ports/index.js';
import { Group, Operation, page, pathName, record } from '../routes/index.js';

/** A parameter of a handler: the id in the path. @param what see {@link pathName} */
function Id(what: string, description: string): ParameterDecorator {
  return pathName('id', what, { description, example: '0190c0de-0000-7000-8000-00000000000a' })();
}

/** Records across all work: task runs and attempts by id, attempts, files, and the audit. */
@Group('Tasks')
@Needs('viewer')
@Controller('api')
export class RecordsController {
  constructor(private readonly records: RecordReader) {}

  @Needs('viewer', { of: 'task_run' })
  @Operation('Read a task by its id', record('TaskRunRecord', 'The task.'), {
    description: 'An id names one task for ever. The name of an on-demand task can be used again.',
  })
  @Get('task-runs/:id')
  async taskRun(@Id('task run', 'Id of the task run.') id: string): Promise<TaskRunRecord> {
    return found(await this.records.taskById(id), 'task run with the id', id);
  }

  @Needs('viewer', { lab: labFilter })
  @Operation('List attempts at tasks', page('AttemptRecord', 'Newest first.'))
  @Get('attempts')
  async attempts(@ListQuery('attempts') request: PageRequest): Promise<Page<AttemptRecord>> {
    return request.pageOf(await this.records.list('attempts', request));
  }

  @Needs('viewer', { of: 'attempt' })
  @Operation('Read an attempt', record('AttemptRecord', 'The attempt.'))
  @Get('attempts/:id')
  async attempt(@Id('attempt', 'Id of the attempt.') id: string): Promise<AttemptRecord> {
    return found(await this.records.attempt(id), 'attempt with the id', id);
  }

  @Needs('viewer', { lab: labFilter })
  @Operation(
    'List the files that tasks produced',
    page('TaskFileRecord', 'Files of the newest tasks first.'),
    {
      description: 'Contains the files of the latest attempt of each task.',
    },
  )
  @Get('files')
  async files(@ListQuery('files') request: PageRequest): Promise<Page<TaskFileRecord>> {
    return request.pageOf(await this.records.list('files', request));
  }

  @Needs('viewer', { lab: labFilter })
  @Operation(
    'List the calls of devices that may have changed something',
    page('EffectRecord', 'Latest first.'),
    {
      tag: 'Devices',
      description:
        'Calls of tasks and of people, as the agents recorded them. A call arrives within seconds after its beginning, or when its agent is heard again. The service keeps calls as long as the records of tasks.',
    },
  )
  @Get('effects')
  async effects(@ListQuery('effects') request: PageRequest): Promise<Page<EffectRecord>> {
    return request.pageOf(await this.records.list('effects', request));
  }

  @Operation('Read a call of a device', record('EffectRecord', 'The call.'), { tag: 'Devices' })
  @Get('effects/:id')
  async effect(@Id('call', 'Id of the call.') id: string): Promise<EffectRecord> {
    return found(await this.records.effect(id), 'recorded call with the id', id);
  }

  @Needs('admin')
  @Operation('List the actions of people', page('AuditRecord', 'Newest first.'), {
    tag: 'Operating',
  })
  @Get('audit')
  async audit(@ListQuery('audit') request: PageRequest): Promise<Page<AuditRecord>> {
    return request.pageOf(await this.records.list('audit', request));
  }

  @Needs('admin')
  @Operation('Read an entry of the audit', record('AuditRecord', 'The entry.'), {
    tag: 'Operating',
  })
  @Get('audit/:id')
  async auditEntry(@Id('entry of the audit', 'Id of the entry.') id: string): Promise<AuditRecord> {
    return found(await this.records.auditEntry(id), 'entry of the audit with the id', id);
  }
}
