import {
  deviceStates,
  errorCatalogue,
  runFailureActions,
  runStates,
  taskRunStates,
  type AuditRecord,
  type CampaignRecord,
  type CampaignSummary,
  type DeviceDetail,
  type DeviceDoubt,
  type DeviceFunctionRecord,
  type DeviceRecord,
  type DeviceReference,
  type ErrorCode,
  type FileRecord,
  type InputFileRecord,
  type FunctionParameter,
  type JsonObject,
  type KeptOptimizer,
  type ProtocolRunRecord,
  type ProtocolRunSummary,
  type Reason,
  type ResourceRecord,
  type ResourceUse,
  type ResourceValue,
  type TaskFailurePolicy,
  type TaskFileRecord,
  type TaskParameters,
  type TaskRunRecord,
} from '@lab/contracts';
import type { ProblemDocument } from '../http/index.js';
import {
  choice,
  flag,
  free,
  integer,
  list,
  map,
  named,
  number,
  object,
  orNull,
  text,
  time,
  type SchemaObject,
  type SchemaOf,
} from './schema-of.js';

const reason = named<Reason>('Reason');
const deviceReference = named<DeviceReference>('DeviceReference');
const resource = named<ResourceValue>('ResourceValue');
const taskParameters = map(
  free<JsonObject>(),
  'Task name to parameter name to value.',
) as SchemaOf<TaskParameters>;
const priority = integer('Higher goes first when work contends.', 0);
const owner = text('Label of who the work belongs to.', 'ada');
const meta = free<JsonObject>('Free object kept with the record.');
const id = text('Unique identifier of the record.');

const life = {
  cancel_requested_at: orNull(time('Set when a cancel was asked for and the work has not stopped yet.')),
  created_at: time('When it was accepted.'),
  started_at: orNull(time('When the first work of it began.')),
  ended_at: orNull(time('When it reached its last state.')),
  archived_at: orNull(time('Since when it, or what it belongs to, is archived; null: it is not.')),
};

const failurePolicy = map(
  named<TaskFailurePolicy>('TaskFailurePolicy'),
  'Task name to what the submission says about its failures, over what the protocol says.',
);
const estimatedCompletion = orNull(time('When it is expected to be over; null: not known, or it is over.'));
const pausedAt = orNull(time('Since when it is paused; null: it is not.'));

const taskRun = object<TaskRunRecord>({
  id,
  name: text('Name in the protocol, or of the on-demand task.', 'mix_colors'),
  type: text('Task type.', 'mix_colors'),
  protocol_run: orNull(text('Protocol run it belongs to; null for an on-demand task.', 'mix_1')),
  owner,
  priority,
  state: choice(taskRunStates),
  reason: orNull(reason),
  devices: map(deviceReference, 'Device handle to the device it got.'),
  input_parameters: free<JsonObject>('Parameter name to value.'),
  input_resources: map(resource, 'Resource handle to the resource as the task got it.'),
  input_files: map(
    named<InputFileRecord>('InputFileRecord'),
    'File handle to the file of another task that it got; of a task of a run, once it has started.',
  ),
  output_parameters: orNull(free<JsonObject>('Parameter name to value; null until it completed.')),
  output_resources: orNull(map(resource, 'Resource handle to the resource as the task left it.')),
  output_files: list(named<FileRecord>('FileRecord'), 'Files it produced.'),
  attempt: integer('Number of the latest attempt, from 1; 0 before the first.', 1),
  failures: integer('Attempts that began and failed since it was last queued by its run or a person.', 0),
  retry_at: orNull(time('Of a task that waits after a failure: not started again before this moment.')),
  late_by_s: orNull(
    number(
      'Seconds that it started later than `max_lag` after its dependencies; null: in time, or no such lag.',
      2.5,
    ),
  ),
  computer: orNull(text('Computer that the latest attempt ran on.', 'svc_computer')),
  definition_hash: text('Content hash of the definitions it was accepted with.'),
  code_hash: orNull(text('Content hash of the code it runs.')),
  allocation_timeout: orNull(number('Seconds within which an on-demand task must start.', 600)),
  failure_policy: named<TaskFailurePolicy>('TaskFailurePolicy'),
  meta,
  queued_at: orNull(time('When all that it depends on was done.')),
  ...life,
});

const protocolRunFields = {
  id,
  name: text('Unique name.', 'mix_1'),
  type: text('Protocol type.', 'color_mixing'),
  owner,
  priority,
  campaign: orNull(text('Campaign it belongs to, if any.', 'sweep')),
  parameters: taskParameters,
  failure_policy: failurePolicy,
  meta,
  state: choice(runStates),
  reason: orNull(reason),
  paused_at: pausedAt,
  definition_hash: text('Content hash of the definitions it was accepted with.'),
  ...life,
  estimated_completion: estimatedCompletion,
};

