import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  maxNameLength,
  type CampaignClone,
  type JsonObject,
  type JsonValue,
  type ProtocolRunClone,
  type TaskClone,
} from '@lab/contracts';
import { withSecretsHidden } from '@lab/runtime';
import { Needs } from '../access/index.js';
import { lookupName, readQuery } from '../routes/index.js';
import { RecordReader } from '../ports/index.js';
import { found, foundTask, readTaskAddress } from '../lookup/index.js';

/** What records were submitted with, ready to be submitted again under another name. Nothing is stored. */
@Controller('api')
export class ClonesController {
  constructor(private readonly records: RecordReader) {}

  /** Of a task inside a run: the same task by itself, with the devices, resources and values that it got. */
  @Needs('viewer', { of: 'task' })
  @Get('tasks/:task_name/clone')
  async cloneTask(@Param('task_name') given: string, @Query() query: unknown): Promise<TaskClone> {
    const task = await foundTask(this.records, given, readTaskAddress(query));
    const { kept, leftOut } = withoutSecrets(task.meta);
    const { timeout, retry } = task.failure_policy;
    return {
      submission: {
        name: await freeName(task.name, (name) => this.records.task(name)),
        type: task.type,
        owner: task.owner,
        priority: task.priority,
        devices: task.devices,
        input_parameters: task.input_parameters,
        input_resources: Object.fromEntries(
          Object.entries(task.input_resources).map(([slot, { name }]) => [slot, name]),
        ),
        ...(task.allocation_timeout === null ? {} : { allocation_timeout: task.allocation_timeout }),
        ...(timeout === undefined ? {} : { timeout }),
        ...(retry === undefined ? {} : { retry }),
        meta: kept,
      },
      left_out: [...leftOut, ...Object.keys(task.input_files).map((handle) => `files.${handle}`)],
    };
  }

  /** Of a run of a campaign: the same run by itself, with the parameters that it got. */
  @Needs('viewer', { of: 'protocol_run' })
  @Get('protocols/:protocol_run_name/clone')
  async cloneProtocolRun(
    @Param('protocol_run_name') given: string,
    @Query() query: unknown,
  ): Promise<ProtocolRunClone> {
    readQuery(query, []);
    const name = lookupName(given, 'protocol run');
    const run = found(await this.records.protocolRun(name), 'protocol run', name);
    const { kept, leftOut } = withoutSecrets(run.meta);
    return {
      submission: {
        name: await freeName(run.name, (free) => this.records.protocolRun(free)),
        type: run.type,
        owner: run.owner,
        priority: run.priority,
        parameters: run.parameters,
        failure_policy: run.failure_policy,
        meta: kept,
      },
      left_out: leftOut,
    };
  }

  @Needs('viewer', { of: 'campaign' })
  @Get('campaigns/:campaign_name/clone')
  async cloneCampaign(
    @Param('campaign_name') given: string,
    @Query() query: unknown,
  ): Promise<CampaignClone> {
    readQuery(query, []);
    const name = lookupName(given, 'campaign');
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    const { kept, leftOut } = withoutSecrets(campaign.meta);
    const { protocol_run_parameters: perRun, max_failures: maxFailures } = campaign;
    return {
      submission: {
        name: await freeName(campaign.name, (free) => this.records.campaign(free)),
        protocol: campaign.protocol,
        owner: campaign.owner,
        priority: campaign.priority,
        max_protocol_runs: campaign.max_protocol_runs,
        max_concurrent_protocol_runs: campaign.max_concurrent_protocol_runs,
        optimize: campaign.optimize,
        optimizer_ip: campaign.optimizer_ip,
        global_parameters: campaign.global_parameters,
        ...(perRun === null ? {} : { protocol_run_parameters: perRun }),
        failure_policy: campaign.failure_policy,
        on_run_failure: campaign.on_run_failure,
        ...(maxFailures === null ? {} : { max_failures: maxFailures }),
        meta: kept,
      },
      left_out: leftOut,
    };
  }
}

/** The first of `<name>_2`, `<name>_3` and so on that nothing is called. */
async function freeName(name: string, look: (name: string) => Promise<unknown>): Promise<string> {
  const [, base = name, count = '1'] = /^(.*?)_([1-9]\d{0,5})$/.exec(name) ?? [];
  for (let n = Number(count) + 1; ; n += 1) {
    const free = `${base.slice(0, maxNameLength - 8).trimEnd()}_${n}`;
    if ((await look(free)) === undefined) return free;
  }
}

/** Secrets are sealed for good: a copy of them would be of no use, and shown they would be none. */
function withoutSecrets(meta: JsonObject): { kept: JsonObject; leftOut: string[] } {
  const leftOut: string[] = [];
  const compare = (value: JsonValue, hidden: JsonValue | undefined, path: string): JsonValue | undefined => {
    if (typeof value !== 'object' || value === null) {
      if (value === hidden) return value;
      leftOut.push(path);
      return undefined;
    }
    const inner = (key: string): JsonValue | undefined => (hidden as Record<string, JsonValue>)[key];
    if (Array.isArray(value))
      return value.map((entry, index) => compare(entry, inner(String(index)), `${path}[${index}]`) ?? null);
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, entry]) => {
        const kept = compare(entry, inner(key), `${path}.${key}`);
        return kept === undefined ? [] : [[key, kept]];
      }),
    );
  };
  const kept = compare(meta, withSecretsHidden(meta), 'meta') as JsonObject;
  return { kept, leftOut };
}
