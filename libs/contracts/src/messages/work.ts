import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.js';
import { deviceDoubt, functionKinds } from '../rest/devices.js';
import { zodOf } from '../rest/fields/field.js';
import { ResourceValue } from '../rest/resources.js';
import { codeRuntime, type CodeRuntime } from '../rest/work/code-runtime.js';
import { attemptCalls } from '../rest/work/tasks.js';
import { deviceStates } from '../states.js';
import { runtimes } from '../vocabulary.js';
import { instrumentFolder } from './device-files.js';
import { functionParameter } from './function-parameter.js';

/** Parts that messages of agents and orchestrator share: code, devices, attempts and their results. */

export const jsonValue: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;
export const jsonObject = z.record(z.string(), jsonValue);

/** An immutable code module of a package, named by the SHA-256 of its text. */
export const moduleReference = z.object({
  hash: z.string(),
  package: z.string(),
  /** Path of the source inside the package, for stacks and logs. */
  source: z.string(),
  /** What executes it; absent: node. */
  runtime: z.enum(runtimes).optional(),
  /** npm packages that its text imports and does not hold, as `name@version`, sorted; absent: none. */
  dependencies: z.array(z.string()).optional(),
  /** SHA-256 of the lock of the libraries that its text in Python needs, which the text names too; absent: none. */
  environment: z.string().optional(),
});
export type ModuleReference = z.infer<typeof moduleReference>;

/**
 * What executed a module, for provenance.
 *
 * @param version of Node or Python, as the process said; undefined: it did not say
 */
export function runtimeOf(
  {
    runtime = 'node',
    environment = null,
  }: Pick<ModuleReference, 'runtime'> & { environment?: string | null | undefined },
  version: string | undefined,
): CodeRuntime {
  return { name: runtime, version: version ?? null, environment };
}

/** Default time limit of a device function, in seconds. */
export const defaultDeviceTimeoutS = 60;

/** The longest time limit of a function, in seconds: a week. */
export const longestDeviceTimeoutS = 604_800;

/** A function that a device declares. */
export const deviceFunction = z.object({
  name: z.string(),
  kind: z.enum(functionKinds),
  /**
   * Seconds that a call may take from its begin; after that the agent ends the process of the device. Absent in a
   * message of a host: the setting of its agent. Absent in a message of an agent: {@link defaultDeviceTimeoutS}.
   */
  timeout_s: z.number().positive().max(longestDeviceTimeoutS).optional(),
  /** What it does, for people. */
  description: z.string().optional(),
  /** By name. Absent: not declared, so the agent does not check the arguments of a call. */
  parameters: z.record(z.string(), functionParameter).optional(),
  /** True: an idempotent function that runs at once, also beside a call in progress. Absent: it waits for its turn. */
  beside: z.boolean().optional(),
  /** Names of the parameters that a task may give without their names, in their order. Absent: it gives all by name. */
  positional: z.array(z.string()).optional(),
});
export type DeviceFunction = z.infer<typeof deviceFunction>;

/** What stands in place of a secret value. */
const mask = '***';

/**
 * The arguments of a call without the values of parameters that the function declares as secret.
 *
 * @param declared undefined: the function is not known, so any of its parameters may be secret
 */
export function maskedArguments(
  declared: Pick<DeviceFunction, 'parameters'> | undefined,
  values: JsonObject,
): JsonObject {
  const masked = ([name, value]: [string, JsonValue]): [string, JsonValue] => [
    name,
    declared === undefined || declared.parameters?.[name]?.secret === true ? mask : value,
  ];
  return Object.fromEntries(Object.entries(values).map(masked));
}

/** Milliseconds that a function may take, as its agent reports it; the default when that is not known. */
export function deviceTimeoutMs(declared: DeviceFunction | undefined): number {
  return (declared?.timeout_s ?? defaultDeviceTimeoutS) * 1_000;
}

/** Milliseconds for which a caller on another computer waits beyond the time limit of the function. */
export const deviceAnswerMs = 5_000;

/**
 * Milliseconds that a device call may be on its way to another computer. The agent does not make a call that was
 * delayed for longer, because its sender may have given up, died or been replaced.
 */
export const callFreshMs = 2_000;

/** A device that an agent runs. */
export const deviceAssignment = z.object({
  lab: z.string(),
  name: z.string(),
  type: z.string(),
  module: moduleReference,
  /** Init parameters of the device type with those of the lab over them. */
  init_parameters: jsonObject,
  /** The folder into which the instrument writes files; absent: it writes none that the service takes. */
  files: instrumentFolder.optional(),
});
export type DeviceAssignment = z.infer<typeof deviceAssignment>;

export const deviceStatus = z.object({
  lab: z.string(),
  name: z.string(),
  state: z.enum(deviceStates),
  detail: z.string().nullable(),
  functions: z.array(deviceFunction),
  /** Reason of the emergency stop that covers the device. It takes only queries until the release. Absent: none. */
  halted: z.string().optional(),
  /** True: `_stop` of an emergency stop runs. */
  stopping: z.boolean().optional(),
  /** What is known of an uncertain device, for the person who decides. */
  doubt: deviceDoubt.zod().optional(),
  /** The call in progress that may move the device; absent: none. `since_ms`: by the wall clock of the agent. */
  doing: z
    .object({
      call_id: z.string(),
      function: z.string(),
      /** Long values are cut, and secret ones masked. */
      arguments: jsonObject,
      attempt_id: z.string().optional(),
      since_ms: z.number(),
    })
    .optional(),
  /** Since when its process has not responded, by the wall clock of the agent; absent: it responds. */
  silent_since_ms: z.number().optional(),
  /** What executes its code; absent: it has no process, or the process has not said. */
  runtime: codeRuntime.zod().optional(),
  /** Address at which a debugger may attach to its process; absent: none may. Its time limits are then suspended. */
  debugger: z.string().optional(),
  /** What its driver asks people, and since when, by the wall clock of the agent. Absent: nothing. */
  asks: z.object({ text: z.string(), since_ms: z.number() }).optional(),
  /** Rises with every status that the agent process reports. An event may arrive after a later one. */
  seq: z.number().int().optional(),
});
export type DeviceStatus = z.infer<typeof deviceStatus>;

