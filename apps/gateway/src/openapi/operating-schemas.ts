import {
  attemptStates,
  attentionActions,
  attentionKinds,
  attentionStates,
  type AttemptCalls,
  type AttemptRecord,
  type AttentionRecord,
  type DeviceReference,
  type EmergencyStopRecord,
  type JsonObject,
  type QueueRecord,
  type Reason,
} from '@lab/contracts';
import {
  choice,
  flag,
  free,
  integer,
  list,
  map,
  named,
  object,
  orNull,
  text,
  time,
  type SchemaObject,
} from './schema-of.js';

const reason = named<Reason>('Reason');
const device = text('`<lab>.<device>`.', 'color_lab.station_1');
const call = orNull(
  object<NonNullable<AttemptCalls['in_doubt']>>({
    device,
    function: text('Function of the device.', 'mix'),
    call_id: text('Unique identifier of the call.'),
  }),
);

/** Schemas of what people settle, stop and pause, by name; each is held to its interface by the compiler. */
export const operatingSchemas: Record<string, SchemaObject> = {
  AttemptRecord: object<AttemptRecord>(
    {
      id: text('Unique identifier of the attempt.'),
      task_run_id: text('Id of the task run.'),
      task: text('Name of the task.', 'mix_colors'),
      protocol_run: orNull(text('Protocol run it belongs to; null for an on-demand task.', 'mix_1')),
      number: integer('From 1 within the task.', 1),
      state: choice(attemptStates),
      reason: orNull(reason),
      computer: text('Computer it was sent to.', 'svc_computer'),
      devices: map(named<DeviceReference>('DeviceReference'), 'Device handle to the device it had.'),
      calls: orNull(
        object<AttemptCalls>(
          {
            effects: integer('Calls of kind `effect` that began.', 2),
            last_confirmed: call,
            in_doubt: call,
          },
          { description: 'What it did to devices, as its agent said at the end; null: not known.' },
        ),
      ),
      deadline_at: orNull(time('When it is stopped and has failed, if it still runs; null: no limit.')),
      created_at: time('When it was decided.'),
      ended_at: orNull(time('When it ended.')),
    },
    { description: 'One execution of a task.' },
  ).schema,
  AttentionRecord: object<AttentionRecord>(
    {
      id: text('Unique identifier.'),
      kind: choice(attentionKinds),
      state: choice(attentionStates),
      subject: text(
        '`<protocol run>/<task>` or an on-demand task, `<lab>.<device>`, or a computer.',
        'mix_1/mix_colors',
      ),
      reason,
      actions: list(choice(attentionActions), 'What may be decided; empty once it is resolved.'),
      protocol_run: orNull(text('Of a task of a protocol run.', 'mix_1')),
      task: orNull(text('Of a task.', 'mix_colors')),
      attempt: orNull(integer('Number of the attempt in question.', 1)),
      device: orNull(device),
      computer: orNull(text('Of an agent or a device.', 'bench_b')),
      known: free<JsonObject>(
        'What is known: devices, resources, the last confirmed call, calls in doubt, running tasks.',
      ),
      opened_at: time('Since when it is open.'),
      resolved_at: orNull(time('When it was settled.')),
      resolution: orNull(
        object<NonNullable<AttentionRecord['resolution']>>({
          action: orNull(choice(attentionActions, 'Null: nobody had to decide any more.')),
          by: text('Who decided; `service` when the question went away by itself.', 'ada'),
          note: orNull(text('Why.')),
        }),
      ),
    },
    { description: 'Something that only a person can settle.' },
  ).schema,
  EmergencyStopRecord: object<EmergencyStopRecord>(
    {
      id: text('Unique identifier.'),
      scope: text('`all`, `lab:<lab>` or `device:<lab>.<device>`.', 'lab:color_lab'),
      reason: text('Why.', 'spill on the bench'),
      by: text('Who stopped it.', 'ada'),
      engaged_at: time('When it was recorded.'),
      released_at: orNull(time('When it was released; null while it is in force.')),
      released_by: orNull(text('Who released it.')),
    },
    { description: 'An emergency stop.' },
  ).schema,
  QueueRecord: object<QueueRecord>({
    paused: flag('True: nothing starts until the queue is resumed.'),
    paused_by: orNull(text('Who paused it.', 'ada')),
    paused_at: orNull(time('When it was paused.')),
    queued: integer('Task runs that wait to start.', 3),
    running: integer('Task runs that run.', 2),
  }).schema,
};
