import type { Fault } from '@lab/contracts';
import { collisions, type Stay } from './exclusivity.js';
import { faultsOf, type Report } from './faults.js';
import type { PlannedTask, PlanRunning, PlanTask, Snapshot, Timetable } from './policy.js';

/** Tolerance for sums of fractions of milliseconds. */
const rounding = 1e-3;

/**
 * All faults of a timetable for a snapshot; empty: it can be carried out if every task takes its expected time. Shares
 * no code with policies.
 *
 * - Each task of the snapshot has a place, or is unplanned with a reason. Running tasks stay; blocked tasks have none.
 * - Starts obey `now`, `notBefore`, dependencies with their lags, and groups. `notAfter` is a wish. So are greatest
 *   lags and groups after a running task and for relaxed tasks.
 * - Units are candidates and usable, equal where a slot refers to another, used by one task at a time, and kept for
 *   the right tasks. A unit that is kept for a task without a place is kept for ever.
 *
 * @param tickMs rounding of the policy: tasks and greatest lags may be longer by this number of milliseconds
 */
export function checkTimetable(snapshot: Snapshot, timetable: Timetable, tickMs = 0): Fault[] {
  return faultsOf((report) => {
    const waiting = new Map(snapshot.tasks.map((task) => [task.id, task]));
    const running = new Map((snapshot.running ?? []).map((task) => [task.id, task]));
    const units = [...running.values()].flatMap((task) => Object.values(task.units));
    const inUse = new Set(units.map(({ unit }) => unit));
    const places = new Map<string, PlannedTask>();
    const world: World = { snapshot, waiting, running, places, inUse, tickMs, report };
    for (const [index, place] of timetable.tasks.entries()) {
      const path = `tasks[${index}]`;
      if (places.has(place.task)) report(path, 'planned_twice', `${place.task} has two places`);
      else if (waiting.has(place.task) || running.has(place.task)) places.set(place.task, place);
      else report(path, 'unknown_task', `${place.task} neither waits nor runs`);
    }
    for (const [index, place] of timetable.tasks.entries()) {
      const path = `tasks[${index}]`;
      const task = waiting.get(place.task);
      const going = running.get(place.task);
      if (going !== undefined) checkRunning(world, going, place, path);
      else if (task !== undefined) {
        checkTimes(world, task, place, path);
        checkOrder(world, task, place, path);
        checkSlots(world, task, place, path);
      }
    }
    checkPresence(world, timetable);
    checkExclusivity(world, timetable);
    checkQuality(timetable, tickMs, report);
  });
}

interface World {
  snapshot: Snapshot;
  waiting: ReadonlyMap<string, PlanTask>;
  running: ReadonlyMap<string, PlanRunning>;
  places: ReadonlyMap<string, PlannedTask>;
  /** Units of running tasks. */
  inUse: ReadonlySet<string>;
  tickMs: number;
  report: Report;
}

function checkPresence({ waiting, running, places, report }: World, timetable: Timetable): void {
  const unplanned = new Set<string>();
  for (const [index, { task, reason }] of timetable.unplanned.entries()) {
    const path = `unplanned[${index}]`;
    if (!waiting.has(task)) report(path, 'unknown_task', `${task} does not wait`);
    if (places.has(task) || unplanned.has(task)) report(path, 'planned_twice', `${task} is named already`);
    if (reason === '') report(path, 'no_reason', `nothing says why ${task} has no place`);
    unplanned.add(task);
  }
  for (const task of [...waiting.keys(), ...running.keys()])
    if (!places.has(task) && !unplanned.has(task))
      report('tasks', 'missing_task', `${task} has no place, and nothing says why`);
}

