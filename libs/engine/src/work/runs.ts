import {
  awaitsDependencies,
  awaitsPerson,
  isSatisfied,
  isTerminal,
  isUnclear,
  isWaiting,
  isWithAgent,
  type Reason,
} from '@lab/contracts';
import { leave, release, releaseUnneeded } from '../labs/index.js';
import type { Ending, PatchOf, ProtocolRunRow, TaskRunRow } from '../rows/index.js';
import type { Turn, WorkingState } from '../turn/index.js';
import { countEnd } from './campaign-tally.js';
import { settleTrial } from './trials.js';

/** Queues tasks whose dependencies are met, and ends the run when none of its tasks is unfinished. Idempotent. */
export function settleRun(turn: Turn, id: string): void {
  const run = turn.state.rows.protocolRuns.get(id);
  if (run === undefined || isTerminal(run.state)) return;
  const tasks = turn.state.tasksOf(id);
  releaseUnneeded(turn, id);
  showState(turn, run, tasks);
  const row = turn.state.rows.protocolRuns.get(id) ?? run;
  if (row.ending !== null) {
    if (tasks.every((task) => isTerminal(task.state))) endRun(turn, row, row.ending.state, row.ending.reason);
    return;
  }
  const left = skipUnreachable(turn, row);
  if (left.every((task) => isTerminal(task.state))) {
    if (row.state === 'created') turn.setRun(row, 'running', { startedAt: turn.now });
    endRun(turn, row, 'completed', failuresOf(left));
  } else if (row.campaignId === null || hasBegun(turn.state, row)) {
    queueReady(turn, row);
  }
}

/** Says whether a task of the run has started or is queued. The campaign decides when its runs begin. */
export function hasBegun(state: WorkingState, run: ProtocolRunRow): boolean {
  return run.startedAt !== null || state.tasksOf(run.id).some((task) => state.queued.has(task.id));
}

/** A paused run still queues its tasks; the dispatcher skips them. */
function showState(turn: Turn, run: ProtocolRunRow, tasks: readonly TaskRunRow[]): void {
  const unclear = tasks.find((task) => isUnclear(task.state));
  if (unclear !== undefined) {
    if (!isUnclear(run.state)) turn.setRun(run, 'needs_attention', { reason: unclear.reason });
  } else if (run.ending === null && turn.state.isPaused(run)) {
    if (run.state !== 'paused') turn.setRun(run, 'paused', { reason: pauseReason(run) });
  } else if (awaitsPerson(run.state))
    turn.setRun(run, run.startedAt === null ? 'created' : 'running', { reason: null });
}

function pauseReason(run: ProtocolRunRow): Reason {
  return run.pausedAt === null
    ? { code: 'campaign_paused', message: 'the campaign it belongs to is paused' }
    : { code: 'paused', message: 'paused by request' };
}

/** Queues every task whose dependencies are met. */
export function queueReady(turn: Turn, run: ProtocolRunRow): void {
  const tasks = turn.state.tasksOf(run.id);
  const waiting = tasks.filter((task) => awaitsDependencies(task.state));
  if (waiting.length === 0) return;
  const snapshot = turn.state.protocolOf(run);
  const states = new Map(tasks.map((task) => [task.name, task.state]));
  const dependencies = new Map(snapshot?.protocol.tasks.map((task) => [task.name, task.dependencies]));
  for (const task of waiting) {
    const met = dependencies.get(task.name)?.every((name) => {
      const state = states.get(name);
      return state !== undefined && isSatisfied(state);
    });
    if (met === true) turn.setTask(task, 'queued', { queuedAt: turn.now });
  }
}

