import { isTerminal } from '@lab/contracts';
import { keepersOf, slotName } from './holds.js';
import { deviceKey } from './lab-map.js';
import type { AllocationKind, AllocationRow, TaskRunRow } from './rows.js';
import { allocationKey } from './row-set.js';
import type { Turn } from './turn.js';

export interface Unit {
  kind: AllocationKind;
  key: string;
  slot: string;
}

/** The devices and resources that a task was given, by slot. */
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
 * Gives a unit to a task: claims it, or takes it over from the run that holds it.
 *
 * @returns the fence of the allocation
 * @throws ServiceError `wrong_state` when somebody else has it
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

/** A task has stopped for good: each of its units is kept for the run if a later task refers to it, else freed. */
export function leave(turn: Turn, task: TaskRunRow): void {
  for (const row of allocationsOf(turn, task)) {
    countUse(turn, row);
    if (task.runId !== null && isKept(turn, row, task))
      turn.emit({ op: 'hold', kind: row.kind, key: row.key, taskRunId: task.id, runId: task.runId });
    else turn.emit({ op: 'release', kind: row.kind, key: row.key });
  }
}

/** A task did not start after all: what it claimed is free again, what was passed to it stays with the run. */
export function giveBack(turn: Turn, task: TaskRunRow): void {
  for (const row of allocationsOf(turn, task))
    if (row.heldByRunId === null) turn.emit({ op: 'release', kind: row.kind, key: row.key });
}

/** Frees what a run keeps between its tasks but no unfinished task refers to any more. */
export function releaseUnneeded(turn: Turn, runId: string): void {
  for (const row of turn.state.heldBy(runId)) {
    if (turn.state.isInUse(row)) continue;
    const last = row.taskRunId === null ? undefined : turn.state.rows.taskRuns.get(row.taskRunId);
    if (last === undefined || !isKept(turn, row, last))
      turn.emit({ op: 'release', kind: row.kind, key: row.key });
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

function isKept(turn: Turn, row: AllocationRow, task: TaskRunRow): boolean {
  const { state } = turn;
  const runId = task.runId;
  if (runId === null) return false;
  const run = state.rows.protocolRuns.get(runId);
  const snapshot = run === undefined ? undefined : state.protocolOf(run);
  if (snapshot === undefined) return false;
  const keepers = keepersOf(snapshot);
  return unitsOf(task).some((unit) => {
    if (unit.kind !== row.kind || unit.key !== row.key) return false;
    for (const name of keepers.get(slotName(unit.kind, task.name, unit.slot)) ?? []) {
      const keeper = state.taskOf(runId, name);
      if (keeper !== undefined && !isTerminal(keeper.state)) return true;
    }
    return false;
  });
}

function countUse(turn: Turn, row: AllocationRow): void {
  const key = allocationKey(row.kind, row.key);
  const used = row.since === null ? 0 : Math.max(0, turn.now - row.since);
  turn.state.busyMs.set(key, (turn.state.busyMs.get(key) ?? 0) + used);
}
