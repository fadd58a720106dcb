import { isTerminal, isWaiting } from '@lab/contracts';
import type { AllocationKind, AllocationRow, TaskRunRow } from '../rows/index.js';
import type { Turn, WorkingState } from '../turn/index.js';
import { keepersOf, slotName } from './holds.js';
import { deviceKey } from './lab-map.js';

const nothing: readonly string[] = [];

export interface Unit {
  kind: AllocationKind;
  key: string;
  slot: string;
}

/** The devices and resources of a task, by slot. */
export function unitsOf(task: TaskRunRow): Unit[] {
  return [
    ...Object.entries(task.devices).map(([slot, device]) => ({
      kind: 'device' as const,
      key: deviceKey(device.lab_name, device.name),
      slot,
    })),
    ...Object.entries(task.resources).map(([slot, resource]) => ({
      kind: 'resource' as const,
      key: resource.name,
      slot,
    })),
  ];
}

/**
 * Claims a free unit for a task, or passes one on that its run holds.
 *
 * @returns the fence of the allocation
 * @throws ServiceError `wrong_state` when another task or run has the unit
 */
export function take(turn: Turn, task: TaskRunRow, kind: AllocationKind, key: string): number {
  const row = turn.state.allocation(kind, key);
  const fence = (row?.fence ?? 0) + 1;
  const to = { kind, key, taskRunId: task.id, fence, at: turn.now };
  if (row !== undefined && row.heldByRunId !== null && row.heldByRunId === task.runId)
    turn.emit({ op: 'pass', runId: row.heldByRunId, ...to });
  else turn.emit({ op: 'claim', ...to });
  return fence;
}

/**
 * Gives up the units of a task that has ended. The run keeps a unit as long as an unfinished task refers to it, by a
 * slot of this task or of an earlier one. Any other unit is freed.
 */
export function leave(turn: Turn, task: TaskRunRow): void {
  const { runId } = task;
  for (const row of allocationsOf(turn, task)) {
    const keepers =
      row.heldByRunId === null ? keepersFor(turn.state, runId, row, [task]) : heldFor(turn.state, row);
    if (runId !== null && keepers.length > 0)
      turn.emit({ op: 'hold', kind: row.kind, key: row.key, taskRunId: task.id, runId });
    else release(turn, row);
  }
}

/** As {@link leave}, for a task that did not start: what its run had passed to it stays with the run. */
export function giveBack(turn: Turn, task: TaskRunRow): void {
  for (const row of allocationsOf(turn, task)) if (row.heldByRunId === null) release(turn, row);
}

/** Frees the units that a run holds between its tasks and to which no unfinished task refers. */
export function releaseUnneeded(turn: Turn, runId: string): void {
  for (const row of turn.state.heldBy(runId)) {
    if (turn.state.isInUse(row)) continue;
    if (heldFor(turn.state, row).length === 0) release(turn, row);
  }
}

function allocationsOf(turn: Turn, task: TaskRunRow): AllocationRow[] {
  const rows: AllocationRow[] = [];
  for (const unit of unitsOf(task)) {
    const row = turn.state.allocation(unit.kind, unit.key);
    if (row?.taskRunId === task.id) rows.push(row);
  }
  return rows;
}

/**
 * The tasks that must end before a run gives up a unit: those that refer to a slot through which a task of the run got
 * it, and the task that uses it now. The latter need not refer to it, because any task of the run may use a held unit.
 */
export function heldFor(state: WorkingState, allocation: AllocationRow): readonly string[] {
  const { heldByRunId, taskRunId } = allocation;
  if (heldByRunId === null) return nothing;
  const keepers = keepersFor(state, heldByRunId, allocation, state.tasksOf(heldByRunId));
  const isUser = taskRunId !== null && state.isInUse(allocation) && !keepers.includes(taskRunId);
  return isUser ? [...keepers, taskRunId] : keepers;
}

/** The unfinished tasks for which the slots of `users` keep a unit. */
function keepersFor(
  state: WorkingState,
  runId: string | null,
  { kind, key }: AllocationRow,
  users: Iterable<TaskRunRow>,
): readonly string[] {
  const run = runId === null ? undefined : state.rows.protocolRuns.get(runId);
  const snapshot = run === undefined ? undefined : state.protocolOf(run);
  if (run === undefined || snapshot === undefined) return nothing;
  const kept = keepersOf(snapshot);
  const ids = new Set<string>();
  for (const task of users) {
    // A task that is queued again may get another unit.
    if (isWaiting(task.state)) continue;
    for (const unit of unitsOf(task)) {
      if (unit.kind !== kind || unit.key !== key) continue;
      for (const name of kept.get(slotName(kind, task.name, unit.slot)) ?? []) {
        const keeper = state.taskOf(run.id, name);
        if (keeper !== undefined && !isTerminal(keeper.state)) ids.add(keeper.id);
      }
    }
  }
  return [...ids];
}

/** Frees a unit. */
export function release(turn: Turn, { kind, key }: AllocationRow): void {
  turn.emit({ op: 'release', kind, key, at: turn.now });
}