function checkRunning({ tickMs, report }: World, task: PlanRunning, place: PlannedTask, path: string): void {
  const { id, startedAt, expectedEnd } = task;
  const moved = (field: string, message: string): void =>
    report(`${path}.${field}`, 'moved_running', `${id} ${message}`);
  if (!(place.start <= startedAt && place.start > startedAt - Math.max(tickMs, rounding)))
    moved('start', `started at ${startedAt}, not at ${place.start}`);
  if (!isWithin(place.end, expectedEnd, tickMs))
    moved('end', `is expected to end at ${expectedEnd}, not ${place.end}`);
  for (const slot of new Set([...Object.keys(task.units), ...Object.keys(place.units)])) {
    const unit = task.units[slot]?.unit;
    if (place.units[slot] !== unit)
      moved(`units.${slot}`, `is on ${unit ?? 'nothing'}, not on ${place.units[slot] ?? 'nothing'}`);
  }
}

function checkTimes(world: World, task: PlanTask, place: PlannedTask, path: string): void {
  const { snapshot, tickMs, report } = world;
  if (task.blocked === true)
    report(path, 'blocked', `nobody knows when ${task.id} may start, and it has a place`);
  const earliest = Math.max(snapshot.now, task.notBefore ?? snapshot.now);
  if (!(place.start >= earliest))
    report(`${path}.start`, 'too_early', `${task.id} may not start before ${earliest}`);
  if (task.ready === false && place.start === snapshot.now && (task.dependencies ?? []).length === 0)
    report(`${path}.start`, 'not_ready', `${task.id} cannot start yet`);
  const takes = place.end - place.start;
  const expected = task.duration === null ? null : task.duration * 1_000;
  if (!(takes >= 0) || (expected !== null && !isWithin(takes, expected, tickMs))) {
    const message = `${task.id} takes ${takes} ms, and should take ${expected ?? 'no less than 0'}`;
    report(`${path}.end`, 'duration', message);
  }
}

function checkOrder(world: World, task: PlanTask, place: PlannedTask, path: string): void {
  const { waiting, running, places, tickMs, report } = world;
  const isOver = (id: string): boolean => !waiting.has(id) && !running.has(id);
  let lagsBehindGroup = false;
  for (const { task: id, minLagMs, maxLagMs } of task.dependencies ?? []) {
    if (isOver(id)) continue;
    if (id === task.follows && minLagMs > 0) lagsBehindGroup = true;
    const before = places.get(id);
    if (before === undefined) {
      report(path, 'dependency_unplanned', `${task.id} needs ${id}, which has no place`);
      continue;
    }
    const lag = place.start - before.end;
    const starts = `${task.id} starts ${lag} ms after ${id}`;
    if (!(lag >= minLagMs - rounding))
      report(`${path}.start`, 'min_lag', `${starts}, and may not before ${minLagMs}`);
    const longest = maxLagMs === null ? null : Math.max(minLagMs, maxLagMs) + tickMs + rounding;
    if (longest !== null && waiting.has(id) && place.relaxed !== true && !(lag <= longest))
      report(`${path}.start`, 'max_lag', `${starts}, and must within ${maxLagMs}`);
  }
  const { follows } = task;
  if (follows === undefined || isOver(follows) || lagsBehindGroup) return;
  const end = places.get(follows)?.end;
  if (end === undefined)
    return report(path, 'dependency_unplanned', `${task.id} follows ${follows}, which has no place`);
  const isExact = waiting.has(follows) && place.relaxed !== true;
  if (isExact ? Math.abs(place.start - end) > rounding : place.start < end - rounding)
    report(`${path}.start`, 'follows', `${task.id} starts at ${place.start}, and ${follows} ends at ${end}`);
}

