import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  orchestratorRequests,
  TaskSubmission,
  type AttemptRecord,
  type DryRunRecord,
  type Page,
  type Principal,
  type TaskRunRecord,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { asOwn, Caller, labFilter, Needs, requireOwn, Within } from '../access/index.js';
import { type Asked, AskedAt, FoundAgain } from '../idempotency/index.js';
import { DtoPipe, lookupName, MayBeTriedOut, readDryRun, refuseBody } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { isOwn } from './own-submission.js';
import { committed, foundTask, readTaskAddress } from '../lookup/index.js';

/** On-demand tasks, and the tasks inside protocol runs (`?protocol_run_name=`). */
@Needs('viewer')
@Controller('api/tasks')
export class TasksController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('submitter')
  @FoundAgain()
  @MayBeTriedOut()
  @Post()
  async submit(
    @Body(new DtoPipe(TaskSubmission)) given: TaskSubmission,
    @Query() query: unknown,
    @AskedAt() asked: Asked,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord | DryRunRecord<TaskSubmission>> {
    const dry = readDryRun(query);
    const submission = asOwn(caller, given);
    if (dry) {
      reply.code(200);
      return this.orchestrator.tryOut({ kind: 'task', submission });
    }
    const { name } = await this.orchestrator.make(
      orchestratorRequests.submitTask,
      submission,
      async () => isOwn(await this.records.task(submission.name), submission, asked.at),
      asked.again,
    );
    const record = await committed(() => this.records.task(name), `task ${name}`);
    reply.header('location', `/api/tasks/${encodeURIComponent(name)}`);
    return record;
  }

  @Needs('submitter', { of: 'task' })
  @Post(':task_name/cancel')
  @HttpCode(202)
  async cancel(
    @Param('task_name') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    const run = readTaskAddress(query);
    refuseBody(body, 'The run of a task is named in the address: ?protocol_run_name=<name>.');
    const name = lookupName(given, 'task');
    await requireOwn(caller, () => this.records.task(name, run));
    await this.orchestrator.ask(
      orchestratorRequests.cancelTask,
      run === undefined ? { name } : { name, protocol_run_name: run },
    );
    return committed(() => this.records.task(name, run), `task ${name}`);
  }

  @Needs('viewer', { of: 'task' })
  @Get(':task_name/attempts')
  async attempts(@Param('task_name') given: string, @Query() query: unknown): Promise<Page<AttemptRecord>> {
    const beside = ['protocol_run_name'];
    const { cursor: _later, protocol_run_name: run, ...rest } = query as Record<string, string>;
    // A mistyped parameter is told before any task is looked for.
    readPageRequest('task_attempts', rest, { beside });
    const address = readTaskAddress(run === undefined ? {} : { protocol_run_name: run });
    const task = await foundTask(this.records, given, address);
    const request = readPageRequest('task_attempts', query, { owner: task.id, beside });
    return request.pageOf(await this.records.list('task_attempts', request, task.id));
  }

  @Needs('viewer', { of: 'task' })
  @Get(':task_name')
  async read(@Param('task_name') given: string, @Query() query: unknown): Promise<TaskRunRecord> {
    return foundTask(this.records, given, readTaskAddress(query));
  }

  @Needs('viewer', { lab: labFilter })
  @Get()
  async list(@Query() query: unknown, @Within() within?: readonly string[]): Promise<Page<TaskRunRecord>> {
    const request = readPageRequest('tasks', query, { within });
    return request.pageOf(await this.records.list('tasks', request));
  }
}
