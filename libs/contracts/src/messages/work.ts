import { z } from 'zod';
import type { JsonValue } from '../json.js';
import { deviceDoubt, functionKinds } from '../rest/devices.js';
import { zodOf } from '../rest/fields/field.js';
import { ResourceValue } from '../rest/resources.js';
import { attemptCalls } from '../rest/work/tasks.js';
import { deviceStates } from '../states.js';
import { functionParameter } from './function-parameter.js';

/** The pieces that agent and orchestrator messages share: code, devices, attempts and their results. */

export const jsonValue: z.ZodType<JsonValue> = z.json() as z.ZodType<JsonValue>;
export const jsonObject = z.record(z.string(), jsonValue);

/** An immutable code module of a package, named by the SHA-256 of its text. */
export const moduleReference = z.object({
  hash: z.string(),
  package: z.string(),
  /** Path of the source inside the package, for stacks and logs. */
  source: z.string(),
  /** npm packages that its text imports and does not hold, as `name@version`, sorted; absent: none. */
  dependencies: z.array(z.string()).optional(),
});
export type ModuleReference = z.infer<typeof moduleReference>;

/** How long a function of a device may take when nothing else is said, in seconds. */
export const defaultDeviceTimeoutS = 60;

/** The longest time that a function may be given, in seconds: a week. */
export const longestDeviceTimeoutS = 604_800;

/** A function that a device declares. */
export const deviceFunction = z.object({
  name: z.string(),
  kind: z.enum(functionKinds),
  /**
   * How long it may take from its begin, in seconds; then the process of the device is ended. Absent in what a host
   * says: the setting of its agent. Absent in what an agent says: {@link defaultDeviceTimeoutS}.
   */
  timeout_s: z.number().positive().max(longestDeviceTimeoutS).optional(),
  /** What it does, for people. */
  description: z.string().optional(),
  /** By name; absent: not declared, so the arguments of a call are not checked. */
  parameters: z.record(z.string(), functionParameter).optional(),
});
export type DeviceFunction = z.infer<typeof deviceFunction>;

/** How long a function may take, in milliseconds, by what its agent says of it; the default when it is not known. */
export function deviceTimeoutMs(declared: DeviceFunction | undefined): number {
  return (declared?.timeout_s ?? defaultDeviceTimeoutS) * 1_000;
}

/** How much longer than the function may take a caller on another computer waits for its answer, in milliseconds. */
export const deviceAnswerMs = 5_000;

/**
 * How long a call of a device may be on its way to another computer, in milliseconds: one that was held up, or that finds
 * an agent which had been stopped, is not made, for whoever sent it may have given up, died or been replaced.
 */
export const callFreshMs = 2_000;

/** A device that an agent shall run. */
export const deviceAssignment = z.object({
  lab: z.string(),
  name: z.string(),
  type: z.string(),
  module: moduleReference,
  /** Init parameters of the device type with those of the lab over them. */
  init_parameters: jsonObject,
});
export type DeviceAssignment = z.infer<typeof deviceAssignment>;

export const deviceStatus = z.object({
  lab: z.string(),
  name: z.string(),
  state: z.enum(deviceStates),
  detail: z.string().nullable(),
  functions: z.array(deviceFunction),
  /** Stopped by people, with the reason: it takes no calls but queries until it is released. Absent: not. */
  halted: z.string().optional(),
  /** Of an uncertain device: since when, and what is known, for the person who is asked. */
  doubt: deviceDoubt.zod().optional(),
});
export type DeviceStatus = z.infer<typeof deviceStatus>;

/** A device as a task reaches it: which agent runs it, and the fence its allocation was given with. */
export const deviceBinding = z.object({
  lab: z.string(),
  name: z.string(),
  type: z.string(),
  computer: z.string(),
  inc: z.number().int(),
  fence: z.number().int(),
  /** What its agent last said of its functions; absent or empty: not known. */
  functions: z.array(deviceFunction).optional(),
});
export type DeviceBinding = z.infer<typeof deviceBinding>;

export const resourceValue = zodOf(ResourceValue);

/** `single_use`: a fresh process for every task. `reusable`: a process may run one task after another. */
export const isolation = z.enum(['single_use', 'reusable']);
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
  /** What logs call it: `<protocol run>/<task>`, or the name of the on-demand task. */
  label: z.string(),
  task_type: z.string(),
  module: moduleReference,
  isolation,
  devices: z.record(z.string(), deviceBinding),
  parameters: jsonObject,
  resources: z.record(z.string(), resourceValue),
  /** File handle to the file it gets; absent: none. They are fetched before the task begins. */
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

const output = z.object({
  output_parameters: jsonObject,
  output_resources: z.record(z.string(), resourceValue),
  files: z.array(fileDescription),
});

/** How an attempt ended. */
export const attemptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('completed'), ...output.shape }),
  z.object({
    kind: z.literal('failed'),
    /** `task_error`, `task_process_died`, `device_error`, `file_error`, ... */
    code: z.string(),
    error: authorError,
    /** What is stored of it all the same. */
    files: z.array(fileDescription).optional(),
  }),
  z.object({ kind: z.literal('cancelled') }),
  /** It began and nobody can know how it ended. */
  z.object({ kind: z.literal('unknown'), detail: z.string() }),
]);
export type AttemptOutcome = z.infer<typeof attemptOutcome>;

export const attemptResult = z.object({
  attempt_id: z.string(),
  computer: z.string(),
  inc: z.number().int(),
  outcome: attemptOutcome,
  /** What the attempt did to devices; absent: an agent that does not say, so anything may have happened. */
  calls: attemptCalls.zod().optional(),
});
export type AttemptResult = z.infer<typeof attemptResult>;

/** What an agent knows of an attempt. `unknown`: it never heard of it, and will refuse it from now on. */
export const attemptStatus = z.enum(['accepted', 'running', 'cancelling', 'ended', 'unknown']);
export type AttemptStatus = z.infer<typeof attemptStatus>;

export const attemptReport = z.object({ attempt_id: z.string(), status: attemptStatus });
export type AttemptReport = z.infer<typeof attemptReport>;
