import { Controller, Get } from '@nestjs/common';
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
import { AddressOfTask, found, foundTask, type TaskAddress } from '../lookup/index.js';
import { RecordReader } from '../ports/index.js';
import { CampaignName, json, Operation, ProtocolRunName, ref, type Answer } from '../routes/index.js';

/** Makes submissions from records, to submit the same work again under another name. Stores nothing. */
@Controller('api')
export class ClonesController {
  constructor(private readonly records: RecordReader) {}

  @Needs('viewer', { of: 'task' })
  @Operation('Get a submission of the same task', cloneOf('TaskSubmission', '/api/tasks'), {
    tag: 'Tasks',
    description:
      'The submission has a free name. For a task of a protocol run, it describes an on-demand task with the devices, resources and values that the task got.',
  })
  @Get('tasks/:task_name/clone')
  async cloneTask(@AddressOfTask() address: TaskAddress): Promise<TaskClone> {
    const task = await foundTask(this.records, address);
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

  @Needs('viewer', { of: 'protocol_run' })
  @Operation(
    'Get a submission of the same protocol run',
    cloneOf('ProtocolRunSubmission', '/api/protocols'),
    {
      tag: 'Protocol runs',
      description:
        'The submission has a free name. For a run of a campaign, it has the parameters that the run got.',
    },
  )
  @Get('protocols/:protocol_run_name/clone')
  async cloneProtocolRun(@ProtocolRunName() name: string): Promise<ProtocolRunClone> {
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
  @Operation('Get a submission of the same campaign', cloneOf('CampaignSubmission', '/api/campaigns'), {
    tag: 'Campaigns',
    description: 'The submission has a free name. It contains no secrets; `left_out` names the ones to add.',
  })
  @Get('campaigns/:campaign_name/clone')
  async cloneCampaign(@CampaignName() name: string): Promise<CampaignClone> {
    const campaign = found(await this.records.campaign(name), 'campaign', name);
    const { kept, leftOut } = withoutSecrets(campaign.meta);
    const { protocol_run_parameters: perRun, max_failures: maxFailures, max_protocol_runs: most } = campaign;
    // A submission has as many runs as it lists, also if changes added them to a campaign without a limit.
    const runs = campaign.optimize ? most : (perRun?.length ?? most);
    return {
      submission: {
        name: await freeName(campaign.name, (free) => this.records.campaign(free)),
        protocol: campaign.protocol,
        owner: campaign.owner,
        priority: campaign.priority,
        max_protocol_runs: runs,
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

/** The answer with a clone. @param path where the client posts the submission */
function cloneOf(submission: string, path: string): Answer {
  return {
    description: `Post it to \`${path}\`.`,
    content: json({
      type: 'object',
      required: ['submission', 'left_out'],
      additionalProperties: false,
      properties: {
        submission: ref(submission),
        left_out: {
          type: 'array',
          items: { type: 'string', example: 'meta.optimizer_overrides.ai_api_key' },
          description:
            'Paths of values that the submission lacks: secrets, which nobody can read, so that the person who submits it gives them again; and files of other tasks, which only a protocol can pass on.',
        },
      },
    }),
  };
}

/** The first unused name of `<name>_2`, `<name>_3` and so on. */
async function freeName(name: string, look: (name: string) => Promise<unknown>): Promise<string> {
  const [, base = name, count = '1'] = /^(.*?)_([1-9]\d{0,5})$/.exec(name) ?? [];
  for (let n = Number(count) + 1; ; n += 1) {
    const free = `${base.slice(0, maxNameLength - 8).trimEnd()}_${n}`;
    if ((await look(free)) === undefined) return free;
  }
}

/** Leaves secrets out: the sealed text would be useless in a copy, and the plain text must not be shown. */
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
