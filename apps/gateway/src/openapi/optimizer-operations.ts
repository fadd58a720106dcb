import type { ErrorCode, InsightRecord, OptimizerDescription, OptimizerRecord, Trial } from '@lab/contracts';
import { inPath, inQuery, json, listParameters, pageOf, ref, type Description } from './description.js';
import { ofRecord } from './operating-operations.js';

const campaignName = inPath('campaign_name', 'Name of the campaign.', 'find_teal');
const reaching: ErrorCode[] = ['optimizer_error', 'optimizer_unavailable'];
const tag = 'Campaigns';

export const trial: Trial = {
  number: 7,
  run: 'find_teal_run_7',
  source: 'ai',
  state: 'measured',
  inputs: { 'mix_colors.cyan_volume': 8.5, 'mix_colors.yellow_volume': 4 },
  outputs: { 'score_color.loss': 11.8 },
  additional: {},
  note: {
    journal: 'Less yellow, since run 5 was too green.',
    model: 'ollama:qwen3.5:9b',
    tokens: { input: 1840, output: 210 },
  },
};

export const insightRecord: InsightRecord = {
  id: '0199c0de-7a1b-7000-8000-000000000001',
  text: 'Yellow stains the beaker: stay below 12.',
  by: 'ada',
  at: '2026-11-20T09:30:00.000Z',
  used: false,
};

export const optimizerDescription: OptimizerDescription = {
  input_names: ['mix_colors.cyan_volume', 'mix_colors.yellow_volume'],
  output_names: ['score_color.loss'],
  additional_names: [],
  fields: [
    {
      key: 'p_ai',
      type: 'number',
      default: 0,
      runtime: true,
      min: 0,
      max: 1,
      description: 'Probability that a sampling call asks the AI.',
    },
  ],
  runtime_params: { p_bayesian: 1, p_ai: 0 },
  arguments: { num_initial_samples: 8, initial_sampling_method: 'SOBOL' },
};

export const optimizerRecord: OptimizerRecord = {
  ...optimizerDescription,
  campaign: 'find_teal',
  state: 'ready',
  reason: null,
  worker: '0199c0de-7a1b-7000-8000-000000000002',
  insights: [insightRecord],
  best: null,
  failure: null,
  pending: [],
  journal: [{ number: trial.number, run: trial.run, source: trial.source, note: trial.note }],
  belief: null,
};

/** Operations on the optimizers of campaigns, by method and path. */
export const optimizerOperations: Record<string, Description> = {
  'GET /api/campaigns/{campaign_name}/optimizer': {
    tag,
    summary: 'Read the optimizer of a campaign',
    description:
      'Its state and settings, the proposals whose runs have not begun, the insights, and the journal. Of a campaign that is over: as it was in the end.',
    parameters: [
      campaignName,
      inQuery('explain', 'True: its model is asked what it has learnt, which may take seconds.', {
        type: 'boolean',
        default: false,
      }),
    ],
    success: {
      status: 200,
      description: 'The optimizer.',
      content: json(ref('OptimizerRecord'), optimizerRecord),
    },
    problems: [
      'not_found',
      'wrong_state',
      'invalid',
      'service_unavailable',
      'store_unavailable',
      'disconnected',
      'deadline_exceeded',
    ],
  },
  'PUT /api/campaigns/{campaign_name}/optimizer/params': {
    tag,
    summary: 'Change settings of the optimizer while the campaign runs',
    description:
      'Any of `p_bayesian`, `p_ai`, `ai_history_size`, `ai_additional_context`, and the runtime parameters of the plugged-in optimizer. Setting either probability derives the other; `p_ai` 0 removes the AI, more than 0 brings it. All of the changes are made, or none. They stay over every restart and resume.',
    parameters: [campaignName, inQuery('by', 'Who does it, for the audit.', { type: 'string' })],
    body: {
      schema: ref('RuntimeParameters'),
      required: true,
      examples: { less: { summary: 'Ask the AI less often', value: { p_ai: 0.2 } } },
    },
    success: {
      status: 200,
      description: 'All runtime parameters as they are now.',
      content: json(ref('RuntimeParameters'), { p_bayesian: 0.8, p_ai: 0.2 }),
    },
    problems: [...ofRecord, ...reaching],
  },
  'POST /api/campaigns/{campaign_name}/optimizer/insight': {
    tag,
    summary: 'Tell the AI something',
    description: 'The text is given to the AI with its next suggestions until one of them succeeds.',
    parameters: [campaignName],
    body: {
      schema: ref('InsightSubmission'),
      required: true,
      examples: {
        insight: { summary: 'What a person has seen', value: { insight: insightRecord.text, by: 'ada' } },
      },
    },
    success: {
      status: 201,
      description: 'It is queued.',
      content: json(ref('InsightRecord'), insightRecord),
    },
    problems: ofRecord,
  },
  'GET /api/campaigns/{campaign_name}/trials': {
    tag,
    summary: 'List the trials of a campaign',
    description: 'By number, with inputs, outputs and notes. Empty for a campaign without optimizer.',
    parameters: [campaignName, ...listParameters('trials')],
    success: { status: 200, description: 'By number.', content: pageOf('Trial') },
    problems: ['not_found', 'invalid', 'store_unavailable'],
  },
  'GET /api/protocols/{protocol_type}/optimizer/defaults': {
    tag: 'Definitions',
    summary: 'Read what the optimizer of a protocol is before anything is said about it',
    description:
      'Fields for a form, default settings, inputs and outputs. The optimizer is made and dropped for it.',
    parameters: [
      inPath('protocol_type', 'Type name of the protocol.', 'color_mixing'),
      inQuery('optimizer_ip', 'Computer whose optimizer worker is asked. Default 127.0.0.1.', {
        type: 'string',
      }),
    ],
    success: {
      status: 200,
      description: 'The optimizer.',
      content: json(ref('OptimizerDescription'), optimizerDescription),
    },
    problems: [
      'not_found',
      'unknown_protocol',
      'invalid',
      'service_unavailable',
      'disconnected',
      'deadline_exceeded',
      ...reaching,
    ],
  },
};
