import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  OperatorNote,
  orchestratorRequests,
  ProtocolRunSubmission,
  type DryRunRecord,
  type Page,
  type Principal,
  type ProtocolRunRecord,
  type ProtocolRunSummary,
} from '@lab/contracts';
import type { FastifyReply } from 'fastify';
import { actorName, asOwn, Caller, labFilter, Needs, requireOwn, Within } from '../access/index.js';
import { type Asked, AskedAt, FoundAgain } from '../idempotency/index.js';
import { DtoPipe, lookupName, MayBeTriedOut, readDryRun, readQuery, refuseBody } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { readPageRequest } from '../lists/index.js';
import { Estimates } from './estimates.js';
import { isOwn } from './own-submission.js';
import { committed, found, noBodyHint } from '../lookup/index.js';

/** Protocol runs: submit, pause, resume, cancel, read. The orchestrator decides, the database is read. */
@Needs('viewer')
@Controller('api/protocols')
export class ProtocolRunsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
    private readonly estimates: Estimates,
  ) {}

  @Needs('submitter')
  @FoundAgain()
  @MayBeTriedOut()
  @Post()
  async submit(
    @Body(new DtoPipe(ProtocolRunSubmission)) given: ProtocolRunSubmission,
    @Query() query: unknown,
    @AskedAt() asked: Asked,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord | DryRunRecord<ProtocolRunSubmission>> {
    const dry = readDryRun(query);
    const submission = asOwn(caller, given);
    if (submission.resume === true) await requireOwn(caller, () => this.records.protocolRun(submission.name));
    if (dry) {
      reply.code(200);
      return this.orchestrator.tryOut({ kind: 'protocol_run', submission });
    }
    const { name } = await this.orchestrator.make(
      orchestratorRequests.submitProtocolRun,
      submission,
      async () => isOwn(await this.records.protocolRun(submission.name), submission, asked.at),
      asked.again,
    );
    const record = await committed(() => this.records.protocolRun(name), `protocol run ${name}`);
    reply.header('location', `/api/protocols/${encodeURIComponent(name)}`);
    return record;
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Post(':protocol_run_name/cancel')
  @HttpCode(202)
  async cancel(
    @Param('protocol_run_name') given: string,
    @Body() body: unknown,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    readQuery(query, []);
    refuseBody(body, noBodyHint);
    const name = lookupName(given, 'protocol run');
    await requireOwn(caller, () => this.records.protocolRun(name));
    await this.orchestrator.ask(orchestratorRequests.cancelProtocolRun, { name });
    return committed(() => this.records.protocolRun(name), `protocol run ${name}`);
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Post(':protocol_run_name/pause')
  @HttpCode(202)
  async pause(
    @Param('protocol_run_name') given: string,
    @Body(DtoPipe.orNothing(OperatorNote)) { by }: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'protocol run');
    await requireOwn(caller, () => this.records.protocolRun(name));
    await this.orchestrator.ask(orchestratorRequests.pauseProtocolRun, { name, by: actorName(caller, by) });
    return committed(() => this.records.protocolRun(name), `protocol run ${name}`);
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Post(':protocol_run_name/resume')
  @HttpCode(202)
  async resume(
    @Param('protocol_run_name') given: string,
    @Body(DtoPipe.orNothing(OperatorNote)) { by }: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'protocol run');
    await requireOwn(caller, () => this.records.protocolRun(name));
    await this.orchestrator.ask(orchestratorRequests.resumeProtocolRun, { name, by: actorName(caller, by) });
    return committed(() => this.records.protocolRun(name), `protocol run ${name}`);
  }

  @Needs('viewer', { of: 'protocol_run' })
  @Get(':protocol_run_name')
  async read(@Param('protocol_run_name') given: string, @Query() query: unknown): Promise<ProtocolRunRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'protocol run');
    const record = found(await this.records.protocolRun(name), 'protocol run', name);
    const [estimated] = await this.estimates.ofRuns([record]);
    return estimated ?? record;
  }

  @Needs('viewer', { lab: labFilter })
  @Get()
  async list(
    @Query() query: unknown,
    @Within() within?: readonly string[],
  ): Promise<Page<ProtocolRunSummary>> {
    const request = readPageRequest('protocol_runs', query, { within });
    const { items, end } = await this.records.list('protocol_runs', request);
    return request.pageOf({ items: await this.estimates.ofRuns(items), end });
  }
}
