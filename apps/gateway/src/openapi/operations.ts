import type { OpenAPIObject } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode } from '@lab/contracts';
import { problemMediaType } from '../http/index.js';
import { longestKey } from '../idempotency/index.js';
import { accessOperations } from './access-operations.js';
import { archiveOperations } from './archive-operations.js';
import { csvOperations } from './csv-operations.js';
import { definitionOperations } from './definition-operations.js';
import { inPath, inQuery, json, listParameters, pageOf, ref, type Description } from './description.js';
import * as examples from './examples.js';
import { dryRunParameter, triedOut } from './dry-run-operations.js';
import { eventOperations } from './event-operations.js';
import { logOperations } from './log-operations.js';
import { fileOperations } from './file-operations.js';
import { ofRecord, operatingOperations } from './operating-operations.js';
import { recordOperations } from './record-operations.js';
import { optimizerOperations } from './optimizer-operations.js';
import { notReadyReport, serviceOperations } from './service-operations.js';
import { simulationOperations } from './simulation-operations.js';
import { webhookOperations } from './webhook-operations.js';
import { writeOperations } from './write-operations.js';

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** What any request can be answered with. */
const always: ErrorCode[] = [
  'unauthorized',
  'bad_request',
  'forbidden',
  'uri_too_long',
  'too_many_requests',
  'internal',
  'service_unavailable',
];
/** A body is read before it is known whether one belongs there; of what only reads none is. */
const withBody = (key: string, { body }: Description): ErrorCode[] =>
  key.startsWith('GET ')
    ? []
    : [
        ...(body?.mediaType === undefined ? (['malformed_json'] as const) : []),
        'payload_too_large',
        'unsupported_media_type',
        'invalid',
      ];
/** What a request with an idempotency key can be answered with. */
const repeated: ErrorCode[] = [
  'idempotency_key_in_progress',
  'idempotency_key_reused',
  'outcome_unknown',
  'answer_not_kept',
  'store_unavailable',
];
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeat safe: for 24 h the same request with the same key gets the answer of the first one, with the header `Idempotent-Replayed: true`, and nothing is done again.',
  schema: { type: 'string', minLength: 1, maxLength: longestKey },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};
const submitting: ErrorCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'invalid',
  'duplicate_name',
  'backlog_full',
  'service_unavailable',
  'store_unavailable',
  'disconnected',
  'deadline_exceeded',
];
const reading: ErrorCode[] = ['not_found', 'invalid', 'store_unavailable'];
const listing: ErrorCode[] = ['invalid', 'store_unavailable'];

const ofRun = inQuery(
  'protocol_run_name',
  'Selects the task of that protocol run instead of an on-demand task.',
  { type: 'string' },
);

const runName = inPath('protocol_run_name', 'Name of the protocol run.', 'mix_1');
const campaignName = inPath('campaign_name', 'Name of the campaign.', 'sweep');
const taskName = inPath('task_name', 'Name of the task.', 'score_1');

