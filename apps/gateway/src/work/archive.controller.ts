import { applyDecorators, Controller } from '@nestjs/common';
import {
  orchestratorRequests,
  workWords,
  type CampaignRecord,
  type ProtocolRunRecord,
  type TaskRunRecord,
  type WorkKind,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import { Actor, Needs, requireOwn, type Acting } from '../access/index.js';
import { committed } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  CampaignName,
  fromOrchestrator,
  Operation,
  OnDemandTaskName,
  OwnRunName,
  record,
  workRoutes,
} from '../routes/index.js';

const requests = {
  archive: orchestratorRequests.archiveWork,
  restore: orchestratorRequests.restoreWork,
} as const;
type Act = keyof typeof requests;

const routes = {
  campaign: {
    ...workRoutes.campaign,
    schema: 'CampaignRecord',
    with: 'The runs of the campaign, their tasks, attempts and files are archived with it.',
  },
  protocol_run: {
    ...workRoutes.protocol_run,
    schema: 'ProtocolRunRecord',
    with: 'The tasks of the run, their attempts and files are archived with it. A run of a campaign is archived with the campaign.',
  },
  task_run: {
    ...workRoutes.task_run,
    schema: 'TaskRunRecord',
    with: 'The attempts and files of the task are archived with it. A task of a protocol run is archived with the run.',
  },
} as const satisfies Record<WorkKind, object>;

const archiving =
  'Only finished work can be archived. The record stays readable by its name, with `archived_at`, and the name stays taken. Lists contain it with `archived=true` or `archived=all`. To resume it, restore it first.';

function route(
  act: Act,
  kind: WorkKind,
  summary: string,
  done: string,
  description: string,
): MethodDecorator {
  const { tag, path, of, schema } = routes[kind];
  return applyDecorators(
    Needs('submitter', { of }),
    Operation(summary, record(schema, done), {
      tag,
      description,
      problems: ['wrong_state', ...fromOrchestrator],
    }),
    Action(`${path}/${act}`),
  );
}

const Archive = (kind: WorkKind): MethodDecorator =>
  route(
    'archive',
    kind,
    `Archive ${routes[kind].words}`,
    'It is archived.',
    `${archiving} ${routes[kind].with}`,
  );
const Restore = (kind: WorkKind): MethodDecorator =>
  route(
    'restore',
    kind,
    `Restore ${routes[kind].words} from the archive`,
    'It is restored.',
    'The lists contain it again, as if it had never been archived.',
  );

/** Takes finished work out of the lists, and brings it back. */
@Controller('api')
export class ArchiveController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Archive('campaign')
  archiveCampaign(@CampaignName() name: string, @Actor() actor: Acting): Promise<CampaignRecord> {
    return this.campaign('archive', name, actor);
  }

  @Restore('campaign')
  restoreCampaign(@CampaignName() name: string, @Actor() actor: Acting): Promise<CampaignRecord> {
    return this.campaign('restore', name, actor);
  }

  @Archive('protocol_run')
  archiveRun(@OwnRunName() name: string, @Actor() actor: Acting): Promise<ProtocolRunRecord> {
    return this.act('archive', 'protocol_run', name, actor, () => this.records.protocolRun(name));
  }

  @Restore('protocol_run')
  restoreRun(@OwnRunName() name: string, @Actor() actor: Acting): Promise<ProtocolRunRecord> {
    return this.act('restore', 'protocol_run', name, actor, () => this.records.protocolRun(name));
  }

  @Archive('task_run')
  archiveTask(@OnDemandTaskName() name: string, @Actor() actor: Acting): Promise<TaskRunRecord> {
    return this.act('archive', 'task_run', name, actor, () => this.records.task(name));
  }

  @Restore('task_run')
  restoreTask(@OnDemandTaskName() name: string, @Actor() actor: Acting): Promise<TaskRunRecord> {
    return this.act('restore', 'task_run', name, actor, () => this.records.task(name));
  }

  private async campaign(act: Act, name: string, actor: Acting): Promise<CampaignRecord> {
    const campaign = await this.act(act, 'campaign', name, actor, () => this.records.campaign(name));
    return { ...campaign, meta: withSecretsHidden(campaign.meta) };
  }

  private async act<Work extends { owner: string }>(
    act: Act,
    kind: WorkKind,
    name: string,
    { caller, by }: Acting,
    read: () => Promise<Work | undefined>,
  ): Promise<Work> {
    await requireOwn(caller, read);
    await this.orchestrator.ask(requests[act], { kind, name, by });
    return committed(read, `${workWords[kind]} ${name}`);
  }
}
