import { isWaiting, type TaskPlan } from '@lab/contracts';
import type { PlannedTask, Timetable } from '@lab/scheduling';
import type { WorkingState } from '../turn/index.js';

/** The plans of tasks: the first one of each task, and the last one before its start. */
export class Plans {
  /** The timetable at the end of the latest turn; null: there was none. */
  #inForce: Timetable | null = null;

  /**
   * The last plan of a task that starts in this turn: that at the end of the turn before. A task that no earlier turn has
   * planned has the plan of this turn.
   *
   * @param timetable of this turn
   * @returns null when no plan has the task
   */
  lastOf(id: string, timetable: Timetable | null): TaskPlan | null {
    for (const each of [this.#inForce, timetable]) {
      const planned = each?.tasks.find(({ task }) => task === id);
      if (each !== null && planned !== undefined) return taskPlan(each, planned);
    }
    return null;
  }

  /**
   * Ends a turn with its timetable.
   *
   * @returns the plans of the waiting tasks that have no first plan
   */
  publish(state: WorkingState, timetable: Timetable | null): { id: string; plan: TaskPlan }[] {
    this.#inForce = timetable;
    if (timetable === null) return [];
    return timetable.tasks.flatMap((planned) => {
      const row = state.rows.taskRuns.get(planned.task);
      return row?.firstPlan === null && isWaiting(row.state)
        ? [{ id: row.id, plan: taskPlan(timetable, planned) }]
        : [];
    });
  }
}

function taskPlan({ madeAt }: Timetable, { start, end, units }: PlannedTask): TaskPlan {
  const devices = Object.entries(units).flatMap(([slot, unit]) =>
    slot.startsWith('device:') ? [[slot.slice('device:'.length), unit.slice('device:'.length)]] : [],
  );
  return {
    ...{ start: iso(start), end: iso(end), at: iso(madeAt) },
    devices: Object.fromEntries(devices) as Record<string, string>,
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