const campaignFields = {
  id,
  name: text('Unique name.', 'sweep'),
  protocol: text('Protocol type.', 'color_mixing'),
  owner,
  priority,
  state: choice(runStates),
  reason: orNull(reason),
  paused_at: pausedAt,
  max_protocol_runs: integer('Number of protocol runs; 0: no limit.', 12),
  max_concurrent_protocol_runs: integer('Cap on simultaneous protocol runs.', 3),
  optimize: flag('Whether an optimizer proposes parameters.'),
  optimizer_ip: text('Computer of the optimizer.', '127.0.0.1'),
  optimizer: orNull(named<KeptOptimizer>('KeptOptimizer')),
  global_parameters: taskParameters,
  failure_policy: failurePolicy,
  on_run_failure: choice(runFailureActions, 'What is done when a run has failed.'),
  max_failures: orNull(integer('More failed runs than this fail the campaign; null: no limit.', 3)),
  meta,
  protocol_runs_started: integer('Protocol runs that have begun.', 7),
  protocol_runs_completed: integer('Protocol runs that have completed.', 4),
  protocol_runs_failed: integer('Protocol runs that have failed.', 0),
  definition_hash: text('Content hash of the definitions it was accepted with.'),
  ...life,
  estimated_completion: estimatedCompletion,
};

const functionParameters = map(
  free<FunctionParameter>(
    'As in `task.yml`: type, unit, desc, min, max, value, choices, element_type, length; `optional` besides.',
  ),
  'Parameters by name; a call is checked against them.',
);

const callId = text('Unique identifier of the call.');
const functionName = text('Function of the device.', 'mix');

const deviceFields = {
  lab_name: text('Laboratory.', 'color_lab'),
  name: text('Name within the laboratory.', 'station_1'),
  type: text('Device type.', 'color_station'),
  computer: text('Computer whose agent runs it.', 'svc_computer'),
  state: choice(deviceStates),
  detail: orNull(text('What is wrong, in words; null when nothing is.')),
  held_by: orNull(
    text('Task run that holds it: `<protocol run>/<task>`, or the on-demand task.', 'mix_1/mix_colors'),
  ),
  halted: orNull(text('Who stopped it and why; null when it is not stopped.')),
  doubt: orNull(
    object<DeviceDoubt>(
      {
        id: text('Names this doubt.'),
        in_doubt: list(
          object<DeviceDoubt['in_doubt'][number]>(
            { call_id: callId, function: functionName, attempt_id: text('Attempt that made the call.') },
            { optional: ['attempt_id'] },
          ),
          'Calls that began and have no known end, oldest first.',
        ),
        last_confirmed: orNull(
          object<NonNullable<DeviceDoubt['last_confirmed']>>({ call_id: callId, function: functionName }),
        ),
      },
      { description: 'What is known of an uncertain device; null when it is in no doubt.' },
    ),
  ),
};

const device = object<DeviceRecord>({
  ...deviceFields,
  functions: list(
    object<DeviceRecord['functions'][number]>(
      {
        name: text('Name to call it by.', 'mix'),
        kind: choice(['effect', 'idempotent', 'query'] as const),
        timeout_s: number('Seconds that a call may take; absent: 60.', 900),
        description: text('What it does.', 'Doses the pastes and stirs'),
        parameters: functionParameters,
      },
      { optional: ['timeout_s', 'description', 'parameters'] },
    ),
    'What can be called by RPC.',
  ),
});

const deviceDetail = object<DeviceDetail>(
  {
    ...deviceFields,
    functions: list(
      object<DeviceFunctionRecord>({
        name: text('Name to call it by.', 'mix'),
        kind: choice(['effect', 'idempotent', 'query'] as const),
        timeout_s: number('Seconds that a call may take.', 900),
        description: orNull(text('What it does; null when it does not say.')),
        parameters: orNull(functionParameters),
      }),
      'What can be called by RPC; `parameters` is null where none are declared, and then nothing is checked.',
    ),
    report: free('What `_report` of the device returns; there when it was asked for.'),
  },
  { optional: ['report'] },
);

const problem = object<ProblemDocument>(
  {
    type: text('Identifies the kind of problem.', 'urn:svc:error:invalid'),
    title: text('The kind of problem, in words.'),
    status: integer('HTTP status.', 422),
    detail: text('What is wrong with this request.'),
    code: choice(Object.keys(errorCatalogue) as ErrorCode[], 'Stable identifier of the kind of problem.'),
    effect: choice(
      ['none', 'maybe', 'done'] as const,
      'What is known of the physical effect of the request.',
    ),
    errors: list(
      object<NonNullable<ProblemDocument['errors']>[number]>(
        {
          path: text('Where: a path inside the body, or `?name` in the query.', 'parameters.mix_colors'),
          code: text('Rule that is broken.', 'unknown_field'),
          message: text('What is wrong.'),
          hint: text('What would be right.'),
          file: text('Definition file, relative to the user directory.', 'demo/tasks/mix/task.yml'),
          line: integer('In that file, from 1.', 12),
          column: integer('In that line, from 1.', 3),
        },
        { optional: ['hint', 'file', 'line', 'column'] },
      ),
    ),
    author_stack: text('Stack of the package code that failed, with paths inside the package only.'),
    instance: text('Path of the request.', '/api/protocols'),
  },
  { optional: ['effect', 'errors', 'author_stack', 'instance'], description: 'RFC 9457 problem details.' },
);

