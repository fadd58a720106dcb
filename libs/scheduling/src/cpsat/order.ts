import type { Schedule } from '../problem/problem.js';
import type { Compiled, Place } from './compiled.js';

/** An order of activities, given by starts in ticks that need not be feasible, with the units that they had. */
export interface Order {
  starts: number[];
  /** Empty for an activity without a place. */
  units: (readonly number[])[];
}

/**
 * The order of an earlier plan for the tasks of a later snapshot. A new task is placed with the planned tasks of its
 * run; otherwise before work with a lower weight; otherwise last; never before a frozen task.
 */
export function orderOf(
  { problem, waiting, origin, tickMs, slotNames, unitOf }: Compiled,
  places: ReadonlyMap<string, Place>,
  frozen: ReadonlySet<string>,
): Order {
  const starts = problem.activities.map((activity) => activity.fixed?.start ?? 0);
  const units = problem.activities.map((activity): readonly number[] => activity.fixed?.units ?? []);
  const firstOfRun = new Map<number, number>();
  const firstOfWeight = new Map<number, number>();
  let lastFrozen = -Infinity;
  let last = 0;
  const keepLeast = (map: Map<number, number>, key: number, start: number): void => {
    map.set(key, Math.min(start, map.get(key) ?? Infinity));
  };
  for (const [activity, task] of waiting) {
    const place = places.get(task.id);
    if (place === undefined) continue;
    const start = (place.start - origin) / tickMs;
    starts[activity] = start;
    units[activity] = (slotNames[activity] ?? []).map((slot) => unitOf.get(place.units[slot] ?? '') ?? -1);
    const run = problem.activities[activity]?.run ?? -1;
    keepLeast(firstOfRun, run, start);
    if (frozen.has(task.id)) lastFrozen = Math.max(lastFrozen, start);
    else keepLeast(firstOfWeight, problem.runs[run]?.weight ?? 0, start);
    last = Math.max(last, start);
  }
  let earliest = Infinity;
  const before = new Map<number, number>();
  for (const weight of [...new Set(problem.runs.map((run) => run.weight))].sort((a, b) => a - b)) {
    before.set(weight, earliest);
    earliest = Math.min(earliest, firstOfWeight.get(weight) ?? Infinity);
  }
  for (const [activity, task] of waiting) {
    if (places.has(task.id)) continue;
    const run = problem.activities[activity]?.run ?? -1;
    const next = firstOfRun.get(run) ?? before.get(problem.runs[run]?.weight ?? 0) ?? Infinity;
    starts[activity] = Math.max(Math.min(next - 0.5, last + 1), lastFrozen + 0.5);
  }
  return { starts, units };
}

/** Frozen tasks as planned, then the others in the order of another schedule; null: in the order of the queue. */
export function reordered(
  compiled: Compiled,
  places: ReadonlyMap<string, Place>,
  frozen: ReadonlySet<string>,
  other: Pick<Schedule, 'starts' | 'units'> | null,
): Order {
  const kept = new Map([...places].filter(([task]) => frozen.has(task)));
  const order = orderOf(compiled, kept, frozen);
  let first = 0;
  for (const [activity, task] of compiled.waiting)
    if (kept.has(task.id)) first = Math.max(first, order.starts[activity] ?? 0);
  for (const [activity, task] of compiled.waiting)
    if (!kept.has(task.id)) {
      order.starts[activity] = first + 1 + (other?.starts[activity] ?? activity);
      order.units[activity] = other?.units[activity] ?? [];
    }
  return order;
}
