import { Body, Controller, Param, Patch, Query } from '@nestjs/common';
import {
  CampaignChange,
  orchestratorRequests,
  ProtocolRunChange,
  TaskChange,
  type CampaignRecord,
  type Principal,
  type ProtocolRunRecord,
  type TaskRunRecord,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import { Caller, Needs, refuseForeign } from '../access/index.js';
import { DtoPipe, lookupName, readQuery } from '../routes/index.js';
import { Orchestrator } from '../orchestrator/index.js';
import { RecordReader } from '../ports/index.js';
import { committed, found, foundTask, readTaskAddress } from '../lookup/index.js';

/** Changes of work that is not over: its priority, and parameters of what has not begun. */
@Controller('api')
export class ChangesController {
  constructor(
    private readonly orchestrator: Orchestrator,
    private readonly records: RecordReader,
  ) {}

  @Needs('submitter', { of: 'task' })
  @Patch('tasks/:task_name')
  async changeTask(
    @Param('task_name') given: string,
    @Body(new DtoPipe(TaskChange)) change: TaskChange,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<TaskRunRecord> {
    const run = readTaskAddress(query);
    const { name, owner } = await foundTask(this.records, given, run);
    refuseForeign(caller, owner);
    await this.orchestrator.ask(orchestratorRequests.changeTask, {
      name,
      by: caller.name,
      change,
      ...(run === undefined ? {} : { protocol_run_name: run }),
    });
    return committed(() => this.records.task(name, run), `task ${name}`);
  }

  @Needs('submitter', { of: 'protocol_run' })
  @Patch('protocols/:protocol_run_name')
  async changeProtocolRun(
    @Param('protocol_run_name') given: string,
    @Body(new DtoPipe(ProtocolRunChange)) change: ProtocolRunChange,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<ProtocolRunRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'protocol run');
    const { owner } = found(await this.records.protocolRun(name), 'protocol run', name);
    refuseForeign(caller, owner);
    await this.orchestrator.ask(orchestratorRequests.changeProtocolRun, { name, by: caller.name, change });
    return committed(() => this.records.protocolRun(name), `protocol run ${name}`);
  }

  @Needs('submitter', { of: 'campaign' })
  @Patch('campaigns/:campaign_name')
  async changeCampaign(
    @Param('campaign_name') given: string,
    @Body(new DtoPipe(CampaignChange)) change: CampaignChange,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<CampaignRecord> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    const { owner } = found(await this.records.campaign(name), 'campaign', name);
    refuseForeign(caller, owner);
    await this.orchestrator.ask(orchestratorRequests.changeCampaign, { name, by: caller.name, change });
    const record = await committed(() => this.records.campaign(name), `campaign ${name}`);
    return { ...record, meta: withSecretsHidden(record.meta) };
  }
}