const file = {
  name: text('Name that the task gave it.', 'image.png'),
  size: integer('Bytes.', 1024),
  sha256: text('SHA-256, hexadecimal.'),
  media_type: text('What the ending of its name stands for.', 'image/png'),
};

const resourceFields = {
  name: text('Name.', 'beaker_1'),
  type: text('Resource type.', 'beaker'),
  meta: free<JsonObject>('Metadata, for example capacity.'),
};

/** Schemas of everything that is answered, by name; each is held to its interface by the compiler. */
export const recordSchemas: Record<string, SchemaObject> = {
  Reason: object<Reason>(
    {
      code: text('Stable identifier.', 'task_failed'),
      message: text('In words.'),
      stack: text("Stack of the author's code, with paths inside the package only."),
    },
    { optional: ['stack'], description: 'Why a record is in the state it is in.' },
  ).schema,
  FileRecord: object<FileRecord>(file).schema,
  InputFileRecord: object<InputFileRecord>({
    id: text(
      '`<task run>/<attempt>/<file name>`, with the id of the task run that produced it.',
      '0190c0de-0000-7000-8000-000000000001/1/image.png',
    ),
    ...file,
  }).schema,
  ResourceValue: object<ResourceValue>(resourceFields).schema,
  TaskRunRecord: taskRun.schema,
  ProtocolRunSummary: object<ProtocolRunSummary>(protocolRunFields).schema,
  ProtocolRunRecord: object<ProtocolRunRecord>({
    ...protocolRunFields,
    tasks: list(named<TaskRunRecord>('TaskRunRecord'), 'In the order of the protocol.'),
  }).schema,
  CampaignSummary: object<CampaignSummary>(campaignFields).schema,
  CampaignRecord: object<CampaignRecord>({
    ...campaignFields,
    protocol_run_parameters: orNull(list(taskParameters, 'Parameters run by run.')),
  }).schema,
  TaskFileRecord: object<TaskFileRecord>({
    ...file,
    task_run_id: text('Id of the task run that produced it.'),
    task: text('Name of the task.', 'score_color'),
    type: text('Task type.', 'score_color'),
    protocol_run: orNull(text('Protocol run of the task; null for an on-demand task.', 'mix_1')),
    campaign: orNull(text('Campaign of the protocol run, if any.', 'sweep')),
    owner,
    attempt: integer('Number of the attempt that produced it.', 1),
    created_at: time('When its task was created.'),
  }).schema,
  ResourceRecord: object<ResourceRecord>({
    ...resourceFields,
    lab: text('Laboratory.', 'color_lab'),
    used_by: orNull(
      text('Task that uses it: `<protocol run>/<task>`, or an on-demand task.', 'mix_1/mix_colors'),
    ),
    held_by: orNull(text('Protocol run that keeps it between its tasks.', 'mix_1')),
    since: orNull(time('Since when that task or run has it; null: it is free.')),
  }).schema,
  ResourceUse: object<ResourceUse>(
    {
      kind: choice(['task', 'reset'] as const, 'A task had it, or a person put its data back.'),
      task_run_id: orNull(text('Id of the task run; null of a reset, as all that follows up to `slot`.')),
      task: orNull(text('Name of the task.', 'mix_colors')),
      type: orNull(text('Task type.', 'mix_colors')),
      protocol_run: orNull(text('Protocol run of the task; null for an on-demand task.', 'mix_1')),
      campaign: orNull(text('Campaign of the protocol run, if any.', 'sweep')),
      state: orNull(choice(taskRunStates)),
      slot: orNull(text('The slot of the task that it filled.', 'beaker')),
      taken: free<JsonObject>('Metadata as the task got it, or before the reset.'),
      left: orNull(free<JsonObject>('Metadata as left; null: the task has not completed.')),
      by: orNull(text('Who reset it; null of a task.', 'ada')),
      reason: orNull(text('Why it was reset.', 'washed by hand')),
      started_at: time('When the task began, or the moment of the reset.'),
      ended_at: orNull(time('When the task ended, or the moment of the reset.')),
    },
    { description: 'What a task did with a resource, or that its data was put back.' },
  ).schema,
  AuditRecord: object<AuditRecord>(
    {
      id,
      seq: integer('From 1, without gaps.', 1),
      at: time('When it was done.'),
      by: text('Who did it.', 'ada'),
      kind: orNull(
        choice(
          ['local', 'token', 'oidc'] as const,
          'How they showed who they are; null: it did not come through the gateway.',
        ),
      ),
      action: text('What was done.', 'campaign.pause'),
      subject: text('What it was done to.', 'campaign/sweep'),
      detail: free<JsonObject>('What else is known of it.'),
      request_id: orNull(text('Under which the log has the request.')),
      ip: orNull(text('Address that the request came from.', '127.0.0.1')),
      hash: text('SHA-256 over the hash of the entry before and this one, hexadecimal.'),
    },
    { description: 'An act of a person, kept for ever.' },
  ).schema,
  DeviceRecord: device.schema,
  DeviceDetail: deviceDetail.schema,
  Problem: problem.schema,
};
