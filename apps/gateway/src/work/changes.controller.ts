import { Controller, Patch } from '@nestjs/common';
import {
  CampaignChange,
  orchestratorRequests,
  ProtocolRunChange,
  TaskChange,
  type CampaignRecord,
  type LabRights,
  type Principal,
  type ProtocolRunRecord,
  type TaskRunRecord,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import { Caller, Needs, refuseForeign, Rights } from '../access/index.js';
import { AddressOfTask, committed, found, foundTask, type TaskAddress } from '../lookup/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import {
  CampaignName,
  fromOrchestrator,
  JsonBody,
  Operation,
  ProtocolRunName,
  record,
} from '../routes/index.js';

const priority = { summary: 'Let it go before other work', value: { priority: 5 } };
const checks = 'The service checks the change like a submission, and makes all of it or nothing.';
const problems = ['wrong_state', ...fromOrchestrator] as const;

/** Changes work that is not over: its priority, and parameters of what has not begun. */
@Controller('api')
export class ChangesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('submitter', { of: 'task' })
  @Operation('Change a task that is not over', record('TaskRunRecord', 'The task after the change.'), {
    tag: 'Tasks',
    description: `The priority can change at any time, the parameters until the first attempt begins. ${checks}`,
    problems,
  })
  @Patch('tasks/:task_name')
  async changeTask(
    @AddressOfTask() address: TaskAddress,
    @JsonBody(TaskChange, {
      priority,
      parameters: { summary: 'Another duration', value: { input_parameters: { duration: 3 } } },
    })
    change: TaskChange,
    @Caller() caller: Principal,
    @Rights() rights: LabRights,
  ): Promise<TaskRunRecord> {
    const { run } = address;
    const { name, owner } = await foundTask(this.records, address);
    refuseForeign(caller, owner);
    await this.orchestrator.ask(orchestratorRequests.changeTask, {
      name,
      by: caller.name,
      change,
      rights,
      ...(run === undefined ? {} : { protocol_run_name: run }),
    });
    return committed(() => this.records.task(name, run), `task ${name}`);
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Operation(
    'Change a protocol run that is not over',
    record('ProtocolRunRecord', 'The run after the change.'),
    {
      tag: 'Protocol runs',
      description: `Changes the priority of all tasks of the run that are not over, and parameters of tasks without an attempt. ${checks}`,
      problems,
    },
  )
  @Patch('protocols/:protocol_run_name')
  async changeProtocolRun(
    @ProtocolRunName() name: string,
    @JsonBody(ProtocolRunChange, {
      priority,
      parameters: {
        summary: 'Another volume',
        value: { parameters: { mix_colors: { cyan_volume: 2.5 } } },
      },
    })
    change: ProtocolRunChange,
    @Caller() caller: Principal,
    @Rights() rights: LabRights,
  ): Promise<ProtocolRunRecord> {
    const { owner } = found(await this.records.protocolRun(name), 'protocol run', name);
    refuseForeign(caller, owner);
    await this.orchestrator.ask(orchestratorRequests.changeProtocolRun, {
      name,
      by: caller.name,
      change,
      rights,
    });
    return committed(() => this.records.protocolRun(name), `protocol run ${name}`);
  }

  @Needs('submitter', { of: 'campaign' })
  @Operation(
    'Change a campaign that is not over',
    record('CampaignRecord', 'The campaign after the change.'),
    {
      tag: 'Campaigns',
      description:
        'Changes the priority of all work of the campaign that is not over, the number of runs, the number of concurrent runs, and the parameters of runs that have not begun.',
      problems: [...problems, 'duplicate_name', 'optimizer_unavailable'],
    },
  )
  @Patch('campaigns/:campaign_name')
  async changeCampaign(
    @CampaignName() name: string,
    @JsonBody(CampaignChange, {
      priority,
      more: {
        summary: 'More runs, three at a time',
        value: { max_protocol_runs: 20, max_concurrent_protocol_runs: 3 },
      },
    })
    change: CampaignChange,
    @Caller() caller: Principal,
    @Rights() rights: LabRights,
  ): Promise<CampaignRecord> {
    const { owner } = found(await this.records.campaign(name), 'campaign', name);
    refuseForeign(caller, owner);
    await this.orchestrator.ask(orchestratorRequests.changeCampaign, {
      name,
      by: caller.name,
      change,
      rights,
    });
    const campaign = await committed(() => this.records.campaign(name), `campaign ${name}`);
    return { ...campaign, meta: withSecretsHidden(campaign.meta) };
  }
}
