import { logLevels, logSources, type ErrorCode, type LogLine } from '@lab/contracts';
import { inPath, inQuery, listParameters, pageOf, type Description } from './description.js';
import { choice, integer, object, orNull, text, time, type SchemaObject } from './schema-of.js';

const listing: ErrorCode[] = ['invalid', 'store_unavailable'];
const ofRecord: ErrorCode[] = ['not_found', ...listing];
const newestFirst = 'In the order in which they were stored, the latest first.';
const kept =
  'A line is stored within a second after it was written. Lines are kept as long as `logs` of the configuration says.';

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
    parameters: [
      inPath('task_name', 'Name of the task.', 'mix_colors'),
      inQuery('protocol_run_name', 'Name of the protocol run of a task inside one.', { type: 'string' }),
      ...listParameters('logs', ['task_run']),
    ],
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: ofRecord,
  },
  'GET /api/protocols/{protocol_run_name}/logs': {
    tag: 'Logs',
    summary: 'List what the tasks of a protocol run wrote',
    parameters: [
      inPath('protocol_run_name', 'Name of the protocol run.', 'mix_1'),
      ...listParameters('logs', ['protocol_run']),
    ],
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: ofRecord,
  },
  'GET /api/labs/{lab_id}/devices/{device_id}/logs': {
    tag: 'Logs',
    summary: 'List what a device wrote',
    description: 'Also one that is not loaded any more.',
    parameters: [
      inPath('lab_id', 'Name of the laboratory.', 'color_lab'),
      inPath('device_id', 'Name of the device.', 'color_mixer'),
      ...listParameters('logs', ['lab', 'device']),
    ],
    success: { status: 200, description: newestFirst, content: pageOf('LogLine') },
    problems: ofRecord,
  },
};

/** Schemas of lines, by name. */
export const logSchemas: Record<string, SchemaObject> = {
  LogLine: object<LogLine>(
    {
      id: integer('Rises with every line, in the order in which they were stored; not without gaps.', 5120),
      at: time('When it was written, by the clock of its computer.'),
      level: choice(logLevels, 'How much it matters.'),
      source: choice(
        logSources,
        'Whose words it has: of the code of a task or of a device; or of the service, about lines that had to be dropped.',
      ),
      computer: text('Where it was written.', 'svc_computer'),
      lab: orNull(text('Laboratory of the device that wrote it.')),
      device: orNull(text('Name of the device that wrote it.')),
      task_run_id: orNull(text('Id of the task run that wrote it.')),
      task: orNull(text('Name of the task that wrote it.', 'mix_colors')),
      protocol_run: orNull(text('The protocol run of that task.', 'mix_1')),
      campaign: orNull(text('The campaign of that run.')),
      attempt_id: orNull(text('Id of the attempt that wrote it.')),
      attempt: orNull(integer('Number of that attempt.', 1)),
      message: text('What was written; at most 8 KiB, the rest is cut.', 'dispensing 3.2 mL'),
    },
    { description: 'A line that the code of a task or of a device wrote.' },
  ).schema,
};
