import { longestSchedule, type ErrorCode } from '@lab/contracts';
import { usualSchedule } from '../routes/index.js';
import {
  inPath,
  inQuery,
  json,
  listOf,
  listParameters,
  pageOf,
  ref,
  type Description,
} from './description.js';
import * as examples from './examples.js';

/** Errors of a request that the orchestrator decides about. */
const deciding: ErrorCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid',
  'service_unavailable',
  'store_unavailable',
  'disconnected',
  'deadline_exceeded',
];
/** As {@link deciding}, about a record that people name. */
export const ofRecord: ErrorCode[] = ['not_found', 'wrong_state', ...deciding];
const asking: ErrorCode[] = ['invalid', 'service_unavailable', 'disconnected', 'deadline_exceeded'];

const runName = inPath('protocol_run_name', 'Name of the protocol run.', 'mix_1');
const campaignName = inPath('campaign_name', 'Name of the campaign.', 'sweep');
const itemId = inPath('id', 'Id of the attention item.', examples.attentionItem.id);
/** Who does it, where nobody is known by a token. */
export const note: Description['body'] = {
  schema: ref('OperatorNote'),
  required: false,
  examples: { note: { summary: 'Who does it', value: { by: 'ada' } } },
};

/** Operations by which people pause, resume, stop and settle, by method and path. */
export const operatingOperations: Record<string, Description> = {
  'POST /api/protocols/{protocol_run_name}/pause': {
    tag: 'Protocol runs',
    summary: 'Pause a protocol run',
    description: 'No further task of it is started; running ones go on to their end. Its devices stay held.',
    parameters: [runName],
    body: note,
    success: { status: 202, description: 'It is paused.', content: json(ref('ProtocolRunRecord')) },
    problems: ofRecord,
  },
  'POST /api/protocols/{protocol_run_name}/resume': {
    tag: 'Protocol runs',
    summary: 'Resume a protocol run',
    description:
      'One that is paused goes on. One that failed or was cancelled goes on where it stopped: completed tasks are kept, the others are tried again as new attempts, and nothing of the history is deleted.',
    parameters: [runName],
    body: note,
    success: { status: 202, description: 'It goes on.', content: json(ref('ProtocolRunRecord')) },
    problems: ofRecord,
  },
  'POST /api/campaigns/{campaign_name}/pause': {
    tag: 'Campaigns',
    summary: 'Pause a campaign',
    description:
      'No further run is started, and no further task of its runs; running ones go on to their end.',
    parameters: [campaignName],
    body: note,
    success: { status: 202, description: 'It is paused.', content: json(ref('CampaignRecord')) },
    problems: ofRecord,
  },
  'POST /api/campaigns/{campaign_name}/resume': {
    tag: 'Campaigns',
    summary: 'Resume a campaign',
    description:
      'One that is paused goes on. Of one that failed or was cancelled, completed runs are kept, failed and cancelled ones are resumed with the same parameters, and then the rest goes on.',
    parameters: [campaignName],
    body: {
      schema: ref('CampaignResumption'),
      required: false,
      examples: {
        note: { summary: 'Who does it', value: { by: 'ada' } },
        overrides: { summary: 'Without the AI from here on', value: { optimizer_overrides: { p_ai: 0 } } },
      },
    },
    success: { status: 202, description: 'It goes on.', content: json(ref('CampaignRecord')) },
    problems: [...ofRecord, 'backlog_full', 'duplicate_name', 'optimizer_error', 'optimizer_unavailable'],
  },
  'GET /api/queue': {
    tag: 'Operating',
    summary: 'Read what waits, in which order and why, and whether anything may start',
    description:
      'The tasks that wait, in the order in which they are considered: that of their planned starts, and of those that have none that of the scheduling policy. A task that could start goes before one that has to wait for something, so positions are not the order of starts. Parameters narrow the list down and change no position. It is the order of this moment: a page goes on behind the last task of the page before, wherever that stands by then. A page has fewer tasks than `limit` where their reasons would be too much for one message.',
    parameters: listParameters('queue'),
    success: {
      status: 200,
      description: 'The queue, what is considered next first.',
      content: json(ref('QueuePage'), examples.queuePage),
    },
    problems: [...asking, 'bad_request'],
  },
  'POST /api/queue/pause': {
    tag: 'Operating',
    summary: 'Pause the queue',
    description:
      'Nothing starts any more, wherever it belongs; what runs goes on to its end. It stays paused over every restart. May be repeated.',
    body: note,
    success: { status: 202, description: 'The queue.', content: json(ref('QueueRecord')) },
    problems: deciding,
  },
  'POST /api/queue/resume': {
    tag: 'Operating',
    summary: 'Resume the queue',
    description: 'May be repeated.',
    body: note,
    success: { status: 202, description: 'The queue.', content: json(ref('QueueRecord')) },
    problems: deciding,
  },
  'GET /api/schedule': {
    tag: 'Operating',
    summary: 'Read what goes on, what is to come, and why what waits waits',
    description:
      'Planned and actual times of every task and device, when runs and campaigns are expected to be complete, and how good the plan is. The parameters narrow it down and hold together; a name that nothing has selects nothing.',
    parameters: [
      inQuery('run', 'Only this protocol run: its tasks, and the devices and resources they take.', {
        type: 'string',
      }),
      inQuery('device', 'Only this device, as `<lab>.<device>`, and the tasks that take it.', {
        type: 'string',
      }),
      inQuery('lab', 'Only the devices of this laboratory, and the tasks that take them.', {
        type: 'string',
      }),
      inQuery('limit', 'Tasks at most: those that run first, then those that start or wait first.', {
        type: 'integer',
        minimum: 1,
        maximum: longestSchedule,
        default: usualSchedule,
      }),
    ],
    success: {
      status: 200,
      description: 'The schedule as it is at this moment.',
      content: json(ref('ScheduleRecord'), examples.schedule),
    },
    problems: asking,
  },
  'GET /api/attention': {
    tag: 'Operating',
    summary: 'List what only a person can settle',
    parameters: listParameters('attention'),
    success: { status: 200, description: 'Newest first.', content: pageOf('AttentionRecord') },
    problems: ['invalid', 'store_unavailable'],
  },
  'GET /api/attention/{id}': {
    tag: 'Operating',
    summary: 'Read an attention item',
    parameters: [itemId],
    success: {
      status: 200,
      description: 'What is known, and what may be decided.',
      content: json(ref('AttentionRecord')),
    },
    problems: ['not_found', 'invalid', 'store_unavailable'],
  },
  'POST /api/attention/{id}/resolve': {
    tag: 'Operating',
    summary: 'Settle an attention item',
    description:
      'A task is declared `completed` with its outputs, `failed`, or tried again (`retry`); a device is declared `idle`, safe to be started anew; an agent is declared `lost`. The decision is kept for ever, with who took it.',
    parameters: [itemId],
    body: {
      schema: ref('AttentionResolution'),
      required: true,
      examples: examples.attentionResolutions,
    },
    success: { status: 200, description: 'It is settled.', content: json(ref('AttentionRecord')) },
    problems: [...ofRecord, 'agent_unreachable', 'stale_message', 'unknown_device'],
  },
  'GET /api/estop': {
    tag: 'Operating',
    summary: 'List emergency stops',
    parameters: listParameters('emergency_stops'),
    success: {
      status: 200,
      description: 'Those in force, newest first.',
      content: pageOf('EmergencyStopRecord'),
    },
    problems: ['invalid', 'store_unavailable'],
  },
  'POST /api/estop': {
    tag: 'Operating',
    summary: 'Emergency stop',
    description:
      'Of everything, of a laboratory, or of a device of it. Every agent is told at once, whatever the state of orchestrator and database: it runs `_stop` on each device in the scope, outside of all queues. Nothing is started there until the stop is released. It holds over every restart. With status 503 and effect `done` the agents were told and keep to it, but it could not be recorded yet.',
    body: {
      schema: ref('EmergencyStopRequest'),
      required: false,
      examples: examples.emergencyStopRequests,
    },
    success: {
      status: 201,
      description: 'The agents were told, and it is recorded.',
      content: json(ref('EmergencyStopRecord')),
    },
    problems: [
      'unknown_lab',
      'unknown_device',
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'invalid',
      'service_unavailable',
      'store_unavailable',
    ],
  },
  'POST /api/estop/release': {
    tag: 'Operating',
    summary: 'Release emergency stops',
    description: 'One by its id, or every stop in force. Devices in no other stop take calls again.',
    body: {
      schema: ref('EmergencyStopRelease'),
      required: false,
      examples: { all: { summary: 'Every stop in force', value: { by: 'ada' } } },
    },
    success: {
      status: 200,
      description: 'Those that were released.',
      content: json(listOf('EmergencyStopRecord')),
    },
    problems: ofRecord,
  },
};
