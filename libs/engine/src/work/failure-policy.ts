import {
  awaitsAgent,
  longestPolicyTimeS,
  type AttemptCalls,
  type FailureAction,
  type Reason,
  type TaskFailurePolicy,
} from '@lab/contracts';
import { giveBack } from '../labs/index.js';
import type { AttemptRow, TaskRunRow } from '../rows/index.js';
import type { Turn, WorkingState } from '../turn/index.js';
import { type TaskPatch, closeTask, endTask } from './runs.js';

/** What is done about a task that does not end well, with every default in its place. */
export interface FailurePolicy {
  /** How long an attempt may run, in milliseconds; null: no limit. */
  timeoutMs: number | null;
  /** Attempts in all. */
  attempts: number;
  /** Pause before the second attempt, in milliseconds; doubled for each further one. */
  backoffMs: number;
  onFailure: FailureAction;
}

/** Seconds before the second attempt when the policy does not say. */
const defaultBackoffS = 1;

/** What the submission says of the task, over what its protocol says, over the defaults: each key by itself. */
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
 * An attempt ended without success and it is certain how: the task is tried again where its policy allows that and
 * nothing was done that a repetition would do twice; else it has failed for good.
 *
 * @param calls what the attempt did to devices; null: not known, so only a task type that is safe to repeat is repeated
 */
export function failAttempt(
  turn: Turn,
  attempt: AttemptRow,
  task: TaskRunRow,
  reason: Reason,
  calls: AttemptCalls | null,
  patch: TaskPatch = {},
): void {
  turn.setAttempt(attempt, 'failed', { reason, calls, endedAt: turn.now });
  if (reason.code === 'agent_stopped' && !isStopping(turn.state, task))
    return interruptTask(turn, task, reason, calls);
  const { attempts, backoffMs } = failurePolicyOf(turn.state, task);
  const failures = task.failures + 1;
  if (failures >= attempts || isStopping(turn.state, task) || !isRepeatable(turn.state, task, calls))
    return failTask(turn, task, reason, { ...patch, failures });
  const pause = Math.min(backoffMs * 2 ** (failures - 1), longestPolicyTimeS * 1000);
  queueAgain(turn, task, { ...patch, reason, failures, retryAt: turn.now + pause });
}

/**
 * Its agent was told to stop, which is no failure of the task: what may be repeated starts again when an agent is there;
 * of anything else a person decides, for it stopped half way.
 */
function interruptTask(turn: Turn, task: TaskRunRow, reason: Reason, calls: AttemptCalls | null): void {
  if (isRepeatable(turn.state, task, calls)) queueAgain(turn, task, { reason });
  else askAbout(turn, task, reason);
}

/** A task has failed for good: its run fails, goes on without it, or waits for a person, as its policy says. */
export function failTask(turn: Turn, task: TaskRunRow, reason: Reason, patch: TaskPatch = {}): void {
  const { onFailure } = failurePolicyOf(turn.state, task);
  if (onFailure === 'ask' && !isStopping(turn.state, task)) askAbout(turn, task, reason, patch);
  else giveUp(turn, task, reason, patch);
}

/** As {@link failTask}, without asking: a person has decided, or nobody is to be asked any more. */
export function giveUp(turn: Turn, task: TaskRunRow, reason: Reason, patch: TaskPatch = {}): void {
  const skips = failurePolicyOf(turn.state, task).onFailure === 'skip' && !isStopping(turn.state, task);
  if (skips && task.runId !== null) closeTask(turn, task, 'failed', reason, patch);
  else endTask(turn, task, 'failed', reason, patch);
}

/** How the task goes on is left to a person. What it was given stays with it. */
export function askAbout(turn: Turn, task: TaskRunRow, reason: Reason, patch: TaskPatch = {}): void {
  turn.setTask(task, 'needs_attention', { ...patch, reason });
}

/** The task waits to start as if it had never begun: what it claimed is free, what was passed to it stays with its run. */
export function queueAgain(turn: Turn, task: TaskRunRow, patch: TaskPatch): void {
  turn.setTask(task, 'queued', { retryAt: null, queuedAt: turn.now, ...patch, startedAt: null });
  giveBack(turn, task);
}

/** Nothing was done that a repetition would do twice, or the author says that it may be done twice. */
export function isRepeatable(state: WorkingState, task: TaskRunRow, calls: AttemptCalls | null): boolean {
  return calls?.effects === 0 || state.definitionOf(task)?.retry_safe === true;
}

/** Somebody has asked it to stop, or its run is ending: whatever becomes of it now is its end. */
export function isStopping(state: WorkingState, task: TaskRunRow): boolean {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  return task.cancelRequestedAt !== null || (run !== undefined && run.ending !== null);
}

/**
 * Why the service itself wants a running attempt to stop. Kept as the reason of the attempt from the moment on at which
 * that is decided, so that its end is understood also by who did not see the beginning.
 */
export function stopOf(attempt: AttemptRow): Reason | null {
  const code = attempt.reason?.code;
  return code === 'timeout' || code === 'emergency_stop' ? attempt.reason : null;
}

/** Attempts that have run for as long as they may are to stop. */
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

/** When the next attempt will have run for as long as it may. */
export function nextTimeout(state: WorkingState): number | undefined {
  let next: number | undefined;
  for (const attempt of state.rows.attempts.values())
    if (isTimed(attempt) && (next === undefined || attempt.deadlineAt < next)) next = attempt.deadlineAt;
  return next;
}

/** Its time runs: it has a limit, and nothing has been decided about it yet. */
function isTimed(attempt: AttemptRow): attempt is AttemptRow & { deadlineAt: number } {
  return attempt.deadlineAt !== null && attempt.reason === null && awaitsAgent(attempt.state);
}
