import {
  awaitsAgent,
  longestPolicyTimeS,
  type AttemptCalls,
  type CodeRuntime,
  type FailureAction,
  type Reason,
  type TaskFailurePolicy,
} from '@lab/contracts';
import { giveBack } from '../labs/index.js';
import type { AttemptRow, PatchOf, TaskRunRow } from '../rows/index.js';
import type { Turn, WorkingState } from '../turn/index.js';
import { closeTask, endTask } from './runs.js';

/** What is known of the end of an attempt. */
export interface AttemptEnd {
  /** Its calls on devices; null: not known, so only a `retry_safe` task is repeated. */
  calls: AttemptCalls | null;
  /** What executed its code; null: not known. */
  runtime: CodeRuntime | null;
  endedAt: number;
}

/** How failures of a task are handled, with all defaults filled in. */
export interface FailurePolicy {
  /** Longest duration of an attempt, in milliseconds; null: no limit. */
  timeoutMs: number | null;
  /** Greatest number of attempts. */
  attempts: number;
  /** Wait before the second attempt, in milliseconds. Each further wait is twice as long. */
  backoffMs: number;
  onFailure: FailureAction;
}

/** Default wait before the second attempt, in seconds. */
const defaultBackoffS = 1;

/** Each key of the policy comes from the submission, else from the protocol, else from the defaults. */
export function failurePolicyOf(state: WorkingState, task: TaskRunRow): FailurePolicy {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  const declared =
    run === undefined
      ? undefined
      : state.protocolOf(run)?.protocol.tasks.find((each) => each.name === task.name)?.failure_policy;
  const said: TaskFailurePolicy | undefined =
    run === undefined
      ? task.failurePolicy
      : Object.hasOwn(run.failurePolicy, task.name)
        ? run.failurePolicy[task.name]
        : undefined;
  const timeout = said?.timeout ?? declared?.timeout;
  const retry = said?.retry ?? declared?.retry;
  return {
    timeoutMs: timeout === undefined ? null : Math.ceil(timeout * 1000),
    attempts: retry?.attempts ?? 1,
    backoffMs: (retry?.backoff ?? defaultBackoffS) * 1000,
    onFailure: said?.on_failure ?? declared?.on_failure ?? 'fail_run',
  };
}

/**
 * Handles an attempt that ended without success in a known way. The task is queued again if its policy allows another
 * attempt and a repetition repeats no effect. Else it has failed.
 *
 * @param end its calls on devices and its time
 */
export function failAttempt(
  turn: Turn,
  attempt: AttemptRow,
  task: TaskRunRow,
  reason: Reason,
  { calls, runtime, endedAt }: AttemptEnd,
  patch: PatchOf<TaskRunRow> = {},
): void {
  turn.setAttempt(attempt, 'failed', { reason, calls, runtime, endedAt });
  if (reason.code === 'agent_stopped' && !isStopping(turn.state, task))
    return interruptTask(turn, task, reason, calls);
  const { attempts, backoffMs } = failurePolicyOf(turn.state, task);
  const failures = task.failures + 1;
  if (failures >= attempts || isStopping(turn.state, task) || !isRepeatable(turn.state, task, calls))
    return failTask(turn, task, reason, { ...patch, failures, endedAt });
  const pause = Math.min(backoffMs * 2 ** (failures - 1), longestPolicyTimeS * 1000);
  queueAgain(turn, task, { ...patch, reason, failures, retryAt: turn.now + pause });
}

/** Not a failure of the task. A repeatable task is queued again; about any other a person decides. */
function interruptTask(turn: Turn, task: TaskRunRow, reason: Reason, calls: AttemptCalls | null): void {
  if (isRepeatable(turn.state, task, calls)) queueAgain(turn, task, { reason });
  else askAbout(turn, task, reason);
}

/** Handles a failed task by its policy: the run fails, continues without the task, or waits for a person. */
export function failTask(
  turn: Turn,
  task: TaskRunRow,
  reason: Reason,
  patch: PatchOf<TaskRunRow> = {},
): void {
  const { onFailure } = failurePolicyOf(turn.state, task);
  if (onFailure === 'ask' && !isStopping(turn.state, task)) askAbout(turn, task, reason, patch);
  else giveUp(turn, task, reason, patch);
}

/** As {@link failTask}, without asking a person. */
export function giveUp(turn: Turn, task: TaskRunRow, reason: Reason, patch: PatchOf<TaskRunRow> = {}): void {
  const skips = failurePolicyOf(turn.state, task).onFailure === 'skip' && !isStopping(turn.state, task);
  if (skips && task.runId !== null) closeTask(turn, task, 'failed', reason, patch);
  else endTask(turn, task, 'failed', reason, patch);
}

/** Leaves the decision about a task to a person. The task keeps its devices and resources. */
export function askAbout(
  turn: Turn,
  task: TaskRunRow,
  reason: Reason,
  patch: PatchOf<TaskRunRow> = {},
): void {
  turn.setTask(task, 'needs_attention', { ...patch, reason, endedAt: null });
}

/** Queues a task anew. What it had claimed becomes free; what its run had passed to it stays with the run. */
export function queueAgain(turn: Turn, task: TaskRunRow, patch: PatchOf<TaskRunRow>): void {
  turn.setTask(task, 'queued', { retryAt: null, queuedAt: turn.now, ...patch, startedAt: null });
  giveBack(turn, task);
}

/** Says whether another attempt repeats no effect, or the author has declared repetition safe. */
function isRepeatable(state: WorkingState, task: TaskRunRow, calls: AttemptCalls | null): boolean {
  return calls?.effects === 0 || state.definitionOf(task)?.retry_safe === true;
}

/** Says whether the task or its run is to end. The task then ends with its current attempt. */
export function isStopping(state: WorkingState, task: TaskRunRow): boolean {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  return task.cancelRequestedAt !== null || (run !== undefined && run.ending !== null);
}

/** Why the service stops a running attempt. Stored when the stop is decided, to be known after a restart too. */
export function stopOf(attempt: AttemptRow): Reason | null {
  const code = attempt.reason?.code;
  return code === 'timeout' || code === 'emergency_stop' ? attempt.reason : null;
}

/** Stops attempts that have exceeded their timeout. */
export function stopOverdue(turn: Turn): void {
  for (const attempt of turn.state.rows.attempts.values()) {
    if (!isTimed(attempt) || attempt.deadlineAt > turn.now) continue;
    const limit = (attempt.deadlineAt - attempt.createdAt) / 1000;
    turn.emit({
      op: 'updateAttempt',
      id: attempt.id,
      patch: { reason: { code: 'timeout', message: `it ran for longer than its timeout of ${limit} s` } },
    });
  }
}

/** When the next attempt exceeds its timeout, in milliseconds since 1970. */
export function nextTimeout(state: WorkingState): number | undefined {
  let next: number | undefined;
  for (const attempt of state.rows.attempts.values())
    if (isTimed(attempt) && (next === undefined || attempt.deadlineAt < next)) next = attempt.deadlineAt;
  return next;
}

/** The attempt has a timeout, and no stop was decided. */
function isTimed(attempt: AttemptRow): attempt is AttemptRow & { deadlineAt: number } {
  return attempt.deadlineAt !== null && attempt.reason === null && awaitsAgent(attempt.state);
}
