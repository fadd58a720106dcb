import type { Fault } from '@lab/contracts';
import { collisions, type Stay } from './exclusivity.js';
import { objectiveOf, type Activity, type Problem, type Schedule } from './problem/problem.js';

/**
 * All faults of a schedule of a problem; empty when the schedule is feasible and its objective is right. Shares no
 * code with any search, so that it finds the defects of searches.
 *
 * The check ignores the wishes of a {@link Problem}: `follows` and `maxLag` after a fixed activity. It compares fixed
 * activities with their decision, and with nothing else.
 */
export function checkSchedule(problem: Problem, schedule: Schedule): Fault[] {
  const count = problem.activities.length;
  for (const part of ['starts', 'ends', 'units'] as const)
    if (schedule[part].length !== count)
      return [fault(part, 'shape', `has ${schedule[part].length} entries for ${count} activities`)];
  const faults = problem.activities.flatMap((activity, index) => [
    ...unitFaults(problem, schedule, activity, index),
    ...timeFaults(schedule, activity, index),
    ...orderFaults(problem, schedule, activity, index),
  ]);
  faults.push(...exclusivityFaults(problem, schedule));
  const { total } = objectiveOf(problem, schedule.ends);
  if (!(Math.abs(schedule.objective - total) <= 1e-9 * Math.max(1, Math.abs(total))))
    faults.push(fault('objective', 'objective', `is ${schedule.objective}, and should be ${total}`));
  return faults;
}

function unitFaults(problem: Problem, schedule: Schedule, activity: Activity, index: number): Fault[] {
  const units = schedule.units[index] ?? [];
  const path = `activities[${index}]`;
  if (units.length !== activity.slots.length)
    return [fault(path, 'shape', `has ${units.length} units for ${activity.slots.length} slots`)];
  const { fixed } = activity;
  if (fixed !== null)
    return units.every((unit, slot) => unit === fixed.units[slot])
      ? []
      : [fault(path, 'moved_fixed', `is on ${units.join()}, and was decided to be on ${fixed.units.join()}`)];
  return activity.slots.flatMap((slot, place) => {
    const at = `${path}.slots[${place}]`;
    const unit = units[place] ?? -1;
    const faults: Fault[] = [];
    if (!Number.isInteger(unit) || unit < 0 || unit >= problem.units)
      faults.push(fault(at, 'unknown_unit', `there is no unit ${unit}`));
    else if (!slot.units.includes(unit))
      faults.push(fault(at, 'not_eligible', `unit ${unit} cannot fill the slot`));
    if (units.indexOf(unit) !== place)
      faults.push(fault(at, 'given_twice', `unit ${unit} fills another slot of the activity`));
    if (slot.sameAs !== null) {
      const other = schedule.units[slot.sameAs.activity]?.[slot.sameAs.slot];
      if (other !== unit)
        faults.push(
          fault(at, 'not_the_same', `unit ${unit}, but activity ${slot.sameAs.activity} has ${other}`),
        );
    }
    return faults;
  });
}

function timeFaults(schedule: Schedule, activity: Activity, index: number): Fault[] {
  const path = `activities[${index}]`;
  const start = schedule.starts[index] ?? Number.NaN;
  const end = schedule.ends[index] ?? Number.NaN;
  const faults: Fault[] = [];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end))
    return [fault(path, 'not_whole', `goes from ${start} to ${end}, which are not whole ticks`)];
  const duration = durationOf(activity, schedule.units[index] ?? []);
  if (end - start !== duration)
    faults.push(fault(path, 'duration', `takes ${end - start} ticks, and should take ${duration}`));
  if (activity.fixed !== null) {
    if (start !== activity.fixed.start)
      faults.push(
        fault(path, 'moved_fixed', `starts at ${start}, and was decided to at ${activity.fixed.start}`),
      );
    return faults;
  }
  const release = Math.max(0, activity.release);
  if (start < release)
    faults.push(fault(path, 'too_early', `starts at ${start}, and may not before ${release}`));
  return faults;
}

function orderFaults(problem: Problem, schedule: Schedule, activity: Activity, index: number): Fault[] {
  if (activity.fixed !== null) return [];
  const path = `activities[${index}]`;
  const start = schedule.starts[index] ?? Number.NaN;
  const endOf = (other: number): number => schedule.ends[other] ?? Number.NaN;
  const isFixed = (other: number): boolean => problem.activities[other]?.fixed !== null;
  const faults: Fault[] = [];
  for (const { activity: other, minLag, maxLag } of activity.predecessors) {
    const lag = start - endOf(other);
    if (!(lag >= minLag))
      faults.push(
        fault(path, 'min_lag', `starts ${lag} ticks after activity ${other}, and may not before ${minLag}`),
      );
    if (maxLag !== null && !isFixed(other) && !(lag <= maxLag))
      faults.push(
        fault(path, 'max_lag', `starts ${lag} ticks after activity ${other}, and must within ${maxLag}`),
      );
  }
  if (activity.follows !== null) {
    const end = endOf(activity.follows);
    if (isFixed(activity.follows) ? start < end : start !== end)
      faults.push(
        fault(path, 'follows', `starts at ${start}, and activity ${activity.follows} ends at ${end}`),
      );
  }
  return faults;
}

interface SlotStay extends Stay {
  activity: number;
  slot: number;
}

function exclusivityFaults(problem: Problem, schedule: Schedule): Fault[] {
  const stays = problem.activities.flatMap((activity, index) =>
    activity.slots.map((slot, place): SlotStay => {
      const end = schedule.ends[index] ?? Number.NaN;
      return {
        activity: index,
        slot: place,
        unit: schedule.units[index]?.[place] ?? -1,
        start: schedule.starts[index] ?? Number.NaN,
        end,
        keptUntil: slot.keptUntil.reduce(
          (latest, other) => Math.max(latest, schedule.ends[other] ?? end),
          end,
        ),
        fixed: activity.fixed !== null,
        rank: ancestors(problem, index, place).length,
      };
    }),
  );
  const isShared = (keeper: SlotStay, guest: SlotStay): boolean =>
    ancestors(problem, guest.activity, guest.slot).some(
      (slot) => slot.activity === keeper.activity && slot.slot === keeper.slot,
    );
  return collisions(stays, isShared).map(({ first, second, kind }) =>
    fault(
      `activities[${second.activity}].slots[${second.slot}]`,
      kind,
      kind === 'overlap'
        ? `unit ${second.unit} is in use by activity ${first.activity} until ${first.end}`
        : `unit ${second.unit} is kept by activity ${first.activity} until ${first.keptUntil}`,
    ),
  );
}

/** The slots to which a slot refers, directly or through others. Also ends if they refer in a circle. */
function ancestors(problem: Problem, activity: number, slot: number): { activity: number; slot: number }[] {
  const found: { activity: number; slot: number }[] = [];
  let at = problem.activities[activity]?.slots[slot]?.sameAs ?? null;
  while (at !== null && found.length < problem.activities.length) {
    found.push(at);
    at = problem.activities[at.activity]?.slots[at.slot]?.sameAs ?? null;
  }
  return found;
}

function durationOf(activity: Activity, units: readonly number[]): number {
  for (const [place, slot] of activity.slots.entries()) {
    const own = slot.durations?.[slot.units.indexOf(units[place] ?? -1)];
    if (own !== undefined) return own;
  }
  return activity.duration;
}

function fault(path: string, code: string, message: string): Fault {
  return { path, code, message };
}
