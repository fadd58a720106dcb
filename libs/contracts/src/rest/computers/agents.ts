import { agentStates, deviceStates, type AgentState } from '../../states.js';
import {
  Described,
  Field,
  Optional,
  choice,
  flag,
  integer,
  list,
  number,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from '../fields/field.js';
import { by, line, moment } from '../fields/inputs.js';

/** An agent begins nothing unless it can write its ledger. */
const ledger = orNull(
  object(
    {
      writable: flag('False: the agent refuses tasks and effects.'),
      detail: orNull(text('What is wrong with the ledger.')),
    },
    'Whether the agent can write its ledger, which it must do before it acts; null: not known.',
  ),
);

const protocolRange = object(
  { min: integer('Oldest version.', 1), max: integer('Newest version.', 1) },
  'Versions of the protocol between agents and orchestrator that the latest process of the agent speaks; null: not known. Agents and orchestrator work together when they have a version in common.',
);

const agentDevice = object({
  lab: text('Name of the laboratory.', 'color_lab'),
  name: text('Name of the device.', 'station_1'),
  state: choice(deviceStates),
  detail: orNull(text('What is wrong.')),
});

export const computerDrain = object(
  {
    by: text('Person who drains the computer.', 'ada'),
    reason: text('Reason.', 'update of the agent'),
    since: time('When the drain began.'),
    until: orNull(time('When it ends by itself; null: when a person resumes the computer.')),
    drained: flag('True: no task runs on the computer, and none uses one of its devices.'),
    used_by: list(
      text('`<protocol run>/<task>` or an on-demand task.', 'mix_1/mix_colors'),
      'Tasks that run on the computer or use one of its devices. They continue to their end.',
    ),
    kept_by: list(
      text('Protocol run.', 'mix_2'),
      'Runs that keep a device of the computer between two tasks. A sample may be in it. Their next task waits for the end of the drain.',
    ),
  },
  'Who drains the computer and why; null: nobody does. No task starts on the devices of a drained computer.',
);
export type ComputerDrain = TypeOf<typeof computerDrain>;

/** Drains a computer (`POST /api/agents/{computer}/drain`). */
export class DrainSubmission {
  @Field(line([1, 2_000], 'Reason. The service shows it to everybody who waits.', 'update of the agent'))
  reason!: string;
  @Optional(moment('When the drain ends by itself. Default: when a person resumes the computer.'))
  until?: string;
  @Optional(by()) by?: string;
}

/**
 * What nobody knows is null: after a start of the orchestrator an agent is unknown until it registers. Times are ISO
 * 8601 in UTC.
 */
@Described('The agent of a computer, as the leading orchestrator knows it at this moment.')
export class AgentRecord {
  @Field(text('Name of the computer.', 'bench_b')) computer!: string;
  @Field(list(text('Name of a laboratory.', 'color_lab'), 'The loaded laboratories that have this computer.'))
  labs!: string[];
  @Field(
    choice(agentStates, 'State of the connection to the agent. An agent that was never heard is `offline`.'),
  )
  state!: AgentState;
  @Field(orNull(text('Why the agent is not online; null when it is.', 'it said that it leaves')))
  reason!: string | null;
  @Field(orNull(integer('Number of the latest process of the agent; null: it has never registered.', 3)))
  incarnation!: number | null;
  @Field(orNull(text('Version of the latest process of the agent; null: not known.', '0.1.0')))
  version!: string | null;
  @Field(orNull(protocolRange)) protocol!: TypeOf<typeof protocolRange> | null;
  /** Absent: an orchestrator of an earlier release. */
  @Optional(orNull(text('Operating system and processor of the computer; null: not known.', 'linux-x64')))
  platform?: string | null;
  @Field(
    orNull(text('Address of the computer in the lab file; null: no loaded laboratory has it.', '192.0.2.11')),
  )
  address!: string | null;
  @Field(
    orNull(
      time('When the agent was last heard; null: never since the present orchestrator became the leader.'),
    ),
  )
  last_heard_at!: string | null;
  /** Less the time that one message takes. */
  @Field(
    orNull(
      number(
        'Milliseconds by which the clock of the computer is ahead of the clock of the orchestrator; null: not known.',
        12,
      ),
    ),
  )
  clock_offset_ms!: number | null;
  @Field(ledger) ledger!: TypeOf<typeof ledger>;
  @Field(orNull(computerDrain)) drain!: ComputerDrain | null;
  @Field(list(agentDevice, 'Devices of loaded laboratories that the agent runs.'))
  devices!: TypeOf<typeof agentDevice>[];
  @Field(
    list(
      text('`<protocol run>/<task>` or an on-demand task.', 'mix_1/mix_colors'),
      'Tasks that run on the computer or are on their way to it.',
    ),
  )
  tasks!: string[];
}
