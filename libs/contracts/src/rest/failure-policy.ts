import { IsIn, IsInt, IsNumber, IsObject, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { JSONSchema } from 'class-validator-jsonschema';

/** What becomes of a run when one of its tasks has failed for good. */
export const failureActions = ['fail_run', 'skip', 'ask'] as const;
export type FailureAction = (typeof failureActions)[number];

/** What becomes of a campaign when one of its runs has failed. */
export const runFailureActions = ['stop', 'continue', 'pause'] as const;
export type RunFailureAction = (typeof runFailureActions)[number];

/** The longest time limit and pause, in seconds: a week. */
export const longestPolicyTimeS = 604_800;

/** How often a task is tried. */
export class RetryPolicy {
  @JSONSchema({ description: 'Attempts in all, the first included.', example: 3 })
  @IsInt()
  @Min(1)
  @Max(100)
  attempts!: number;

  @JSONSchema({
    description: 'Seconds before the second attempt; doubled for each further one. Default 1.',
    example: 5,
  })
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0)
  @Max(longestPolicyTimeS)
  backoff?: number;
}

/** What is done about a task that does not end well. What is left out is as the protocol says, else the default. */
export class TaskFailurePolicy {
  @JSONSchema({
    description: 'Seconds that one attempt may run; then it is stopped and has failed. Default: no limit.',
    example: 600,
  })
  @IsOptional()
  @IsNumber({ allowNaN: false, allowInfinity: false })
  @Min(0.001)
  @Max(longestPolicyTimeS)
  timeout?: number;

  @JSONSchema({
    description:
      'Tries again after a failure; only where every device call made was a query or idempotent, or the task type declares `retry_safe: true`. Default: no retry.',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => RetryPolicy)
  retry?: RetryPolicy;

  @JSONSchema({
    description:
      'When it has failed for good: `fail_run` fails the run, `skip` goes on with what does not depend on it, `ask` asks a person. Default fail_run.',
    enum: [...failureActions],
    example: 'ask',
  })
  @IsOptional()
  @IsIn(failureActions)
  on_failure?: FailureAction;
}
