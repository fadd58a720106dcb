import type { PlanTask } from '../policy.js';
import type { Problem, Schedule } from '../problem/problem.js';
import type { Facts } from './facts.js';

/** What is given up where not everything can be had. */
export interface Concessions {
  /** Tasks that have no place whatever is done: what they need is kept by those that wait for them. */
  stuck: ReadonlySet<string>;
  /** Tasks that are planned without their greatest lags, or without these and their group. */
  relaxed: ReadonlyMap<string, 'lags' | 'group'>;
}

/** A snapshot in numbers, and what the numbers stand for. */
export interface Compiled {
  problem: Problem;
  /** Tick 0 in milliseconds since 1970: the moment of the snapshot. */
  origin: number;
  /** Milliseconds per tick. */
  tickMs: number;
  /** Task of each activity; null of those that stand for something that has ended. */
  taskOf: readonly (string | null)[];
  activityOf: ReadonlyMap<string, number>;
  /** Names of the slots of each activity. */
  slotNames: readonly (readonly string[])[];
  /** Id of each unit. */
  unitIds: readonly string[];
  unitOf: ReadonlyMap<string, number>;
  /** The waiting tasks that have a place, by activity. */
  waiting: ReadonlyMap<number, PlanTask>;
  /** The waiting tasks that have none. */
  unplanned: { task: string; reason: string }[];
  concessions: Concessions;
  facts: Facts;
}

/** Where a task has its place: in milliseconds since 1970, on units by slot. */
export interface Place {
  start: number;
  end: number;
  units: Record<string, string>;
}

/** Where a schedule puts the tasks that wait. */
export function placesOf(compiled: Compiled, schedule: Schedule): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [activity, task] of compiled.waiting)
    places.set(task.id, {
      start: momentOf(compiled, schedule.starts[activity] ?? 0),
      end: momentOf(compiled, schedule.ends[activity] ?? 0),
      units: unitsOf(compiled, schedule, activity),
    });
  return places;
}

export function unitsOf(compiled: Compiled, schedule: Schedule, activity: number): Record<string, string> {
  const units = schedule.units[activity] ?? [];
  const names = compiled.slotNames[activity] ?? [];
  return Object.fromEntries(names.map((name, slot) => [name, compiled.unitIds[units[slot] ?? -1] ?? '']));
}

export function momentOf(compiled: Compiled, tick: number): number {
  return compiled.origin + tick * compiled.tickMs;
}
