import type { ErrorCode, LogLine } from '@lab/contracts';
import {
  filterParameters,
  inPath,
  inQuery,
  listParameters,
  pageOf,
  type Description,
} from './description.js';
import { lastEventId } from './event-operations.js';

const listing: ErrorCode[] = ['invalid', 'store_unavailable'];
const ofRecord: ErrorCode[] = ['not_found', ...listing];
const following: ErrorCode[] = ['events_pruned', 'service_unavailable'];
const newestFirst = 'In the order in which they were stored, the latest first.';
const kept =
  'A line is stored within a second after it was written. Lines are kept as long as `logs` of the configuration says.';

const stays =
  'Server-sent events of the type `line`, each with a `LogLine` as data, from now on or from behind an id, for as long as the client stays: also when what wrote the lines has ended. Heartbeats, `event: gap`, and how to go on after a break are those of `GET /api/events`, and the number of streams is that of both together.';
/** A line that a task wrote, as it is told. */
const dispensed: LogLine = {
  id: 5120,
  at: '2026-11-20T09:30:00.000Z',
  level: 'info',
  source: 'task',
  computer: 'svc_computer',
  lab: null,
  device: null,
  task_run_id: '0190c0de-0000-7000-8000-000000000001',
  task: 'mix_colors',
  protocol_run: 'mix_1',
  campaign: null,
  attempt_id: '0190c0de-0000-7000-8000-000000000004',
  attempt: 1,
  message: 'dispensing 3.2 mL',
};
const stream: Description['success'] = {
  status: 200,
  description: 'The lines, as they come.',
  content: {
    'text/event-stream': {
      schema: { type: 'string' },
      example: `id: ${dispensed.id}\nevent: line\ndata: ${JSON.stringify(dispensed)}\n\n`,
    },
  },
};
/** The parameters of a stream. @param fixed filters that the address gives instead */
const streamParameters = (fixed: readonly string[] = []): object[] => [
  inQuery('after', 'Id of the line behind which to begin; 0: at the oldest. Left out: from now on.', {
    type: 'integer',
    minimum: 0,
  }),
  lastEventId,
  ...filterParameters('logs', fixed),
];
const taskPlace = [
  inPath('task_name', 'Name of the task.', 'mix_colors'),
  inQuery('protocol_run_name', 'Name of the protocol run of a task inside one.', { type: 'string' }),
];
const runPlace = [inPath('protocol_run_name', 'Name of the protocol run.', 'mix_1')];
const devicePlace = [
  inPath('lab_id', 'Name of the laboratory.', 'color_lab'),
  inPath('device_id', 'Name of the device.', 'color_mixer'),
];

/** Operations by which lines of tasks and devices are read, by method and path. */
export const logOperations: Record<string, Description> = {
  'GET /api/logs': {
    tag: 'Logs',
    summary: 'List what tasks and devices wrote',
    description: kept,
    parameters: listParameters('logs'),
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: listing,
  },
  'GET /api/tasks/{task_name}/logs': {
    tag: 'Logs',
    summary: 'List what a task wrote',
    description: 'In all its attempts.',
    parameters: [...taskPlace, ...listParameters('logs', ['task_run'])],
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: ofRecord,
  },
  'GET /api/protocols/{protocol_run_name}/logs': {
    tag: 'Logs',
    summary: 'List what the tasks of a protocol run wrote',
    parameters: [...runPlace, ...listParameters('logs', ['protocol_run'])],
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: ofRecord,
  },
  'GET /api/labs/{lab_id}/devices/{device_id}/logs': {
    tag: 'Logs',
    summary: 'List what a device wrote',
    description: 'Also one that is not loaded any more.',
    parameters: [...devicePlace, ...listParameters('logs', ['lab', 'device'])],
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: ofRecord,
  },
  'GET /api/logs/stream': {
    tag: 'Logs',
    summary: 'Follow what tasks and devices write',
    description: stays,
    parameters: streamParameters(),
    success: stream,
    problems: [...listing, ...following],
  },
  'GET /api/tasks/{task_name}/logs/stream': {
    tag: 'Logs',
    summary: 'Follow what a task writes',
    description: `In all its attempts. ${stays}`,
    parameters: [...taskPlace, ...streamParameters(['task_run'])],
    success: stream,
    problems: [...ofRecord, ...following],
  },
  'GET /api/protocols/{protocol_run_name}/logs/stream': {
    tag: 'Logs',
    summary: 'Follow what the tasks of a protocol run write',
    description: stays,
    parameters: [...runPlace, ...streamParameters(['protocol_run'])],
    success: stream,
    problems: [...ofRecord, ...following],
  },
  'GET /api/labs/{lab_id}/devices/{device_id}/logs/stream': {
    tag: 'Logs',
    summary: 'Follow what a device writes',
    description: stays,
    parameters: [...devicePlace, ...streamParameters(['lab', 'device'])],
    success: stream,
    problems: [...ofRecord, ...following],
  },
};
