import { Controller, HttpCode, Post } from '@nestjs/common';
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
import { operatorNotes } from '../examples/index.js';
import { committed } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  CampaignName,
  fromOrchestrator,
  Operation,
  OptionalBody,
  pathName,
  ProtocolRunName,
  record,
} from '../routes/index.js';

const requests = {
  archive: orchestratorRequests.archiveWork,
  restore: orchestratorRequests.restoreWork,
} as const;
type Act = keyof typeof requests;

const TaskName = pathName('task_name', 'on-demand task', {
  description: 'Name of the on-demand task. The latest task of that name is meant.',
  example: 'rinse_1',
});
const RunName = (): ParameterDecorator =>
  ProtocolRunName({ description: 'Name of a protocol run that belongs to no campaign.' });

const archiving =
  'Only finished work can be archived. The record stays readable by its name, with `archived_at`, and the name stays taken. Lists contain it with `archived=true` or `archived=all`. To resume it, restore it first.';
const restoring = 'The lists contain it again, as if it had never been archived.';
const archived = 'It is archived.';
const restored = 'It is restored.';
const problems = ['wrong_state', ...fromOrchestrator] as const;

/** Takes finished work out of the lists, and brings it back. */
@Controller('api')
export class ArchiveController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('submitter', { of: 'campaign' })
  @Operation('Archive a campaign', record('CampaignRecord', archived), {
    tag: 'Campaigns',
    description: `${archiving} The runs of the campaign, their tasks, attempts and files are archived with it.`,
    problems,
  })
  @Post('campaigns/:campaign_name/archive')
  @HttpCode(200)
  archiveCampaign(
    @CampaignName() name: string,
    @OptionalBody(OperatorNote, operatorNotes) note: OperatorNote,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    return this.campaign('archive', { name, note, caller });
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation('Restore a campaign from the archive', record('CampaignRecord', restored), {
    tag: 'Campaigns',
    description: restoring,
    problems,
  })
  @Post('campaigns/:campaign_name/restore')
  @HttpCode(200)
  restoreCampaign(
    @CampaignName() name: string,
    @OptionalBody(OperatorNote, operatorNotes) note: OperatorNote,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    return this.campaign('restore', { name, note, caller });
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Operation('Archive a protocol run', record('ProtocolRunRecord', archived), {
    tag: 'Protocol runs',
    description: `${archiving} The tasks of the run, their attempts and files are archived with it. A run of a campaign is archived with the campaign.`,
    problems,
  })
  @Post('protocols/:protocol_run_name/archive')
  @HttpCode(200)
  archiveRun(
    @RunName() name: string,
    @OptionalBody(OperatorNote, operatorNotes) note: OperatorNote,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    return this.run('archive', { name, note, caller });
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Operation('Restore a protocol run from the archive', record('ProtocolRunRecord', restored), {
    tag: 'Protocol runs',
    description: restoring,
    problems,
  })
  @Post('protocols/:protocol_run_name/restore')
  @HttpCode(200)
  restoreRun(
    @RunName() name: string,
    @OptionalBody(OperatorNote, operatorNotes) note: OperatorNote,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    return this.run('restore', { name, note, caller });
  }

  @Needs('submitter', { of: 'task' })
  @Operation('Archive an on-demand task', record('TaskRunRecord', archived), {
    tag: 'Tasks',
    description: `${archiving} The attempts and files of the task are archived with it. A task of a protocol run is archived with the run.`,
    problems,
  })
  @Post('tasks/:task_name/archive')
  @HttpCode(200)
  archiveTask(
    @TaskName() name: string,
    @OptionalBody(OperatorNote, operatorNotes) note: OperatorNote,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    return this.task('archive', { name, note, caller });
  }

  @Needs('submitter', { of: 'task' })
  @Operation('Restore an on-demand task from the archive', record('TaskRunRecord', restored), {
    tag: 'Tasks',
    description: restoring,
    problems,
  })
  @Post('tasks/:task_name/restore')
  @HttpCode(200)
  restoreTask(
    @TaskName() name: string,
    @OptionalBody(OperatorNote, operatorNotes) note: OperatorNote,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    return this.task('restore', { name, note, caller });
  }

  private async campaign(act: Act, request: Request): Promise<CampaignRecord> {
    const campaign = await this.act(act, 'campaign', request, (name) => this.records.campaign(name));
    return { ...campaign, meta: withSecretsHidden(campaign.meta) };
  }

  private run(act: Act, request: Request): Promise<ProtocolRunRecord> {
    return this.act(act, 'protocol_run', request, (name) => this.records.protocolRun(name));
  }

  private task(act: Act, request: Request): Promise<TaskRunRecord> {
    return this.act(act, 'task_run', request, (name) => this.records.task(name));
  }

  private async act<Work extends { owner: string }>(
    act: Act,
    kind: WorkKind,
    { name, note, caller }: Request,
    read: (name: string) => Promise<Work | undefined>,
  ): Promise<Work> {
    await requireOwn(caller, () => read(name));
    await this.orchestrator.ask(requests[act], { kind, name, by: actorName(caller, note.by) });
    return committed(() => read(name), `${workWords[kind]} ${name}`);
  }
}

interface Request {
  name: string;
  note: OperatorNote;
  caller: Principal;
}
