import { z } from 'zod';
import {
  authorError,
  deviceFunction,
  fileDescription,
  isolation,
  jsonObject,
  jsonValue,
  moduleReference,
  resourceValue,
  resultProblem,
} from './work.js';
import { logLevels } from '../vocabulary.js';
import { zodOf } from '../rest/fields/field.js';
import { insight, runtimeParameters, Trial } from '../rest/optimizer.js';
import { labSchedule } from './lab-schedule.js';
import { givenRows } from './optimizer.js';

/**
 * The messages between an agent and the processes of its devices and tasks, and between an optimizer worker and the
 * processes of its optimizers. They are plain JSON objects, one per line of a stream, with a `type`, so that a host in
 * another language can use them as well. `channel.ts` has the form of the stream.
 */

const log = z.object({ type: z.literal('log'), level: z.enum(logLevels), text: z.string() });

/** Of Node or Python, which executes the process. Absent in a message of the release before. */
const version = z.string().optional();

/** The author's code behind a call failed, or the call could not be made. */
const callFailure = z.object({ code: z.string(), error: authorError });

/** The time in which a task has a device. Its fence is higher than that of every earlier one of the device. */
const allocation = z.object({ attempt_id: z.string(), fence: z.number() });

/** From the agent to a device process. */
export const toDevice = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('init'),
    lab: z.string(),
    name: z.string(),
    /** Absent in a message of the release before. */
    device_type: z.string().optional(),
    module: moduleReference,
    /** Absolute path of the module file. */
    path: z.string(),
    init_parameters: jsonObject,
  }),
  z.object({
    type: z.literal('call'),
    call_id: z.string(),
    function: z.string(),
    arguments: jsonObject,
    /** Absent: a person calls. */
    allocation: allocation.optional(),
  }),
  /**
   * Runs the author's `_allocated` before the first call of a task, and `_deallocated` after its last one. Only a process whose class
   * has one of them gets these messages. Answered by `result` or `failure`.
   */
  z.object({ type: z.literal('allocated'), call_id: z.string(), allocation }),
  z.object({ type: z.literal('deallocated'), call_id: z.string(), allocation }),
  z.object({ type: z.literal('report'), call_id: z.string() }),
  /**
   * Sent before `init` to a new process of a device whose last process ended during a call. It runs the author's
   * `_reconcile`. The agent sends no other message until the process answers `reconciled`.
   */
  z.object({
    type: z.literal('reconcile'),
    lab: z.string(),
    name: z.string(),
    device_type: z.string().optional(),
    module: moduleReference,
    path: z.string(),
    init_parameters: jsonObject,
    /** The calls that began and have no known end, oldest first. */
    in_doubt: z.array(z.object({ call_id: z.string(), function: z.string() })),
  }),
  /** Runs the author's `_stop` at once, in parallel to running calls; answered by `stopped`. */
  z.object({ type: z.literal('stop'), reason: z.string() }),
  /** Answered by `pong` as soon as the event loop of the process turns. */
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('cleanup') }),
]);
export type ToDevice = z.infer<typeof toDevice>;
export type Allocation = z.infer<typeof allocation>;

/** From a device process to the agent. */
export const fromDevice = z.discriminatedUnion('type', [
  /** `_initialize` is done. */
  z.object({
    type: z.literal('ready'),
    functions: z.array(deviceFunction),
    /** True: the class has `_stop`; absent: it has not. */
    can_stop: z.boolean().optional(),
    version,
    /** True: the class has `_allocated` or `_deallocated`; absent: neither. */
    follows_allocations: z.boolean().optional(),
  }),
  z.object({ type: z.literal('init_failed'), error: authorError }),
  z.object({ type: z.literal('result'), call_id: z.string(), value: jsonValue.optional() }),
  z.object({
    type: z.literal('failure'),
    call_id: z.string(),
    ...callFailure.shape,
    /** The device knows that nothing happened: it did not begin the call. Absent: anything may have happened. */
    effect: z.literal('none').optional(),
  }),
  /** Result of `_reconcile`. `supported: false`: the class has none. `idle`: nothing moves and the state is known. */
  z.object({
    type: z.literal('reconciled'),
    supported: z.boolean(),
    idle: z.boolean(),
    detail: z.string().optional(),
    error: authorError.optional(),
  }),
  /** `_stop` has ended, or the class has none (`supported: false`), or it threw an error. */
  z.object({ type: z.literal('stopped'), supported: z.boolean(), error: authorError.optional() }),
  z.object({ type: z.literal('pong') }),
  /** The driver asks people for something; null: it asks no more. */
  z.object({ type: z.literal('asks'), text: z.string().nullable() }),
  /** `_cleanup` has ended. The process ends now. */
  z.object({ type: z.literal('cleaned_up'), error: authorError.optional() }),
  log,
]);
export type FromDevice = z.infer<typeof fromDevice>;

/** An input file of a task on the disk of its computer. */
const localFile = fileDescription.extend({
  media_type: z.string(),
  /** Absolute. */
  path: z.string(),
});
export type LocalFile = z.infer<typeof localFile>;

