import { inPath, inQuery, json, ref, type Description } from './description.js';
import { campaignSubmissions, protocolRunSubmissions, taskSubmissions } from './examples.js';
import { ofRecord } from './operating-operations.js';

const taskName = inPath('task_name', 'Name of the task.', 'score_1');
const runName = inPath('protocol_run_name', 'Name of the protocol run.', 'mix_1');
const campaignName = inPath('campaign_name', 'Name of the campaign.', 'sweep');
const ofRun = inQuery(
  'protocol_run_name',
  'Selects the task of that protocol run instead of an on-demand task.',
  { type: 'string' },
);

const changing = {
  problems: [
    ...ofRecord,
    'malformed_json',
    'payload_too_large',
    'unsupported_media_type',
  ] as Description['problems'],
};
const cloning: Description['problems'] = ['not_found', 'invalid', 'store_unavailable'];
const priority = { summary: 'Let it go before other work', value: { priority: 5 } };

/** Operations that change, copy and tidy up records of work, by method and path. */
export const writeOperations: Record<string, Description> = {
  'PATCH /api/tasks/{task_name}': {
    tag: 'Tasks',
    summary: 'Change a task that is not over',
    description:
      'Its priority at any time; its parameters until its first attempt begins. Checked as at the submission; all of it is changed, or nothing.',
    parameters: [taskName, ofRun],
    body: {
      schema: ref('TaskChange'),
      required: true,
      examples: {
        priority,
        parameters: { summary: 'Another duration', value: { input_parameters: { duration: 3 } } },
      },
    },
    success: { status: 200, description: 'The task as it is.', content: json(ref('TaskRunRecord')) },
    ...changing,
  },
  'PATCH /api/protocols/{protocol_run_name}': {
    tag: 'Protocol runs',
    summary: 'Change a protocol run that is not over',
    description:
      'The priority of all of its tasks that are not over, and parameters of those no attempt of which has begun. Checked as at the submission; all of it is changed, or nothing.',
    parameters: [runName],
    body: {
      schema: ref('ProtocolRunChange'),
      required: true,
      examples: {
        priority,
        parameters: {
          summary: 'Another volume',
          value: { parameters: { mix_colors: { cyan_volume: 2.5 } } },
        },
      },
    },
    success: { status: 200, description: 'The run as it is.', content: json(ref('ProtocolRunRecord')) },
    ...changing,
  },
  'PATCH /api/campaigns/{campaign_name}': {
    tag: 'Campaigns',
    summary: 'Change a campaign that is not over',
    description:
      'The priority of all of its work that is not over; how many runs it has and how many at a time; the parameters of runs that have not begun.',
    parameters: [campaignName],
    body: {
      schema: ref('CampaignChange'),
      required: true,
      examples: {
        priority,
        more: {
          summary: 'More runs, three at a time',
          value: { max_protocol_runs: 20, max_concurrent_protocol_runs: 3 },
        },
      },
    },
    success: { status: 200, description: 'The campaign as it is.', content: json(ref('CampaignRecord')) },
    problems: [...changing.problems, 'duplicate_name', 'optimizer_unavailable'],
  },
  'GET /api/tasks/{task_name}/clone': {
    tag: 'Tasks',
    summary: 'Get a submission of the same task',
    description:
      'Under a name that is free. Of a task of a protocol run: the task by itself, with the devices, resources and values that it got.',
    parameters: [taskName, ofRun],
    success: {
      status: 200,
      description: 'To be posted to `/api/tasks`.',
      content: json(cloneOf('TaskSubmission'), {
        submission: taskSubmissions['clean']?.value,
        left_out: [],
      }),
    },
    problems: cloning,
  },
  'GET /api/protocols/{protocol_run_name}/clone': {
    tag: 'Protocol runs',
    summary: 'Get a submission of the same protocol run',
    description: 'Under a name that is free. Of a run of a campaign: with the parameters that it got.',
    parameters: [runName],
    success: {
      status: 200,
      description: 'To be posted to `/api/protocols`.',
      content: json(cloneOf('ProtocolRunSubmission'), {
        submission: Object.values(protocolRunSubmissions)[0]?.value,
        left_out: [],
      }),
    },
    problems: cloning,
  },
  'GET /api/campaigns/{campaign_name}/clone': {
    tag: 'Campaigns',
    summary: 'Get a submission of the same campaign',
    description: 'Under a name that is free. Secrets are left out; `left_out` names them.',
    parameters: [campaignName],
    success: {
      status: 200,
      description: 'To be posted to `/api/campaigns`.',
      content: json(cloneOf('CampaignSubmission'), {
        submission: Object.values(campaignSubmissions)[0]?.value,
        left_out: ['meta.optimizer_overrides.ai_api_key'],
      }),
    },
    problems: cloning,
  },
};

function cloneOf(submission: string): object {
  return {
    type: 'object',
    required: ['submission', 'left_out'],
    additionalProperties: false,
    properties: {
      submission: ref(submission),
      left_out: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Paths of secrets, which nobody can read and whoever submits it gives again, and of files of other tasks, which only a protocol gives.',
      },
    },
  };
}
