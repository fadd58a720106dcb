import type { Schedule } from '../problem/problem.js';
import { unitsOf, type Compiled, type Place } from './compiled.js';

export interface Steadiness {
  /** Milliseconds; tasks that start within this time keep their place. */
  frozenWindowMs: number;
  /** Milliseconds for which a task must have been planned before its start can be frozen, so that searches had time. */
  settledAfterMs: number;
}

export interface KnownPlace extends Place {
  /** Milliseconds since 1970. */
  since: number;
}

/** Moving a task counts as a disturbance within this number of frozen windows. */
const lookAhead = 10;
/** The cost of moving a task: a delay of its run by this share of the frozen window. */
const disturbance = 1 / 60;

/** Tasks whose start must stay: it is near, and was planned long enough ago that somebody may rely on it. */
export function frozenTasks(
  places: ReadonlyMap<string, KnownPlace>,
  now: number,
  { frozenWindowMs, settledAfterMs }: Steadiness,
): Set<string> {
  const frozen = new Set<string>();
  for (const [task, place] of places)
    if (place.start < now + frozenWindowMs && place.since <= now - settledAfterMs) frozen.add(task);
  return frozen;
}

/**
 * Says whether another schedule keeps everything frozen, and starts no task later that should soon follow a running or
 * ended task (the rest of a group, or a task with a greatest lag).
 */
export function keepsFrozen(
  compiled: Compiled,
  frozen: ReadonlySet<string>,
  schedule: Schedule,
  other: Schedule,
): boolean {
  const { activities } = compiled.problem;
  const isDecided = (activity: number | null): boolean =>
    activity !== null && (activities[activity]?.fixed ?? null) !== null;
  for (const activity of compiled.waiting.keys()) {
    const { follows = null, predecessors = [] } = activities[activity] ?? {};
    const hurries =
      isDecided(follows) || predecessors.some((each) => each.maxLag !== null && isDecided(each.activity));
    if (hurries && (other.starts[activity] ?? 0) > (schedule.starts[activity] ?? 0)) return false;
  }
  for (const task of frozen) {
    const activity = compiled.activityOf.get(task);
    if (activity === undefined || !compiled.waiting.has(activity)) continue;
    if (schedule.starts[activity] !== other.starts[activity]) return false;
    const units = schedule.units[activity] ?? [];
    if (units.some((unit, slot) => unit !== other.units[activity]?.[slot])) return false;
  }
  return true;
}

/**
 * Objective of a schedule and its disturbances: a task of the last plan that moves to another unit, or by more than
 * 1/60 of the frozen window, within the next 10 frozen windows counts as a delay of its run by that 1/60.
 */
export function costOf(
  compiled: Compiled,
  schedule: Schedule,
  places: ReadonlyMap<string, KnownPlace>,
  { frozenWindowMs }: Steadiness,
): number {
  const tolerance = (frozenWindowMs * disturbance) / compiled.tickMs;
  const horizon = (frozenWindowMs * lookAhead) / compiled.tickMs;
  let cost = schedule.objective;
  for (const [activity, task] of compiled.waiting) {
    const place = places.get(task.id);
    if (place === undefined) continue;
    const planned = (place.start - compiled.origin) / compiled.tickMs;
    const start = schedule.starts[activity] ?? 0;
    if (Math.min(planned, start) > horizon) continue;
    const units = unitsOf(compiled, schedule, activity);
    const moved =
      Math.abs(start - planned) > Math.max(1, tolerance) ||
      Object.entries(units).some(([slot, unit]) => place.units[slot] !== unit);
    if (moved) {
      const run = compiled.problem.activities[activity]?.run ?? -1;
      cost += (compiled.problem.runs[run]?.weight ?? 0) * tolerance;
    }
  }
  return cost;
}