function checkSlots(world: World, task: PlanTask, place: PlannedTask, path: string): void {
  const { snapshot, running, places, inUse, report } = world;
  const seen = new Set<string>();
  for (const { name, candidates, sameAs } of task.slots) {
    const at = `${path}.units.${name}`;
    const id = place.units[name];
    if (id === undefined) {
      report(at, 'empty_slot', `the slot ${name} of ${task.id} is not filled`);
      continue;
    }
    const unit = snapshot.units.get(id);
    if (unit === undefined) report(at, 'unknown_unit', `there is no ${id}`);
    else if (!unit.usable) report(at, 'unusable', `${id} cannot be used`);
    else if (task.reserved?.includes(id)) report(at, 'reserved', `${id} is reserved for others`);
    else if (unit.busy && !inUse.has(id)) report(at, 'busy', `${id} is in use, and nobody knows until when`);
    if (seen.has(id)) report(at, 'given_twice', `${id} fills another slot of ${task.id}`);
    seen.add(id);
    if (sameAs === undefined) {
      if (!candidates.includes(id))
        report(at, 'not_eligible', `${id} is not a candidate of the slot ${name}`);
      continue;
    }
    const { task: host, slot } = sameAs;
    const other = running.get(host)?.units[slot]?.unit ?? places.get(host)?.units[slot];
    if (other !== id)
      report(at, 'not_the_same', `${id}, but the slot ${slot} of ${host} has ${other ?? 'none'}`);
  }
  for (const name of Object.keys(place.units))
    if (!task.slots.some((slot) => slot.name === name))
      report(`${path}.units.${name}`, 'unknown_slot', `${task.id} has no slot ${name}`);
}

interface TaskStay extends Stay {
  run: string | null;
  /** The task that uses the unit; between two tasks, the run that keeps it. */
  name: string;
  path: string;
}

function checkExclusivity(world: World, timetable: Timetable): void {
  const { snapshot, waiting, running, places, report } = world;
  const lastOf = (tasks: readonly string[], from: number): number =>
    tasks.reduce((latest, id) => {
      if (!waiting.has(id) && !running.has(id)) return latest;
      return Math.max(latest, places.get(id)?.end ?? Infinity);
    }, from);
  const stays: TaskStay[] = [];
  for (const [index, place] of timetable.tasks.entries()) {
    const task = waiting.get(place.task);
    const going = running.get(place.task);
    for (const [slot, unit] of Object.entries(place.units)) {
      const keptFor =
        task?.slots.find((each) => each.name === slot)?.keptFor ?? going?.units[slot]?.keptFor ?? [];
      stays.push({
        unit,
        start: place.start,
        end: place.end,
        keptUntil: lastOf(keptFor, place.end),
        fixed: going !== undefined,
        rank: 0,
        run: task?.run ?? going?.run ?? null,
        name: place.task,
        path: `tasks[${index}].units.${slot}`,
      });
    }
  }
  for (const unit of snapshot.units.values()) {
    if (unit.heldBy === null) continue;
    stays.push({
      unit: unit.id,
      start: -Infinity,
      end: -Infinity,
      keptUntil: unit.heldFor.length === 0 ? Infinity : lastOf(unit.heldFor, -Infinity),
      fixed: true,
      rank: 0,
      run: unit.heldBy,
      name: unit.heldBy,
      path: 'units',
    });
  }
  const isShared = (keeper: TaskStay, guest: TaskStay): boolean =>
    keeper.run !== null && keeper.run === guest.run;
  for (const { first, second, kind } of collisions(stays, isShared))
    report(
      second.path,
      kind,
      kind === 'overlap'
        ? `${second.unit} is in use for ${first.name} until ${first.end}`
        : `${second.unit} is kept for ${first.name} until ${first.keptUntil}`,
    );
}

function checkQuality({ madeAt, tasks, quality }: Timetable, tickMs: number, report: Report): void {
  const { objective, lowerBound, gap, makespan } = quality;
  const last = tasks.reduce((latest, task) => Math.max(latest, task.end), madeAt) - madeAt;
  if (!(Math.abs(makespan * 1_000 - last) <= tickMs + rounding))
    report('quality.makespan', 'makespan', `is ${makespan} s, and the last task ends ${last} ms after`);
  if (lowerBound !== null && !(lowerBound <= objective + rounding))
    report('quality.lowerBound', 'lower_bound', `${lowerBound} is above the objective ${objective}`);
  const expected = lowerBound === null ? null : objective === 0 ? 0 : (objective - lowerBound) / objective;
  if (expected === null ? gap !== null : gap === null || !(Math.abs(gap - expected) <= 1e-6))
    report('quality.gap', 'gap', `is ${gap}, and should be ${expected}`);
}

function isWithin(value: number, expected: number, tickMs: number): boolean {
  return value >= expected - rounding && value <= expected + tickMs + rounding;
}
