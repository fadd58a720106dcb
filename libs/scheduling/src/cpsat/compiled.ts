import type { PlanTask } from '../policy.js';
import type { Problem, Schedule } from '../problem/problem.js';
import type { Facts } from './facts.js';

/** Rules that are dropped where not all can be kept. */
export interface Concessions {
  /** Tasks that have no place in any plan, because waiting tasks keep the units that they need. */
  stuck: ReadonlySet<string>;
  /** Tasks that are planned without their greatest lags, or without these and their group. */
  relaxed: ReadonlyMap<string, 'lags' | 'group'>;
}

/** A snapshot in numbers, with the meaning of the numbers. */
export interface Compiled {
  problem: Problem;
  /** Tick 0 in milliseconds since 1970: the time of the snapshot. */
  origin: number;
  tickMs: number;
  /** Task of each activity; null for an activity that has ended. */
  taskOf: readonly (string | null)[];
  activityOf: ReadonlyMap<string, number>;
  /** Names of the slots of each activity. */
  slotNames: readonly (readonly string[])[];
  /** Id of each unit. */
  unitIds: readonly string[];
  unitOf: ReadonlyMap<string, number>;
  /** The waiting tasks with a place, by activity. */
  waiting: ReadonlyMap<number, PlanTask>;
  unplanned: { task: string; reason: string }[];
  concessions: Concessions;
  facts: Facts;
}

/** Times in milliseconds since 1970, and the unit for each slot of a task. */
export interface Place {
  start: number;
  end: number;
  units: Record<string, string>;
}

export function placesOf(compiled: Compiled, schedule: Schedule): Map<string, Place> {
  const places = new Map<string, Place>();
  const moment = (tick = 0): number => compiled.origin + tick * compiled.tickMs;
  for (const [activity, task] of compiled.waiting)
    places.set(task.id, {
      start: moment(schedule.starts[activity]),
      end: moment(schedule.ends[activity]),
      units: unitsOf(compiled, schedule, activity),
    });
  return places;
}

export function unitsOf(compiled: Compiled, schedule: Schedule, activity: number): Record<string, string> {
  const units = schedule.units[activity] ?? [];
  const names = compiled.slotNames[activity] ?? [];
  return Object.fromEntries(names.map((name, slot) => [name, compiled.unitIds[units[slot] ?? -1] ?? '']));
}
