import { matchSlots } from './match-slots.js';
import type { Assignment, Plan, PlanSlot, PlanTask, PlanUnit, Policy, Snapshot } from './policy.js';

/** Higher priority first, then who has waited longest, then by id. */
export function compareTasks(a: PlanTask, b: PlanTask): number {
  return b.priority - a.priority || a.queuedAt - b.queuedAt || compareText(a.id, b.id);
}

/** May the unit be given to the task at this moment? */
export function isAvailable(unit: PlanUnit | undefined, task: PlanTask): unit is PlanUnit {
  return (
    unit !== undefined && unit.usable && !unit.busy && (unit.heldBy === null || unit.heldBy === task.run)
  );
}

/**
 * Starts every task that can start, as soon as it can: by priority, then in the order of the queue. Among the eligible
 * units the least busy one is taken, then by name. A task gets all of its units or none.
 *
 * A task that waits reserves nothing: a stream of small tasks may overtake one that needs several units at once.
 */
export class GreedyPolicy implements Policy {
  readonly name = 'greedy';
  readonly scope = 'ready';

  plan(snapshot: Snapshot): Plan {
    const taken = new Set<string>();
    const assignments: Assignment[] = [];
    for (const task of [...snapshot.tasks].sort(compareTasks)) {
      const units = matchSlots(task.slots, (slot) => choices(snapshot, task, slot, taken));
      if (units === undefined) continue;
      for (const unit of Object.values(units)) taken.add(unit);
      assignments.push({ task: task.id, units });
    }
    return { assignments, timetable: null, wakeAt: null };
  }
}

function choices(
  snapshot: Snapshot,
  task: PlanTask,
  slot: PlanSlot,
  taken: ReadonlySet<string>,
): readonly string[] {
  const units: PlanUnit[] = [];
  for (const id of slot.candidates) {
    const unit = snapshot.units.get(id);
    if (!taken.has(id) && isAvailable(unit, task)) units.push(unit);
  }
  units.sort((a, b) => a.busyMs - b.busyMs || compareText(a.id, b.id));
  return units.map((unit) => unit.id);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
