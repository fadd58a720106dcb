import { applyDecorators, Controller, Get } from '@nestjs/common';
import {
  DeletionRequest,
  orchestratorRequests,
  type DeletionRecord,
  type Page,
  type Principal,
  type WorkKind,
} from '@lab/contracts';
import { Actor, actorName, Caller, labFilter, Needs, requireOwn, type Acting } from '../access/index.js';
import { ListQuery, type PageRequest } from '../lists/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  Action,
  CampaignName,
  fromOrchestrator,
  JsonBody,
  Operation,
  page,
  OnDemandTaskName,
  OwnRunName,
  record,
  workRoutes,
} from '../routes/index.js';

const examples = {
  everything: { summary: 'Records and files', value: { reason: 'a test', by: 'ada' } },
  files: { summary: 'Only the files', value: { reason: 'too large', what: 'files', by: 'ada' } },
};

const routes = {
  campaign: {
    ...workRoutes.campaign,
    with: 'The runs of the campaign, their tasks, attempts, trials, files, log lines and events are deleted with it.',
  },
  protocol_run: {
    ...workRoutes.protocol_run,
    with: 'The tasks of the run, their attempts, files, log lines and events are deleted with it. A run of a campaign is deleted with the campaign.',
  },
  task_run: {
    ...workRoutes.task_run,
    with: 'The attempts, files, log lines and events of the task are deleted with it. A task of a protocol run is deleted with the run.',
  },
} as const satisfies Record<WorkKind, object>;

function route(
  act: 'delete' | 'keep',
  kind: WorkKind,
  summary: string,
  description: string,
): MethodDecorator {
  const { tag, path, of } = routes[kind];
  return applyDecorators(
    Needs('submitter', { of }),
    Operation(summary, record('DeletionRecord', 'The deletion.'), {
      tag,
      description,
      problems: ['wrong_state', ...fromOrchestrator],
    }),
    Action(`${path}/${act}`),
  );
}

const Delete = (kind: WorkKind): MethodDecorator =>
  route(
    'delete',
    kind,
    `Delete ${routes[kind].words}`,
    `Only finished work can be deleted. The work is archived at once. The deletion begins at \`due_at\`; until then it can be taken back. ${routes[kind].with} A legal hold prevents it.`,
  );
const Keep = (kind: WorkKind): MethodDecorator =>
  route(
    'keep',
    kind,
    `Take the deletion of ${routes[kind].words} back`,
    'The work stays archived; restore it to see it in the lists. A deletion that has begun cannot be taken back.',
  );

/** Deletes finished work, takes a deletion back, and lists the deletions. */
@Controller('api')
export class DeletionsController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Delete('campaign')
  deleteCampaign(
    @CampaignName() name: string,
    @JsonBody(DeletionRequest, examples) asked: DeletionRequest,
    @Caller() caller: Principal,
  ): Promise<DeletionRecord> {
    return this.remove('campaign', name, asked, caller);
  }

  @Keep('campaign')
  keepCampaign(@CampaignName() name: string, @Actor() actor: Acting): Promise<DeletionRecord> {
    return this.keep('campaign', name, actor);
  }

  @Delete('protocol_run')
  deleteRun(
    @OwnRunName() name: string,
    @JsonBody(DeletionRequest, examples) asked: DeletionRequest,
    @Caller() caller: Principal,
  ): Promise<DeletionRecord> {
    return this.remove('protocol_run', name, asked, caller);
  }

  @Keep('protocol_run')
  keepRun(@OwnRunName() name: string, @Actor() actor: Acting): Promise<DeletionRecord> {
    return this.keep('protocol_run', name, actor);
  }

  @Delete('task_run')
  deleteTask(
    @OnDemandTaskName() name: string,
    @JsonBody(DeletionRequest, examples) asked: DeletionRequest,
    @Caller() caller: Principal,
  ): Promise<DeletionRecord> {
    return this.remove('task_run', name, asked, caller);
  }

  @Keep('task_run')
  keepTask(@OnDemandTaskName() name: string, @Actor() actor: Acting): Promise<DeletionRecord> {
    return this.keep('task_run', name, actor);
  }

  @Needs('viewer', { lab: labFilter })
  @Operation('List the deletions of work', page('DeletionRecord', 'The newest first.'), {
    tag: 'Operating',
    description: 'Those that wait, those that run, and those that are done or were taken back.',
  })
  @Get('deletions')
  async list(@ListQuery('deletions') request: PageRequest): Promise<Page<DeletionRecord>> {
    return request.pageOf(await this.records.list('deletions', request));
  }

  private async remove(
    kind: WorkKind,
    name: string,
    { reason, what = 'everything', by }: DeletionRequest,
    caller: Principal,
  ): Promise<DeletionRecord> {
    await requireOwn(caller, () => this.owned(kind, name));
    const body = { kind, name, what, reason, by: actorName(caller, by) };
    return this.orchestrator.ask(orchestratorRequests.deleteWork, body);
  }

  private async keep(kind: WorkKind, name: string, { caller, by }: Acting): Promise<DeletionRecord> {
    await requireOwn(caller, () => this.owned(kind, name));
    return this.orchestrator.ask(orchestratorRequests.keepWork, { kind, name, by });
  }

  private owned(kind: WorkKind, name: string): Promise<{ owner: string } | undefined> {
    if (kind === 'campaign') return this.records.campaign(name);
    return kind === 'protocol_run' ? this.records.protocolRun(name) : this.records.task(name);
  }
}
