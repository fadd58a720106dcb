import type { ErrorCode } from '@lab/contracts';
import * as examples from './examples.js';
import { ofRecord } from './operating-operations.js';
import { inPath, json, listParameters, pageOf, ref, type Description } from './description.js';

const listing: ErrorCode[] = ['invalid', 'store_unavailable'];
const reading: ErrorCode[] = ['not_found', ...listing];
const byId = (what: string): object => inPath('id', `Id of the ${what}.`, examples.attempt.id);
const resourceName = inPath('resource_name', 'Name of the resource.', 'beaker_1');

/** Operations that read records across all work, by method and path. */
export const recordOperations: Record<string, Description> = {
  'GET /api/task-runs/{id}': {
    tag: 'Tasks',
    summary: 'Read a task by its id',
    description: 'An id names one task for ever; the name of an on-demand task may be used again.',
    parameters: [byId('task run')],
    success: { status: 200, description: 'The task.', content: json(ref('TaskRunRecord')) },
    problems: reading,
  },
  'GET /api/attempts': {
    tag: 'Tasks',
    summary: 'List attempts at tasks',
    parameters: listParameters('attempts'),
    success: { status: 200, description: 'Newest first.', content: pageOf('AttemptRecord') },
    problems: listing,
  },
  'GET /api/attempts/{id}': {
    tag: 'Tasks',
    summary: 'Read an attempt',
    parameters: [byId('attempt')],
    success: {
      status: 200,
      description: 'The attempt.',
      content: json(ref('AttemptRecord'), examples.attempt),
    },
    problems: reading,
  },
  'GET /api/files': {
    tag: 'Tasks',
    summary: 'List the files that tasks produced',
    description: 'Of the latest attempt of each task.',
    parameters: listParameters('files'),
    success: {
      status: 200,
      description: 'Those of the newest tasks first.',
      content: pageOf('TaskFileRecord'),
    },
    problems: listing,
  },
  'GET /api/resources': {
    tag: 'Resources',
    summary: 'List resources',
    parameters: listParameters('resources'),
    success: { status: 200, description: 'By name.', content: pageOf('ResourceRecord') },
    problems: listing,
  },
  'GET /api/resources/{resource_name}': {
    tag: 'Resources',
    summary: 'Read a resource',
    parameters: [resourceName],
    success: {
      status: 200,
      description: 'What it is, and who has it.',
      content: json(ref('ResourceRecord')),
    },
    problems: reading,
  },
  'GET /api/resources/{resource_name}/history': {
    tag: 'Resources',
    summary: 'List which tasks had a resource and how they left it, and when its data was put back',
    parameters: [resourceName, ...listParameters('resource_uses')],
    success: { status: 200, description: 'The latest use first.', content: pageOf('ResourceUse') },
    problems: reading,
  },
  'POST /api/resources/{resource_name}/reset': {
    tag: 'Resources',
    summary: 'Put the data of a resource back to what its lab file says',
    description:
      'Refused while a task or a protocol run has it, which is named; `force` with a reason does it all the same. What a task that has it says of it at its end goes over the reset.',
    parameters: [resourceName],
    body: {
      schema: ref('ResourceReset'),
      required: false,
      examples: { washed: { summary: 'Washed by hand', value: { reason: 'washed by hand', by: 'ada' } } },
    },
    success: { status: 200, description: 'It is put back.', content: json(ref('ResourceRecord')) },
    problems: ofRecord,
  },
  'GET /api/audit': {
    tag: 'Operating',
    summary: 'List what people did',
    parameters: listParameters('audit'),
    success: { status: 200, description: 'Newest first.', content: pageOf('AuditRecord') },
    problems: listing,
  },
  'GET /api/audit/{id}': {
    tag: 'Operating',
    summary: 'Read an entry of the audit',
    parameters: [byId('entry')],
    success: { status: 200, description: 'The entry.', content: json(ref('AuditRecord')) },
    problems: reading,
  },
};
