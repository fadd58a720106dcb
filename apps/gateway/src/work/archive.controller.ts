import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  OperatorNote,
  orchestratorRequests,
  workWords,
  type CampaignRecord,
  type Principal,
  type ProtocolRunRecord,
  type TaskRunRecord,
  type WorkKind,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import { actorName, Caller, Needs, requireOwn } from '../access/index.js';
import { DtoPipe, lookupName, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { committed } from '../lookup/index.js';

const requests = {
  archive: orchestratorRequests.archiveWork,
  restore: orchestratorRequests.restoreWork,
} as const;
type Act = keyof typeof requests;

/** Takes work that is over out of the lists, and brings it back. */
@Controller('api')
export class ArchiveController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('submitter', { of: 'campaign' })
  @Post('campaigns/:campaign_name/archive')
  @HttpCode(200)
  archiveCampaign(
    @Param('campaign_name') name: string,
    @Body(DtoPipe.orNothing(OperatorNote)) note: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    return this.campaign('archive', { name, note, query, caller });
  }

  @Needs('submitter', { of: 'campaign' })
  @Post('campaigns/:campaign_name/restore')
  @HttpCode(200)
  restoreCampaign(
    @Param('campaign_name') name: string,
    @Body(DtoPipe.orNothing(OperatorNote)) note: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    return this.campaign('restore', { name, note, query, caller });
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Post('protocols/:protocol_run_name/archive')
  @HttpCode(200)
  archiveRun(
    @Param('protocol_run_name') name: string,
    @Body(DtoPipe.orNothing(OperatorNote)) note: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    return this.run('archive', { name, note, query, caller });
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Post('protocols/:protocol_run_name/restore')
  @HttpCode(200)
  restoreRun(
    @Param('protocol_run_name') name: string,
    @Body(DtoPipe.orNothing(OperatorNote)) note: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    return this.run('restore', { name, note, query, caller });
  }

  @Needs('submitter', { of: 'task' })
  @Post('tasks/:task_name/archive')
  @HttpCode(200)
  archiveTask(
    @Param('task_name') name: string,
    @Body(DtoPipe.orNothing(OperatorNote)) note: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    return this.task('archive', { name, note, query, caller });
  }

  @Needs('submitter', { of: 'task' })
  @Post('tasks/:task_name/restore')
  @HttpCode(200)
  restoreTask(
    @Param('task_name') name: string,
    @Body(DtoPipe.orNothing(OperatorNote)) note: OperatorNote,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    return this.task('restore', { name, note, query, caller });
  }

  private async campaign(act: Act, asked: Asked): Promise<CampaignRecord> {
    const record = await this.act(act, 'campaign', asked, (name) => this.records.campaign(name));
    return { ...record, meta: withSecretsHidden(record.meta) };
  }

  private run(act: Act, asked: Asked): Promise<ProtocolRunRecord> {
    return this.act(act, 'protocol_run', asked, (name) => this.records.protocolRun(name));
  }

  private task(act: Act, asked: Asked): Promise<TaskRunRecord> {
    return this.act(act, 'task_run', asked, (name) => this.records.task(name));
  }

  private async act<Work extends { owner: string }>(
    act: Act,
    kind: WorkKind,
    { name: given, note, query, caller }: Asked,
    read: (name: string) => Promise<Work | undefined>,
  ): Promise<Work> {
    readQuery(query, []);
    const name = lookupName(given, workWords[kind]);
    await requireOwn(caller, () => read(name));
    await this.orchestrator.ask(requests[act], { kind, name, by: actorName(caller, note.by) });
    return committed(() => read(name), `${workWords[kind]} ${name}`);
  }
}

interface Asked {
  name: string;
  note: OperatorNote;
  query: unknown;
  caller: Principal;
}
