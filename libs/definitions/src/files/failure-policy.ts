import {
  failureActions,
  longestPolicyTimeS,
  type FailureAction,
  type JsonObject,
  type TaskFailurePolicy,
} from '@lab/contracts';
import { z } from 'zod';
import type { Path, SourceDocument } from '../documents/index.js';
import { mapping, readShape } from './shape.js';

const timeoutRule = `a timeout is a number of seconds above 0 and at most ${longestPolicyTimeS}`;
const attemptsRule = 'attempts is a whole number from 1 to 100, the first attempt included';
const backoffRule = `a backoff is a number of seconds from 0 to ${longestPolicyTimeS}`;

/** The keys of a protocol task that form its failure policy. */
export const failurePolicyKeys = {
  timeout: z
    .number()
    .min(0.001, { message: timeoutRule })
    .max(longestPolicyTimeS, { message: timeoutRule })
    .nullish(),
  retry: mapping.nullish(),
  on_failure: z
    .enum(failureActions, { message: `on_failure is one of ${failureActions.join(', ')}` })
    .nullish(),
};

const retryShape = z.strictObject({
  attempts: z
    .number()
    .int({ message: attemptsRule })
    .min(1, { message: attemptsRule })
    .max(100, { message: attemptsRule }),
  backoff: z
    .number()
    .min(0, { message: backoffRule })
    .max(longestPolicyTimeS, { message: backoffRule })
    .nullish(),
});

/** The failure policy that a protocol task declares; undefined when it declares none. */
export function readFailurePolicy(
  source: SourceDocument,
  path: Path,
  keys: {
    timeout?: number | null | undefined;
    retry?: JsonObject | null | undefined;
    on_failure?: FailureAction | null | undefined;
  },
): TaskFailurePolicy | undefined {
  const policy: TaskFailurePolicy = {};
  if (typeof keys.timeout === 'number') policy.timeout = keys.timeout;
  if (keys.retry !== undefined && keys.retry !== null) {
    const retry = readShape(source, [...path, 'retry'], keys.retry, retryShape);
    if (retry?.attempts !== undefined) {
      policy.retry = { attempts: retry.attempts };
      if (typeof retry.backoff === 'number') policy.retry.backoff = retry.backoff;
    }
  }
  if (typeof keys.on_failure === 'string') policy.on_failure = keys.on_failure;
  return Object.keys(policy).length === 0 ? undefined : policy;
}
