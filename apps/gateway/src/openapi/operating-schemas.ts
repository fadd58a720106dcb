import {
  agentStates,
  attemptStates,
  attentionActions,
  attentionKinds,
  attentionStates,
  deviceStates,
  type AgentRecord,
  type AttemptCalls,
  type AttemptRecord,
  type AttentionRecord,
  type DeviceReference,
  type EmergencyStopRecord,
  type JsonObject,
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
  number,
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
  AgentRecord: object<AgentRecord>(
    {
      computer: text('Name of the computer.', 'bench_b'),
      labs: list(
        text('Name of a laboratory.', 'color_lab'),
        'The loaded laboratories that have this computer.',
      ),
      state: choice(agentStates, 'Whether it is heard; `offline` also when it was never heard.'),
      reason: orNull(text('Why it is not online; null when it is.', 'it said that it leaves')),
      incarnation: orNull(integer('Number of its latest process; null: it has never registered.', 3)),
      version: orNull(text('Version of its latest process; null: not known.', '0.1.0')),
      address: orNull(text('As the lab file says; null: no loaded laboratory has it.', '192.0.2.11')),
      last_heard_at: orNull(
        time('When it was last heard; null: never since the present orchestrator leads.'),
      ),
      clock_offset_ms: orNull(
        number('How far its clock is ahead of that of the orchestrator; null: not known.', 12),
      ),
      ledger: orNull(
        object<NonNullable<AgentRecord['ledger']>>(
          {
            writable: flag('False: it refuses tasks and effects.'),
            detail: orNull(text('What is wrong with it.')),
          },
          { description: 'Whether it can write what it must write down before it acts; null: not known.' },
        ),
      ),
      devices: list(
        object<AgentRecord['devices'][number]>({
          lab: text('Name of the laboratory.', 'color_lab'),
          name: text('Name of the device.', 'station_1'),
          state: choice(deviceStates),
          detail: orNull(text('What is wrong.')),
        }),
        'Devices of loaded laboratories that it is to run.',
      ),
      tasks: list(
        text('`<protocol run>/<task>` or an on-demand task.', 'mix_1/mix_colors'),
        'What is on it.',
      ),
    },
    { description: 'The agent of a computer, as the leading orchestrator knows it at this moment.' },
  ).schema,
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
};
