import { Controller, Get, Post, Res } from '@nestjs/common';
import {
  orchestratorRequests,
  ProtocolRunSubmission,
  type DryRunRecord,
  type LabRights,
  type Page,
  type Principal,
  type ProtocolRunRecord,
  type ProtocolRunSummary,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import {
  Actor,
  anyLab,
  asOwn,
  Caller,
  labFilter,
  Needs,
  RecordRoles,
  requireOwn,
  Rights,
  type Acting,
} from '../access/index.js';
import { EntryOfSubmission, type SubmissionEntry } from '../audit/index.js';
import { protocolRunSubmissions } from '../examples/index.js';
import { AskedAs, FoundAgain, type Asked } from '../idempotency/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { committed, found } from '../lookup/index.js';
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
  ProtocolRunName,
  record,
} from '../routes/index.js';
import { Estimates } from './estimates.js';
import { submissionErrors } from './submission-errors.js';
import { submitWork } from './submit.js';

/** Protocol runs: submit, pause, resume, cancel, read. The orchestrator decides; records come from the database. */
@Group('Protocol runs')
@Needs('viewer')
@Controller('api/protocols')
export class ProtocolRunsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly estimates: Estimates,
    private readonly roles: RecordRoles,
  ) {}

  @Needs('submitter', { lab: anyLab })
  @FoundAgain()
  @Operation('Submit a protocol run', record('ProtocolRunRecord', 'The run is accepted.'), {
    description:
      'A protocol run executes a protocol once. `parameters` gives at least every dynamic (`svc_dynamic`) parameter. The service answers once the run is stored.',
    location: true,
    problems: [...submissionErrors, 'unknown_protocol'],
  })
  @Post()
  async submit(
    @JsonBody(ProtocolRunSubmission, protocolRunSubmissions) given: ProtocolRunSubmission,
    @DryRun() dry: boolean,
    @AskedAs() asked: Asked,
    @EntryOfSubmission() written: SubmissionEntry,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Caller() asker: Principal,
    @Rights() rights: LabRights,
  ): Promise<ProtocolRunRecord | DryRunRecord<ProtocolRunSubmission>> {
    const caller = await this.roles.overResumed(asker, 'protocol_run', given);
    const submission = asOwn(caller, given);
    if (submission.resume === true) await requireOwn(caller, () => this.records.protocolRun(submission.name));
    if (dry) {
      reply.code(200);
      return this.orchestrator.tryOut({ kind: 'protocol_run', submission }, rights);
    }
    const { name } = await submitWork<typeof orchestratorRequests.submitProtocolRun>(
      this.orchestrator,
      orchestratorRequests.submitProtocolRun,
      submission,
      { asked, written, rights },
      () => this.records.isOfSubmission('protocol_run', submission.name, asked.submissionId),
    );
    const made = await committed(() => this.records.protocolRun(name), `protocol run ${name}`);
    reply.header('location', `/api/protocols/${encodeURIComponent(name)}`);
    return made;
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Operation('Cancel a protocol run', record('ProtocolRunRecord', 'The run will end.'), {
    description:
      'The service stops the running tasks before their devices go to other work. It answers once the cancellation is decided; the state of the run changes later.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':protocol_run_name/cancel', 202)
  cancel(@ProtocolRunName() name: string, @Caller() caller: Principal): Promise<ProtocolRunRecord> {
    return this.act(caller, name, () =>
      this.orchestrator.ask(orchestratorRequests.cancelProtocolRun, { name }),
    );
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Operation('Pause a protocol run', record('ProtocolRunRecord', 'The run is paused.'), {
    description:
      'The service starts no further task of the run. Running tasks continue to their end. The run keeps its devices.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':protocol_run_name/pause', 202)
  pause(@ProtocolRunName() name: string, @Actor() { caller, by }: Acting): Promise<ProtocolRunRecord> {
    return this.act(caller, name, () =>
      this.orchestrator.ask(orchestratorRequests.pauseProtocolRun, { name, by }),
    );
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Operation('Resume a protocol run', record('ProtocolRunRecord', 'The run continues.'), {
    description:
      'A paused run continues. A failed or cancelled run continues where it stopped: the service keeps the completed tasks and tries the others again as new attempts. It deletes nothing of the history.',
    problems: ['wrong_state', ...fromOrchestrator],
  })
  @Action(':protocol_run_name/resume', 202)
  resume(
    @ProtocolRunName() name: string,
    @Actor() { caller, by }: Acting,
    @Rights() rights: LabRights,
  ): Promise<ProtocolRunRecord> {
    return this.act(caller, name, () =>
      this.orchestrator.ask(orchestratorRequests.resumeProtocolRun, { name, by, rights }),
    );
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Operation('Read a protocol run', record('ProtocolRunRecord', 'The run and its tasks.'))
  @Get(':protocol_run_name')
  async read(@ProtocolRunName() name: string): Promise<ProtocolRunRecord> {
    const run = found(await this.records.protocolRun(name), 'protocol run', name);
    const [estimated] = await this.estimates.ofRuns([run]);
    return estimated ?? run;
  }

  @Needs('viewer', { lab: labFilter })
  @Operation('List protocol runs', page('ProtocolRunSummary', 'Runs without their tasks.'))
  @Get()
  async list(@ListQuery('protocol_runs') request: PageRequest): Promise<Page<ProtocolRunSummary>> {
    const { items, end } = await this.records.list('protocol_runs', request);
    return request.pageOf({ items: await this.estimates.ofRuns(items), end });
  }

  private async act(
    caller: Principal,
    name: string,
    ask: () => Promise<unknown>,
  ): Promise<ProtocolRunRecord> {
    await requireOwn(caller, () => this.records.protocolRun(name));
    await ask();
    return committed(() => this.records.protocolRun(name), `protocol run ${name}`);
  }
}