/** Says that an attempt has a device, so that its agent may call it. The leading orchestrator signs it. */
export const deviceGrant = z.object({
  lab: z.string(),
  device: z.string(),
  fence: z.number().int(),
  attempt_id: z.string(),
  /** The computer of the attempt. */
  caller: z.string(),
});
export type DeviceGrant = z.infer<typeof deviceGrant>;

/** A device as a task reaches it: which agent runs it, and the fence its allocation was given with. */
export const deviceBinding = z.object({
  lab: z.string(),
  name: z.string(),
  type: z.string(),
  computer: z.string(),
  inc: z.number().int(),
  fence: z.number().int(),
  /** Its functions as its agent last reported them; absent or empty: not known. */
  functions: z.array(deviceFunction).optional(),
  /** `meta` of the device in its lab file; absent: not known. */
  meta: jsonObject.optional(),
  /** The signed {@link DeviceGrant} for a device of another computer; absent: this service signs none. */
  grant: z.string().optional(),
});
export type DeviceBinding = z.infer<typeof deviceBinding>;

export const resourceValue = zodOf(ResourceValue);

/**
 * `single_use`: a fresh process for every task. `thread`: a fresh thread for every task, in a process that runs one task after
 * another. `reusable`: a process may run one task after another, with the same modules.
 */
export const isolation = z.enum(['single_use', 'thread', 'reusable']);
export type Isolation = z.infer<typeof isolation>;

export const fileDescription = z.object({
  name: z.string(),
  size: z.number().int().nonnegative(),
  sha256: z.string(),
});
export type FileDescription = z.infer<typeof fileDescription>;

/** A file that an attempt of another task produced, as a task gets it. */
export const inputFile = fileDescription.extend({
  task_run_id: z.string(),
  /** Number of the attempt that produced it. */
  attempt: z.number().int().positive(),
});
export type InputFile = z.infer<typeof inputFile>;

/** Everything an agent needs to execute one attempt. */
export const taskStart = z.object({
  attempt_id: z.string(),
  task_run_id: z.string(),
  /** Its name in logs: `<protocol run>/<task>`, or the name of the on-demand task. */
  label: z.string(),
  task_type: z.string(),
  module: moduleReference,
  isolation,
  devices: z.record(z.string(), deviceBinding),
  parameters: jsonObject,
  resources: z.record(z.string(), resourceValue),
  /** File handle to the input file; absent: none. The agent fetches the files before the task begins. */
  files: z.record(z.string(), inputFile).optional(),
});
export type TaskStart = z.infer<typeof taskStart>;

/** An error of an author's code. */
export const authorError = z.object({
  message: z.string(),
  /** Frames inside the package only. */
  stack: z.string().optional(),
});
export type AuthorError = z.infer<typeof authorError>;

/** What is wrong with a result of which the service keeps the rest. */
export const resultProblem = z.object({
  /** `invalid_output` or `file_error`. */
  code: z.string(),
  message: z.string(),
});
export type ResultProblem = z.infer<typeof resultProblem>;

const output = z.object({
  output_parameters: jsonObject,
  output_resources: z.record(z.string(), resourceValue),
  files: z.array(fileDescription),
  /** Set: the task has failed, and the rest of its result is kept. */
  problem: resultProblem.optional(),
});

/** How an attempt ended. */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed'), ...output.shape }),
  z.object({
    kind: z.literal('failed'),
    /** `task_error`, `task_process_died`, `device_error`, `file_error`, ... */
    code: z.string(),
    error: authorError,
    /** Files of the failed attempt that are stored. */
    files: z.array(fileDescription).optional(),
  }),
  z.object({ kind: z.literal('cancelled') }),
  /** The attempt began, and its outcome cannot be known. */
  z.object({ kind: z.literal('unknown'), detail: z.string() }),
]);
export type AttemptOutcome = z.infer<typeof attemptOutcome>;

export const attemptResult = z.object({
  attempt_id: z.string(),
  computer: z.string(),
  inc: z.number().int(),
  outcome: attemptOutcome,
  /** What the attempt did to devices. Absent: the agent does not report it, so any effect is possible. */
  calls: attemptCalls.zod().optional(),
  /** When the process of the task ended, in milliseconds since 1970 by the clock of the agent. Absent: not known. */
  ended_ms: z.number().optional(),
  /** What that clock shows as the agent sends this. Absent: the agent does not report it. */
  wall_ms: z.number().optional(),
  /** What executed the code of the task. Absent: not known. */
  runtime: codeRuntime.zod().optional(),
});
export type AttemptResult = z.infer<typeof attemptResult>;

/** Status of an attempt at its agent. `unknown`: the agent never got it, and refuses it from now on. */
export const attemptStatus = z.enum(['accepted', 'running', 'cancelling', 'ended', 'unknown']);
export type AttemptStatus = z.infer<typeof attemptStatus>;

export const attemptReport = z.object({
  attempt_id: z.string(),
  status: attemptStatus,
  /** True: a person may hold the task or one of its devices at a breakpoint, so it has no timeout. */
  debugged: z.boolean().optional(),
});
export type AttemptReport = z.infer<typeof attemptReport>;
