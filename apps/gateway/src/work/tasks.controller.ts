import { Controller, Get, Post, Res } from '@nestjs/common';
import {
  orchestratorRequests,
  TaskSubmission,
  type AttemptRecord,
  type DryRunRecord,
  type LabRights,
  type Page,
  type Principal,
  type TaskRunRecord,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { anyLab, asOwn, Caller, labFilter, Needs, requireOwn, Rights } from '../access/index.js';
import { EntryOfSubmission, type SubmissionEntry } from '../audit/index.js';
import { taskSubmissions } from '../examples/index.js';
import { AskedAs, FoundAgain, type Asked } from '../idempotency/index.js';
import { ListQuery, ListQueryAt, type PageRequest, type Place } from '../lists/index.js';
import { AddressOfTask, committed, foundTask, type TaskAddress } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  DryRun,
  fromOrchestrator,
  Group,
  JsonBody,
  Operation,
  page,
  record,
} from '../routes/index.js';
import { submissionErrors } from './submission-errors.js';
import { submitWork } from './submit.js';

/** On-demand tasks, and the tasks of protocol runs (`?protocol_run_name=`). */
@Group('Tasks')
@Needs('viewer')
@Controller('api/tasks')
export class TasksController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('submitter', { lab: anyLab })
  @FoundAgain()
  @Operation('Submit an on-demand task', record('TaskRunRecord', 'The task is accepted.'), {
    description:
      'An on-demand task is a single task that belongs to no protocol run. It waits while its devices or resources are busy, at most `allocation_timeout` seconds.',
    location: true,
    problems: [...submissionErrors, 'unknown_task_type'],
  })
  @Post()
  async submit(
    @JsonBody(TaskSubmission, taskSubmissions) given: TaskSubmission,
    @DryRun() dry: boolean,
    @AskedAs() asked: Asked,
    @EntryOfSubmission() written: SubmissionEntry,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Caller() caller: Principal,
    @Rights() rights: LabRights,
  ): Promise<TaskRunRecord | DryRunRecord<TaskSubmission>> {
    const submission = asOwn(caller, given);
    if (dry) {
      reply.code(200);
      return this.orchestrator.tryOut({ kind: 'task', submission }, rights);
    }
    const isMade = (): Promise<boolean> =>
      this.records.isOfSubmission('task_run', submission.name, asked.submissionId);
    const received = { asked, written, rights };
    const made = await submitWork<typeof orchestratorRequests.submitTask>(
      this.orchestrator,
      orchestratorRequests.submitTask,
      submission,
      received,
      isMade,
    );
    const { name } = made;
    reply.header('location', `/api/tasks/${encodeURIComponent(name)}`);
    if ('record' in made && made.record !== undefined) return made.record;
    return committed(() => this.records.task(name), `task ${name}`);
  }

  @Needs('submitter', { of: 'task' })
  @Operation('Cancel a task', record('TaskRunRecord', 'The task will end.'), {
    description:
      'The service removes a queued on-demand task from the queue and stops a running one. When a task of a protocol run is cancelled, the run fails.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':task_name/cancel', 202)
  async cancel(
    @AddressOfTask() { name, run }: TaskAddress,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    await requireOwn(caller, () => this.records.task(name, run));
    await this.orchestrator.ask(
      orchestratorRequests.cancelTask,
      run === undefined ? { name } : { name, protocol_run_name: run },
    );
    return committed(() => this.records.task(name, run), `task ${name}`);
  }

  @Needs('viewer', { of: 'task' })
  @Operation('List the attempts of a task', page('AttemptRecord', 'Attempts by number, from 1.'))
  @Get(':task_name/attempts')
  async attempts(
    @AddressOfTask() address: TaskAddress,
    @ListQueryAt('task_attempts') requestAt: (place: Place) => PageRequest,
  ): Promise<Page<AttemptRecord>> {
    const { id } = await foundTask(this.records, address);
    const request = requestAt({ owner: id });
    return request.pageOf(await this.records.list('task_attempts', request, id));
  }

  @Needs('viewer', { of: 'task' })
  @Operation('Read a task', record('TaskRunRecord', 'The task.'))
  @Get(':task_name')
  async read(@AddressOfTask() address: TaskAddress): Promise<TaskRunRecord> {
    return foundTask(this.records, address);
  }

  @Needs('viewer', { lab: labFilter })
  @Operation('List tasks', page('TaskRunRecord', 'Newest first.'), {
    description: 'On-demand tasks and tasks of protocol runs.',
  })
  @Get()
  async list(@ListQuery('tasks') request: PageRequest): Promise<Page<TaskRunRecord>> {
    return request.pageOf(await this.records.list('tasks', request));
  }
}
