import { z } from 'zod';
import { zodOf } from '../rest/fields/field.js';
import {
  insight,
  KeptOptimizer,
  OptimizerDescription,
  optimizerRow,
  optimizerStates,
  runtimeParameters,
  Trial,
} from '../rest/optimizer.js';
import { codeRuntime } from '../rest/work/code-runtime.js';
import { zodSchema } from '../schema.js';
import { defineEvent, requestsOf } from './define.js';
import { labSchedule } from './lab-schedule.js';
import { itself } from './process-roles.js';
import { jsonObject, jsonValue, moduleReference } from './work.js';

/** `worker`: the name in the credentials of the process. `instance`: one process. */
const request = requestsOf('svc.v1.optimizer.{worker}.{instance}.', 'optimizer.', {
  from: { orchestrator: {} },
  to: { optimizer: { worker: itself } },
});
const reported = { from: { optimizer: { worker: itself } }, to: { orchestrator: {} } };
const trial = zodOf(Trial);
const description = zodOf(OptimizerDescription);
const runtimeValues = runtimeParameters.zod();
const row = optimizerRow.zod();

/** The optimizer of a campaign that is not over, at this moment. */
export const optimizerStatus = z.object({
  ...zodOf(KeptOptimizer).shape,
  /** Absent in a message of the release before. */
  runtime: codeRuntime.zod().nullable().default(null),
  state: z.enum(optimizerStates),
  /** Why it waits. */
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Worker and id of the session, while there is one. */
  worker: z.string().nullable(),
  session: z.string().nullable(),
  /** Trials whose run has not begun, by number. */
  pending: z.array(trial),
  /** What its model has learnt; null: not asked for, or nothing is known. */
  belief: jsonValue.nullable(),
});
export type OptimizerStatus = z.infer<typeof optimizerStatus>;

/** What a worker needs to make an optimizer: its code, and the overrides of its arguments. */
const making = {
  /** What the protocol does, in words, for an AI. */
  protocol: z.string(),
  /** `TASK.PARAMETER` of the integer parameters that a run supplies; absent: none. */
  integers: z.array(z.string()).optional(),
  module: moduleReference,
  /**
   * Overrides the constructor arguments key by key. Runtime parameters among them are set afterwards. Secrets are
   * sealed.
   */
  overrides: jsonObject,
};

/** Given parameters of runs, by task and parameter. Only rows with all inputs of the optimizer count. */
export const givenRows = z.array(z.record(z.string(), jsonObject));

/**
 * A session is one life of the optimizer of a campaign: one leader, one child process, all trials sent from the start.
 */
const session = z.object({ campaign_id: z.string(), session: z.string() });

/** Milliseconds for a call of author code. It is enough for a fit and for a question to an AI with its repetitions. */
const computingMs = 300_000;
/** Milliseconds to start a process and make an object. */
const makingMs = 60_000;

const callErrors = ['invalid', 'optimizer_error', 'stale_message', 'optimizer_unavailable'] as const;

/** The requests that the worker named in the subject answers. */
export const optimizerRequests = {
  /**
   * Makes an optimizer, asks for its description, and drops it. Refuses arguments and overrides that do not fit, and
   * rows that the optimizer does not accept, each with its path: `given[3].mix_colors.cyan_volume`.
   */
  describe: request(
    'describe',
    z.object({ ...making, given: givenRows.optional() }),
    description,
    ['invalid', 'optimizer_error', 'optimizer_unavailable'],
    makingMs,
  ),
  /** Makes the optimizer of a campaign. It replaces that of an earlier session and knows no trial yet. */
  open: request(
    'open',
    z.object({
      ...session.shape,
      campaign: z.string(),
      ...making,
      /** Overrides the initial values of the optimizer. Unknown names are ignored. */
      runtime_params: runtimeValues,
    }),
    /** `runtime`: what executes the optimizer. Absent: the worker does not say. */
    description.extend({ runtime: codeRuntime.zod().optional() }),
    callErrors,
    makingMs,
  ),
  /** Sends trials that are new or have a new state. Idempotent: the optimizer ignores a state that it knows. */
  tell: request(
    'tell',
    z.object({ ...session.shape, trials: z.array(trial) }),
    z.object({ measured: z.number().int() }),
    callErrors,
    computingMs,
  ),
  /** Asks for new trials for runs. For the same run of a session the optimizer gives the same row again. */
  propose: request(
    'propose',
    z.object({
      ...session.shape,
      runs: z.array(z.object({ number: z.number().int().min(1), run: z.string() })).min(1),
      /** Insights that no suggestion of the AI has used yet, oldest first. */
      insights: z.array(insight.zod()),
      /** Only for an optimizer whose runtime parameter `batch` is `schedule_aware`. Absent: no plan is known. */
      schedule: labSchedule.optional(),
    }),
    z.object({
      trials: z.array(trial),
      /** Identifiers of the insights that a suggestion has used. */
      insights_used: z.array(z.string()),
    }),
    callErrors,
    computingMs,
  ),
  /** Changes runtime parameters: all of them, or none when one is not allowed. */
  configure: request(
    'configure',
    z.object({ ...session.shape, runtime_params: runtimeValues }),
    z.object({ runtime_params: runtimeValues }),
    callErrors,
    30_000,
  ),
  /** The best rows measured, with the columns that the optimizer adds. */
  best: request('best', session, z.object({ rows: z.array(row) }), callErrors, computingMs),
  /** What its model has learnt; null: it has no model, or does not report it. */
  explain: request('explain', session, z.object({ belief: jsonValue.nullable() }), callErrors, computingMs),
  /** The campaign has ended. Idempotent. */
  close: request('close', session, z.object({}), ['optimizer_unavailable']),
};

/** Milliseconds between two announcements of an optimizer worker. */
export const workerAnnouncedEveryMs = 5_000;

export const optimizerEvents = {
  /** A worker announces itself with its addresses at its start and every 5 s. */
  announced: defineEvent({
    ...reported,
    name: 'optimizer.announced',
    subject: 'svc.v1.event.optimizer.{worker}.announced',
    body: zodSchema(z.object({ instance: z.string(), addresses: z.array(z.string()), version: z.string() })),
  }),
  /** The worker stops. Its campaigns need another worker. */
  leaving: defineEvent({
    ...reported,
    name: 'optimizer.leaving',
    subject: 'svc.v1.event.optimizer.{worker}.leaving',
    body: zodSchema(z.object({ instance: z.string() })),
  }),
  /** The process of a session has died; the next call of the session fails with `stale_message` anyway. */
  lost: defineEvent({
    ...reported,
    name: 'optimizer.lost',
    subject: 'svc.v1.event.optimizer.{worker}.lost',
    body: zodSchema(z.object({ instance: z.string(), ...session.shape, reason: z.string() })),
  }),
};