/** From the agent to a task process. */
export const toTask = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run'),
    attempt_id: z.string(),
    label: z.string(),
    isolation,
    module: moduleReference,
    path: z.string(),
    /** Device handle to what the task may know of the device. */
    devices: z.record(
      z.string(),
      z.object({
        lab: z.string(),
        name: z.string(),
        functions: z.array(deviceFunction).nullable(),
        /** `meta` of the device in its lab file; absent: not known. */
        meta: jsonObject.optional(),
      }),
    ),
    parameters: jsonObject,
    resources: z.record(z.string(), resourceValue),
    /** Folder for the files of this attempt. It exists and contains only the input files. */
    spool: z.string(),
    /** File handle to a copy on this computer that belongs to the task; absent: none. */
    files: z.record(z.string(), localFile).optional(),
  }),
  z.object({ type: z.literal('call_result'), call_id: z.string(), value: jsonValue.optional() }),
  z.object({ type: z.literal('call_failure'), call_id: z.string(), ...callFailure.shape }),
  /** Asks the task to stop. Its abort signal fires, and pending calls fail. */
  z.object({ type: z.literal('abort'), reason: z.string() }),
]);
export type ToTask = z.infer<typeof toTask>;

/** From a task process to the agent. */
export const fromTask = z.discriminatedUnion('type', [
  /** The process is warm and waits for `run`. */
  z.object({ type: z.literal('waiting'), version }),
  z.object({
    type: z.literal('call'),
    call_id: z.string(),
    slot: z.string(),
    function: z.string(),
    arguments: jsonObject,
  }),
  /** Waits for a file that an instrument writes. The answer to it is that to a call, with a {@link LocalFile} as value. */
  z.object({
    type: z.literal('expect_file'),
    call_id: z.string(),
    slot: z.string(),
    pattern: z.string(),
    timeout_s: z.number().nonnegative(),
  }),
  z.object({
    type: z.literal('completed'),
    output_parameters: jsonObject,
    output_resources: z.record(z.string(), resourceValue),
    /** Files written to the spool folder, each under `path` relative to it. */
    files: z.array(fileDescription.extend({ path: z.string() })),
    /** Set: the result is wrong or not whole; its valid parts are in this message. */
    problem: resultProblem.optional(),
  }),
  z.object({ type: z.literal('failed'), code: z.string(), error: authorError }),
  log,
]);
export type FromTask = z.infer<typeof fromTask>;

const asked = { call_id: z.string() };

const faults = z.array(
  z.object({ path: z.string(), code: z.string(), message: z.string(), hint: z.string().optional() }),
);

/**
 * From an optimizer worker to the process of an optimizer. The process answers each in turn by `result` or `failure`, except the
 * answers to its own calls.
 */
export const toOptimizer = z.discriminatedUnion('type', [
  /** The first message, sent once. It makes the optimizer; the answer is its description. */
  z.object({
    type: z.literal('make'),
    ...asked,
    /** What the protocol does, in words, for an AI. */
    protocol: z.string(),
    /** `TASK.PARAMETER` of the integer parameters that a run supplies; absent: none. */
    integers: z.array(z.string()).optional(),
    module: moduleReference,
    /** Absolute path of the module file. */
    path: z.string(),
    /** Overrides the constructor arguments. Secrets in it are not sealed. */
    overrides: jsonObject,
    /** Overrides the initial runtime parameters. Unknown names are ignored. */
    runtime_params: runtimeParameters.zod(),
    /** Rows that the optimizer must accept; absent: none. */
    given: givenRows.optional(),
  }),
  z.object({ type: z.literal('tell'), ...asked, trials: z.array(zodOf(Trial)) }),
  z.object({
    type: z.literal('propose'),
    ...asked,
    runs: z.array(z.object({ number: z.number(), run: z.string() })),
    insights: z.array(insight.zod()),
    /** As in `optimizer.propose`. */
    schedule: labSchedule.optional(),
  }),
  z.object({ type: z.literal('configure'), ...asked, runtime_params: runtimeParameters.zod() }),
  z.object({ type: z.literal('best'), ...asked }),
  z.object({ type: z.literal('explain'), ...asked }),
  z.object({ type: z.literal('call_result'), ...asked, value: jsonObject }),
  /** `faults` is not empty when the arguments of the call do not fit. */
  z.object({ type: z.literal('call_failure'), ...asked, ...callFailure.shape, faults }),
]);
export type ToOptimizer = z.infer<typeof toOptimizer>;

/** From the process of an optimizer to its worker. */
export const fromOptimizer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), ...asked, value: jsonObject, version }),
  z.object({
    type: z.literal('failure'),
    ...asked,
    /** `invalid`: its input does not fit. `optimizer_error`: its code failed. */
    code: z.enum(['invalid', 'optimizer_error']),
    error: authorError,
    faults,
  }),
  /**
   * Asks for what the worker lends, while the process answers a request: a process in another language than that of the service
   * has the language models and the checks of the hybrid optimizer from its worker. Each is answered by `call_result` or
   * `call_failure`.
   */
  z.object({ type: z.literal('call'), ...asked, function: z.string(), arguments: jsonObject }),
  log,
]);
export type FromOptimizer = z.infer<typeof fromOptimizer>;
