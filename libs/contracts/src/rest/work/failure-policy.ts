import { Field, Optional } from '../fields/field.js';
import { amount, bodiesByName, nested, oneOf, whole } from '../fields/inputs.js';
import type { FieldType } from '../fields/field.js';

/** What happens to a run when one of its tasks has failed and is not tried again. */
export const failureActions = ['fail_run', 'skip', 'ask'] as const;
export type FailureAction = (typeof failureActions)[number];

/** What happens to a campaign when one of its runs has failed. */
export const runFailureActions = ['stop', 'continue', 'pause'] as const;
export type RunFailureAction = (typeof runFailureActions)[number];

/** The longest time limit and pause, in seconds: a week. */
export const longestPolicyTimeS = 604_800;

export const attemptTimeout = (): FieldType<number> =>
  amount(
    [0.001, longestPolicyTimeS],
    'Seconds that one attempt may run. After that the service stops the attempt, and the attempt has failed. Default: no limit.',
    600,
  );

/** How often a task is tried. */
export class RetryPolicy {
  @Field(whole([1, 100], 'Number of attempts in all, the first one included.', 3)) attempts!: number;
  @Optional(
    amount(
      [0, longestPolicyTimeS],
      'Seconds before the second attempt. The pause doubles before each further attempt. Default: 1.',
      5,
    ),
  )
  backoff?: number;
}

/** What the service does about a task that fails. A field that is absent is as the protocol says, else the default. */
export class TaskFailurePolicy {
  @Optional(attemptTimeout()) timeout?: number;
  @Optional(
    nested(
      RetryPolicy,
      'Tries the task again after a failure, but only if every device call of the attempt was a query or idempotent, or if the task type declares `retry_safe: true`. Default: no retry.',
    ),
  )
  retry?: RetryPolicy;
  @Optional(
    oneOf(
      failureActions,
      'When the task has failed and is not tried again: `fail_run` fails the run, `skip` continues with the tasks that do not depend on it, `ask` asks a person. Default: `fail_run`.',
      'ask',
    ),
  )
  on_failure?: FailureAction;
}

/** Task name to what the service does about its failures. */
export const failurePolicyOfTasks = (): FieldType<Record<string, TaskFailurePolicy>> =>
  bodiesByName(
    TaskFailurePolicy,
    'Task name to what the service does about its failures. It overrides the protocol.',
    { mix_colors: { timeout: 600, on_failure: 'ask' } },
  );