const retryAfter = {
  'Retry-After': {
    description: 'Seconds after which the same request may succeed; absent when something may have happened.',
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
};

const descriptions: Record<string, Description> = {
  'POST /api/protocols': {
    tag: 'Protocol runs',
    summary: 'Submit a protocol run',
    description:
      'One execution of a protocol. `parameters` supplies at least every dynamic (`svc_dynamic`) parameter. Answered when the run is stored.',
    parameters: [dryRunParameter],
    body: { schema: ref('ProtocolRunSubmission'), required: true, examples: examples.protocolRunSubmissions },
    further: triedOut('ProtocolRunSubmission', Object.values(examples.protocolRunSubmissions)[0]?.value),
    success: {
      status: 201,
      description: 'Accepted.',
      content: json(ref('ProtocolRunRecord')),
      location: true,
    },
    problems: [...submitting, 'unknown_protocol'],
  },
  'GET /api/protocols': {
    tag: 'Protocol runs',
    summary: 'List protocol runs',
    parameters: listParameters('protocol_runs'),
    success: { status: 200, description: 'Without their tasks.', content: pageOf('ProtocolRunSummary') },
    problems: listing,
  },
  'GET /api/protocols/{protocol_run_name}': {
    tag: 'Protocol runs',
    summary: 'Read a protocol run',
    parameters: [runName],
    success: { status: 200, description: 'The run and its tasks.', content: json(ref('ProtocolRunRecord')) },
    problems: reading,
  },
  'POST /api/protocols/{protocol_run_name}/cancel': {
    tag: 'Protocol runs',
    summary: 'Cancel a protocol run',
    description:
      'Its running tasks are stopped before their devices go to other work. The answer comes when the cancel is decided; the state follows.',
    parameters: [runName],
    success: { status: 202, description: 'It will end.', content: json(ref('ProtocolRunRecord')) },
    problems: ofRecord,
  },
  'POST /api/campaigns': {
    tag: 'Campaigns',
    summary: 'Submit a campaign',
    description:
      'One protocol many times. Without optimizer: `global_parameters`, `protocol_run_parameters` (exactly `max_protocol_runs` entries), or both. With `optimize` the optimizer of the protocol is made before the answer, and proposes its inputs run by run.',
    parameters: [dryRunParameter],
    body: { schema: ref('CampaignSubmission'), required: true, examples: examples.campaignSubmissions },
    further: triedOut('CampaignSubmission', Object.values(examples.campaignSubmissions)[0]?.value),
    success: { status: 201, description: 'Accepted.', content: json(ref('CampaignRecord')), location: true },
    problems: [...submitting, 'unknown_protocol', 'not_found', 'optimizer_error', 'optimizer_unavailable'],
  },
  'GET /api/campaigns': {
    tag: 'Campaigns',
    summary: 'List campaigns',
    parameters: listParameters('campaigns'),
    success: { status: 200, description: 'Without their runs.', content: pageOf('CampaignSummary') },
    problems: listing,
  },
  'GET /api/campaigns/{campaign_name}': {
    tag: 'Campaigns',
    summary: 'Read a campaign',
    parameters: [campaignName],
    success: {
      status: 200,
      description: 'The campaign. Its runs are a list of their own.',
      content: json(ref('CampaignRecord')),
    },
    problems: reading,
  },
  'GET /api/campaigns/{campaign_name}/runs': {
    tag: 'Campaigns',
    summary: 'List the protocol runs of a campaign',
    parameters: [campaignName, ...listParameters('campaign_runs')],
    success: {
      status: 200,
      description: 'In the order of their creation, without their tasks.',
      content: pageOf('ProtocolRunSummary'),
    },
    problems: reading,
  },
  'POST /api/campaigns/{campaign_name}/cancel': {
    tag: 'Campaigns',
    summary: 'Cancel a campaign',
    description: 'No further run is started, and its runs are cancelled.',
    parameters: [campaignName],
    success: { status: 202, description: 'It will end.', content: json(ref('CampaignRecord')) },
    problems: ofRecord,
  },
  'POST /api/tasks': {
    tag: 'Tasks',
    summary: 'Submit an on-demand task',
    description:
      'A single task outside any protocol run. It waits while its devices or resources are busy, at most `allocation_timeout` seconds.',
    parameters: [dryRunParameter],
    body: { schema: ref('TaskSubmission'), required: true, examples: examples.taskSubmissions },
    further: triedOut('TaskSubmission', Object.values(examples.taskSubmissions)[0]?.value),
    success: { status: 201, description: 'Accepted.', content: json(ref('TaskRunRecord')), location: true },
    problems: [...submitting, 'unknown_task_type'],
  },
  'GET /api/tasks': {
    tag: 'Tasks',
    summary: 'List tasks',
    description: 'On-demand tasks and tasks of protocol runs.',
    parameters: listParameters('tasks'),
    success: { status: 200, description: 'Newest first.', content: pageOf('TaskRunRecord') },
    problems: listing,
  },
  'GET /api/tasks/{task_name}': {
    tag: 'Tasks',
    summary: 'Read a task',
    parameters: [taskName, ofRun],
    success: { status: 200, description: 'The task.', content: json(ref('TaskRunRecord')) },
    problems: reading,
  },
  'GET /api/tasks/{task_name}/attempts': {
    tag: 'Tasks',
    summary: 'Read what became of a task, attempt by attempt',
    parameters: [taskName, ofRun, ...listParameters('task_attempts')],
    success: { status: 200, description: 'By number, from 1.', content: pageOf('AttemptRecord') },
    problems: reading,
  },
  'POST /api/tasks/{task_name}/cancel': {
    tag: 'Tasks',
    summary: 'Cancel a task',
    description:
      'A queued on-demand task is removed from the queue; a running one is stopped. Cancelling a task of a protocol run makes the run fail.',
    parameters: [taskName, ofRun],
    success: { status: 202, description: 'It will end.', content: json(ref('TaskRunRecord')) },
    problems: ofRecord,
  },
  'GET /api/devices': {
    tag: 'Devices',
    summary: 'List devices as they are now',
    parameters: listParameters('devices'),
    success: { status: 200, description: 'By laboratory and name.', content: pageOf('DeviceRecord') },
    problems: ['invalid', 'service_unavailable', 'disconnected', 'deadline_exceeded'],
  },
  'GET /api/agents': {
    tag: 'Devices',
    summary: 'List agents as they are now',
    description:
      'One for each computer of the loaded laboratories, and for each that ever registered: whether it is heard, what it runs, and why it is away.',
    parameters: listParameters('agents'),
    success: { status: 200, description: 'By computer.', content: pageOf('AgentRecord') },
    problems: ['invalid', 'service_unavailable', 'disconnected', 'deadline_exceeded'],
  },
  'GET /api/agents/{computer}': {
    tag: 'Devices',
    summary: 'Show the agent of a computer',
    parameters: [inPath('computer', 'Name of the computer.', 'bench_b')],
    success: {
      status: 200,
      description: 'The agent as it is now.',
      content: json(ref('AgentRecord'), examples.agent),
    },
    problems: ['not_found', 'invalid', 'service_unavailable', 'disconnected', 'deadline_exceeded'],
  },
  'GET /api/labs/{lab_id}/devices/{device_id}': {
    tag: 'Devices',
    summary: 'Show a device and what its functions do and take',
    parameters: [
      inPath('lab_id', 'Name of the laboratory.', 'color_lab'),
      inPath('device_id', 'Name of the device.', 'station_1'),
      inQuery('report', 'Whether to ask the device for its report as well.', {
        type: 'boolean',
        default: false,
      }),
    ],
    success: {
      status: 200,
      description: 'The device as it is now.',
      content: json(ref('DeviceDetail'), examples.deviceDetail),
    },
    problems: [
      'invalid',
      'unknown_lab',
      'unknown_device',
      'device_unavailable',
      'device_error',
      'agent_unreachable',
      'stale_message',
      'service_unavailable',
      'disconnected',
      'deadline_exceeded',
    ],
  },
  'POST /api/rpc/{lab_id}/{device_id}/{function_name}': {
    tag: 'Devices',
    summary: 'Call a function of a device',
    description:
      'Goes straight to the device, past validation, allocation and scheduling. The body maps parameter names to values and may be empty. With authentication on, a function that is no query is refused (`device_in_use`) while a task has the device, unless it is forced with a reason, and is called only once that is in the audit.',
    parameters: [
      inPath('lab_id', 'Name of the laboratory.', 'color_lab'),
      inPath('device_id', 'Name of the device.', 'station_1'),
      inPath('function_name', 'Name of a function that the device declares.', 'status'),
      inQuery('force', 'Call it although a task has the device.', { type: 'boolean', default: false }),
      inQuery('reason', 'Why, for the audit; needed to force.', { type: 'string', maxLength: 2_000 }),
    ],
    body: {
      schema: { type: 'object', additionalProperties: true },
      required: false,
      examples: examples.rpcParameters,
    },
    success: {
      status: 200,
      description: 'What the function returned; null when it returned nothing.',
      content: json({}, null),
    },
    problems: [
      'malformed_json',
      'payload_too_large',
      'unsupported_media_type',
      'invalid',
      'unknown_lab',
      'unknown_device',
      'unknown_function',
      'device_in_use',
      'store_unavailable',
      'device_error',
      'device_unavailable',
      'agent_unreachable',
      'stale_message',
      'late_message',
      'aborted',
      'deadline_exceeded',
      'disconnected',
      'service_unavailable',
    ],
  },
  ...archiveOperations,
  ...fileOperations,
  ...csvOperations,
  ...definitionOperations,
  ...accessOperations,
  ...eventOperations,
  ...logOperations,
  ...webhookOperations,
  ...operatingOperations,
  ...recordOperations,
  ...optimizerOperations,
  ...simulationOperations,
  ...writeOperations,
  ...serviceOperations,
};

/** Every operation by method and path, as OpenAPI writes it. */
export const operations: Record<string, OperationObject> = Object.fromEntries(
  Object.entries(descriptions).map(([key, description]) => [key, operation(key, description)]),
);

for (const key of notReadyReport.keys) {
  const unavailable = operations[key]?.responses['503'];
  if (unavailable !== undefined && 'content' in unavailable)
    unavailable.content = { ...unavailable.content, ...notReadyReport.content };
}

function operation(key: string, given: Description): OperationObject {
  const { status, description, content, location, headers } = given.success;
  const acts = !key.startsWith('GET ');
  return {
    operationId: operationId(key),
    tags: [given.tag],
    summary: given.summary,
    ...(given.description === undefined ? {} : { description: given.description }),
    parameters: [...(given.parameters ?? []), ...(acts ? [idempotencyKey] : [])],
    ...(given.body === undefined
      ? {}
      : {
          requestBody: {
            required: given.body.required,
            content: {
              [given.body.mediaType ?? 'application/json']: {
                schema: given.body.schema,
                ...(given.body.examples === undefined ? {} : { examples: given.body.examples }),
              },
            },
          },
        }),
    responses: {
      [String(status)]: {
        description,
        ...(content === undefined ? {} : { content }),
        ...(location === true
          ? { headers: { Location: { description: 'Path of the record.', schema: { type: 'string' } } } }
          : {}),
        ...(headers === undefined ? {} : { headers }),
      },
      ...given.further,
      ...problemResponses([
        ...new Set([...given.problems, ...always, ...withBody(key, given), ...(acts ? repeated : [])]),
      ]),
    },
  } as OperationObject;
}

/** `POST /api/protocols/{name}/cancel` gives `post_protocols_cancel`. */
function operationId(key: string): string {
  const [method = '', path = ''] = key.split(' ');
  const words = path.split('/').filter((word) => word !== '' && word !== 'api');
  const named = words.map((word) => (word.startsWith('{') ? `by_${word.slice(1, -1)}` : word));
  return [method.toLowerCase(), ...named].join('_');
}

function problemResponses(codes: ErrorCode[]): Record<string, object> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = errorCatalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      String(status),
      {
        description: of.map((code) => `\`${code}\`: ${errorCatalogue[code].title}.`).join(' '),
        ...(of.some((code) => errorCatalogue[code].retryable) ? { headers: retryAfter } : {}),
        content: {
          [problemMediaType]: {
            schema: ref('Problem'),
            examples: Object.fromEntries(of.map((code) => [code, { value: examples.problem(code) }])),
          },
        },
      },
    ]),
  );
}