/** Skips tasks that depend, directly or not, on a task without success. @returns all tasks after that */
function skipUnreachable(turn: Turn, run: ProtocolRunRow): TaskRunRow[] {
  const tasks = turn.state.tasksOf(run.id);
  if (tasks.every((task) => !isTerminal(task.state) || isSatisfied(task.state))) return tasks;
  const dependencies = new Map(
    turn.state.protocolOf(run)?.protocol.tasks.map((task) => [task.name, task.dependencies]),
  );
  const missed = new Set<string>();
  // Every task follows its dependencies, so one pass reaches them all.
  for (const task of tasks) {
    if (isTerminal(task.state)) {
      if (!isSatisfied(task.state)) missed.add(task.name);
      continue;
    }
    const missing = dependencies.get(task.name)?.find((name) => missed.has(name));
    if (missing === undefined || !awaitsDependencies(task.state)) continue;
    missed.add(task.name);
    turn.setTask(task, 'skipped', {
      reason: { code: 'dependency_failed', message: `it depends on task ${missing}, which did not complete` },
      endedAt: turn.now,
    });
  }
  return turn.state.tasksOf(run.id);
}

/** The reason of a run that completed although tasks failed; null: none failed. */
function failuresOf(tasks: readonly TaskRunRow[]): Reason | null {
  const failed = tasks.filter((task) => task.state === 'failed').map((task) => task.name);
  if (failed.length === 0) return null;
  const skipped = tasks.filter((task) => task.state === 'skipped').map((task) => task.name);
  const without = skipped.length === 0 ? '' : `; skipped because of them: ${skipped.join(', ')}`;
  return { code: 'tasks_failed', message: `continued without failed tasks: ${failed.join(', ')}${without}` };
}

function endRun(
  turn: Turn,
  run: ProtocolRunRow,
  state: 'completed' | 'failed' | 'cancelled',
  reason: Reason | null,
): void {
  for (const row of turn.state.heldBy(run.id)) release(turn, row);
  turn.setRun(run, state, { reason, endedAt: turn.now });
  settleTrial(turn, run, state === 'completed');
  const campaign = run.campaignId === null ? undefined : turn.state.rows.campaigns.get(run.campaignId);
  if (campaign !== undefined) countEnd(turn, campaign, run.name, state, reason);
}

/**
 * Begins to end a run: waiting tasks are skipped or cancelled, running tasks are asked to stop. The run is over when
 * none of its tasks runs. A run that is ending already keeps its first reason.
 */
export function beginEnding(turn: Turn, run: ProtocolRunRow, state: Ending['state'], reason: Reason): void {
  if (isTerminal(run.state) || run.ending !== null) return;
  turn.emit({
    op: 'updateProtocolRun',
    id: run.id,
    patch: { ending: { state, reason, since: turn.now }, pausedAt: null },
  });
  turn.publishRun(run.id);
  for (const task of turn.state.tasksOf(run.id)) {
    if (isWaiting(task.state))
      turn.setTask(task, state === 'failed' ? 'skipped' : 'cancelled', { reason, endedAt: turn.now });
    else if (isWithAgent(task.state)) requestStop(turn, task);
  }
}

/** Requests that a running task stops. The agent is informed until it acknowledges. */
export function requestStop(turn: Turn, task: TaskRunRow): void {
  if (task.cancelRequestedAt !== null) return;
  turn.emit({ op: 'updateTaskRun', id: task.id, patch: { cancelRequestedAt: turn.now } });
  turn.publishTask(task.id);
}

/** Ends a task run and frees or keeps its units. Its run continues. */
export function closeTask(
  turn: Turn,
  task: TaskRunRow,
  state: 'completed' | 'failed' | 'cancelled',
  reason: Reason | null,
  patch: PatchOf<TaskRunRow> = {},
): void {
  turn.setTask(task, state, { endedAt: turn.now, ...patch, reason });
  leave(turn, task);
}

/** As {@link closeTask}. The run fails unless the task completed. */
export function endTask(
  turn: Turn,
  task: TaskRunRow,
  state: 'completed' | 'failed' | 'cancelled',
  reason: Reason | null,
  patch: PatchOf<TaskRunRow> = {},
): void {
  closeTask(turn, task, state, reason, patch);
  const run = task.runId === null ? undefined : turn.state.rows.protocolRuns.get(task.runId);
  if (run === undefined || state === 'completed') return;
  beginEnding(turn, run, 'failed', {
    code: state === 'failed' ? 'task_failed' : 'task_cancelled',
    message:
      state === 'failed'
        ? `task ${task.name} failed: ${reason?.message ?? 'no reason given'}`
        : `task ${task.name} was cancelled`,
  });
}
