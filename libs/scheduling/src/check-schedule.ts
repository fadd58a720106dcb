import type { Fault } from '@lab/contracts';
import { collisions, type Stay } from './exclusivity.js';
import { faultsOf, type Report } from './faults.js';
import { objectiveOf, type Activity, type Problem, type Schedule } from './problem/problem.js';

/**
 * All faults of a schedule; empty: it is feasible and its objective is right. Shares no code with searches.
 *
 * The check ignores wishes ({@link Problem}): `follows` and `maxLag` after a fixed activity. It compares fixed
 * activities with nothing but their decision.
 */
export function checkSchedule(problem: Problem, schedule: Schedule): Fault[] {
  return faultsOf((report) => {
    const count = problem.activities.length;
    for (const part of ['starts', 'ends', 'units'] as const)
      if (schedule[part].length !== count)
        return report(part, 'shape', `has ${schedule[part].length} entries for ${count} activities`);
    for (const [index, activity] of problem.activities.entries()) {
      checkUnits(problem, schedule, activity, index, report);
      checkTimes(schedule, activity, index, report);
      checkOrder(problem, schedule, activity, index, report);
    }
    checkExclusivity(problem, schedule, report);
    const { total } = objectiveOf(problem, schedule.ends);
    if (!(Math.abs(schedule.objective - total) <= 1e-9 * Math.max(1, Math.abs(total))))
      report('objective', 'objective', `is ${schedule.objective}, and should be ${total}`);
  });
}

function checkUnits(
  problem: Problem,
  schedule: Schedule,
  { slots, fixed }: Activity,
  index: number,
  report: Report,
): void {
  const units = schedule.units[index] ?? [];
  const path = `activities[${index}]`;
  if (units.length !== slots.length)
    return report(path, 'shape', `has ${units.length} units for ${slots.length} slots`);
  if (fixed !== null) {
    if (units.some((unit, slot) => unit !== fixed.units[slot]))
      report(path, 'moved_fixed', `is on ${units.join()}, and was decided to be on ${fixed.units.join()}`);
    return;
  }
  slots.forEach((slot, place) => {
    const at = `${path}.slots[${place}]`;
    const unit = units[place] ?? -1;
    if (!Number.isInteger(unit) || unit < 0 || unit >= problem.units)
      report(at, 'unknown_unit', `there is no unit ${unit}`);
    else if (!slot.units.includes(unit)) report(at, 'not_eligible', `unit ${unit} cannot fill the slot`);
    if (units.indexOf(unit) !== place)
      report(at, 'given_twice', `unit ${unit} fills another slot of the activity`);
    if (slot.sameAs === null) return;
    const other = schedule.units[slot.sameAs.activity]?.[slot.sameAs.slot];
    if (other !== unit)
      report(at, 'not_the_same', `unit ${unit}, but activity ${slot.sameAs.activity} has ${other}`);
  });
}

function checkTimes(schedule: Schedule, activity: Activity, index: number, report: Report): void {
  const path = `activities[${index}]`;
  const start = schedule.starts[index] ?? Number.NaN;
  const end = schedule.ends[index] ?? Number.NaN;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end))
    return report(path, 'not_whole', `goes from ${start} to ${end}, which are not whole ticks`);
  const duration = durationOf(activity, schedule.units[index] ?? []);
  if (end - start !== duration)
    report(path, 'duration', `takes ${end - start} ticks, and should take ${duration}`);
  const { fixed } = activity;
  const release = Math.max(0, activity.release);
  if (fixed !== null && start !== fixed.start)
    report(path, 'moved_fixed', `starts at ${start}, and was decided to at ${fixed.start}`);
  if (fixed === null && start < release)
    report(path, 'too_early', `starts at ${start}, and may not before ${release}`);
}

function checkOrder(
  problem: Problem,
  schedule: Schedule,
  { predecessors, follows, fixed }: Activity,
  index: number,
  report: Report,
): void {
  if (fixed !== null) return;
  const path = `activities[${index}]`;
  const start = schedule.starts[index] ?? Number.NaN;
  const endOf = (other: number): number => schedule.ends[other] ?? Number.NaN;
  const isFixed = (other: number): boolean => problem.activities[other]?.fixed !== null;
  for (const { activity: other, minLag, maxLag } of predecessors) {
    const lag = start - endOf(other);
    const begins = `starts ${lag} ticks after activity ${other}`;
    if (!(lag >= minLag)) report(path, 'min_lag', `${begins}, and may not before ${minLag}`);
    if (maxLag !== null && !isFixed(other) && !(lag <= maxLag))
      report(path, 'max_lag', `${begins}, and must within ${maxLag}`);
  }
  if (follows === null) return;
  const end = endOf(follows);
  if (isFixed(follows) ? start < end : start !== end)
    report(path, 'follows', `starts at ${start}, and activity ${follows} ends at ${end}`);
}

interface SlotStay extends Stay {
  activity: number;
  slot: number;
}

function checkExclusivity(problem: Problem, schedule: Schedule, report: Report): void {
  const stays = problem.activities.flatMap((activity, index) =>
    activity.slots.map((slot, place): SlotStay => {
      const end = schedule.ends[index] ?? Number.NaN;
      return {
        activity: index,
        slot: place,
        unit: schedule.units[index]?.[place] ?? -1,
        start: schedule.starts[index] ?? Number.NaN,
        end,
        keptUntil: Math.max(end, ...slot.keptUntil.map((other) => schedule.ends[other] ?? end)),
        fixed: activity.fixed !== null,
        rank: ancestors(problem, index, place).length,
      };
    }),
  );
  const isShared = (keeper: SlotStay, guest: SlotStay): boolean =>
    ancestors(problem, guest.activity, guest.slot).some(
      (slot) => slot.activity === keeper.activity && slot.slot === keeper.slot,
    );
  for (const { first, second, kind } of collisions(stays, isShared))
    report(
      `activities[${second.activity}].slots[${second.slot}]`,
      kind,
      kind === 'overlap'
        ? `unit ${second.unit} is in use by activity ${first.activity} until ${first.end}`
        : `unit ${second.unit} is kept by activity ${first.activity} until ${first.keptUntil}`,
    );
}

/** The slots to which a slot refers, directly or through others; finite even if they refer in a circle. */
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
