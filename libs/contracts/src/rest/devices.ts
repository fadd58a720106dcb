import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { functionParameter, type FunctionParameter } from '../messages/function-parameter.js';
import { deviceStates, type DeviceState } from '../states.js';
import {
  Field,
  Optional,
  choice,
  flag,
  free,
  list,
  map,
  number,
  object,
  optional,
  orNull,
  text,
  time,
  type TypeOf,
} from './fields/field.js';
import { by, line, moment } from './fields/inputs.js';
import { codeRuntime, type CodeRuntime } from './work/code-runtime.js';

/** `effect`: moves something. `idempotent`: may be repeated. `query`: only reads. */
export const functionKinds = ['effect', 'idempotent', 'query'] as const;
export type FunctionKind = (typeof functionKinds)[number];

const callId = text('Unique identifier of the call.');
const functionName = text('Function of the device.', 'mix');

/** What an agent knows of a device that may be in the middle of something. Who settles the doubt names its id. */
export const deviceDoubt = object(
  {
    id: text('Identifier of the doubt.'),
    in_doubt: list(
      object({
        call_id: callId,
        function: functionName,
        attempt_id: optional(text('Attempt that made the call.')),
        arguments: optional(free<JsonObject>('Arguments of the call. A secret one is masked.')),
        by: optional(text('Person who made the call.', 'ada')),
      }),
      'Calls that began and have no known end, oldest first.',
    ),
    last_confirmed: orNull(object({ call_id: callId, function: functionName })),
  },
  'What is known of an uncertain device; null when the device is in no doubt.',
);
export type DeviceDoubt = TypeOf<typeof deviceDoubt>;

export const deviceMotion = object(
  {
    call_id: callId,
    function: functionName,
    arguments: free<JsonObject>('Arguments of the call. A long value is cut, and a secret one is masked.'),
    since: time('When the call began.'),
    attempt_id: optional(text('Attempt that made the call; absent: a person made it.')),
  },
  'The call in progress that may move the device; null: none, as far as is known.',
);
export type DeviceMotion = TypeOf<typeof deviceMotion>;

export const lastKnown = object(
  {
    state: choice(deviceStates),
    at: time('When the agent was last heard.'),
  },
  'What the agent of an unreachable device said last; null when the device is reachable, or its agent was never heard.',
);
export type LastKnown = TypeOf<typeof lastKnown>;

export const deviceOutage = object(
  {
    by: text('Person who took the device out of service, or drains its computer.', 'ada'),
    reason: text('Reason.', 'the gripper is broken'),
    since: time('When the person took it out of service.'),
    until: orNull(time('When it comes back by itself; null: when a person puts it back into service.')),
  },
  'Who took the device out of service and why, or drains its computer; null when it is in service. No task starts on a device out of service.',
);
export type DeviceOutage = TypeOf<typeof deviceOutage>;

const functionParameters = map(
  free<FunctionParameter>(
    'As in `task.yml`: type, unit, desc, min, max, value, choices, element_type, length; in addition `optional`.',
    () => functionParameter as z.ZodType<FunctionParameter>,
  ),
  'Parameters by name. The agent checks the arguments of a call against them.',
);
const callName = text('Name of the function in calls.', 'mix');

/** A device as it is at this moment, without its functions. */
class DeviceFields {
  @Field(text('Laboratory.', 'color_lab')) lab_name!: string;
  @Field(text('Name within the laboratory.', 'station_1')) name!: string;
  @Field(text('Device type.', 'color_station')) type!: string;
  @Field(text('Computer whose agent runs the device.', 'svc_computer')) computer!: string;
  @Field(choice(deviceStates)) state!: DeviceState;
  @Field(orNull(text('What is wrong, in words; null when nothing is.'))) detail!: string | null;
  @Field(
    orNull(
      text(
        'Task run that holds the device: `<protocol run>/<task>`, or the on-demand task.',
        'mix_1/mix_colors',
      ),
    ),
  )
  held_by!: string | null;
  /** A stopped device takes no calls but queries until the emergency stop is released. */
  @Field(orNull(text('Who stopped the device and why; null when no emergency stop covers it.')))
  halted!: string | null;
  @Field(orNull(deviceOutage)) out_of_service!: DeviceOutage | null;
  @Field(orNull(deviceDoubt)) doubt!: DeviceDoubt | null;
  /** Of an unreachable device: the call that was in progress when its agent was last heard. */
  @Field(orNull(deviceMotion)) doing!: DeviceMotion | null;
  @Field(orNull(lastKnown)) last_known!: LastKnown | null;
  /** Of the present process of the device. */
  @Field(orNull(codeRuntime)) runtime!: CodeRuntime | null;
  /** Whether a person stands at a breakpoint is not known. */
  @Field(
    orNull(
      text(
        'Address on its computer at which a debugger may attach to the process of the device. Its time limits are suspended, and nobody knows whether it stands at a breakpoint. Null: none may attach, or not known.',
        '127.0.0.1:5678',
      ),
    ),
  )
  debugger!: string | null;
}

const deviceFunction = object({
  name: callName,
  kind: choice(functionKinds),
  timeout_s: optional(number('Seconds that a call may take; absent: 60.', 900)),
  description: optional(text('What the function does.', 'Doses the pastes and stirs')),
  parameters: optional(functionParameters),
  beside: optional(flag('True: a call runs at once, also beside an effect in progress.')),
  positional: optional(
    list(
      text('Name of a parameter.', 'volume'),
      'Parameters that a task may give without their names, in their order.',
    ),
  ),
});

/** A function without `parameters` declares none, so the arguments of a call are not checked. */
export class DeviceRecord extends DeviceFields {
  @Field(list(deviceFunction, 'Functions that can be called by RPC.'))
  functions!: TypeOf<typeof deviceFunction>[];
}

/** A function of a device, with every default filled in. */
const completeFunction = object({
  name: callName,
  kind: choice(functionKinds),
  timeout_s: number('Seconds that a call may take.', 900),
  description: orNull(text('What the function does; null when the device does not say.')),
  parameters: orNull(functionParameters),
});
export type DeviceFunctionRecord = TypeOf<typeof completeFunction>;

/** One device as it is at this moment, with its functions. */
export class DeviceDetail extends DeviceFields {
  @Field(
    list(
      completeFunction,
      'Functions that can be called by RPC. `parameters` is null where the device declares none; the arguments are not checked then.',
    ),
  )
  functions!: DeviceFunctionRecord[];
  @Optional(
    free<JsonObject>('What `_report` of the device returns. Present only if the request asks for it.'),
  )
  report?: JsonObject | undefined;
}

/** Takes a device out of service (`POST /api/labs/{lab_id}/devices/{device_id}/disable`). */
export class DeviceDisable {
  @Field(line([1, 2_000], 'Reason. The service shows it to everybody who waits.', 'the gripper is broken'))
  reason!: string;
  @Optional(moment('When the device comes back by itself. Default: when a person puts it back.'))
  until?: string;
  @Optional(by()) by?: string;
}

/** Restarts a device (`POST /api/labs/{lab_id}/devices/{device_id}/restart`). */
export class DeviceRestart {
  @Field(line([1, 2_000], 'Reason, for the audit.', 'the serial cable was loose')) reason!: string;
  @Optional(by()) by?: string;
}
