import type { Fault } from '@lab/contracts';
import { collisions, type Stay } from './exclusivity.js';
import type { PlannedTask, PlanRunning, PlanTask, Snapshot, Timetable } from './policy.js';

/** Tolerance for sums of fractions of milliseconds. */
const rounding = 1e-3;

/**
 * All faults of a timetable for a snapshot; empty when it can be carried out, provided that every task takes its
 * expected time. Shares no code with any policy.
 *
 * - Each task of the snapshot has a place, or is named with a reason among the unplanned. Running tasks have their
 *   current place; blocked tasks have none.
 * - Starts obey `now`, `notBefore`, dependencies with their lags, and groups. After a running task, and for tasks
 *   marked as relaxed, greatest lags and groups are wishes, and so is `notAfter`.
 * - Units are candidates and usable, equal where a slot refers to another, used by one task at a time, and kept for
 *   the right tasks. A unit that is kept for a task without a place is kept for ever.
 *
 * @param tickMs rounding of the policy in milliseconds: tasks and greatest lags may be longer by this
 */
export function checkTimetable(snapshot: Snapshot, timetable: Timetable, tickMs = 0): Fault[] {
  const places = new Map<string, PlannedTask>();
  const world: World = {
    snapshot,
    waiting: new Map(snapshot.tasks.map((task) => [task.id, task])),
    running: new Map((snapshot.running ?? []).map((task) => [task.id, task])),
    places,
    inUse: new Set(
      (snapshot.running ?? []).flatMap((task) => Object.values(task.units).map(({ unit }) => unit)),
    ),
    tickMs,
  };
  const faults: Fault[] = [];
  timetable.tasks.forEach((place, index) => {
    const path = `tasks[${index}]`;
    if (places.has(place.task)) faults.push(fault(path, 'planned_twice', `${place.task} has two places`));
    else if (!world.waiting.has(place.task) && !world.running.has(place.task))
      faults.push(fault(path, 'unknown_task', `${place.task} neither waits nor runs`));
    else places.set(place.task, place);
  });
  for (const [index, place] of timetable.tasks.entries()) {
    const path = `tasks[${index}]`;
    const waiting = world.waiting.get(place.task);
    const running = world.running.get(place.task);
    if (running !== undefined) faults.push(...runningFaults(world, running, place, path));
    else if (waiting !== undefined)
      faults.push(
        ...timeFaults(world, waiting, place, path),
        ...orderFaults(world, waiting, place, path),
        ...slotFaults(world, waiting, place, path),
      );
  }
  return [
    ...faults,
    ...absenceFaults(world, timetable),
    ...exclusivityFaults(world, timetable),
    ...qualityFaults(timetable, tickMs),
  ];
}

interface World {
  snapshot: Snapshot;
  waiting: ReadonlyMap<string, PlanTask>;
  running: ReadonlyMap<string, PlanRunning>;
  places: ReadonlyMap<string, PlannedTask>;
  /** Units of running tasks. */
  inUse: ReadonlySet<string>;
  tickMs: number;
}

function absenceFaults({ waiting, running, places }: World, timetable: Timetable): Fault[] {
  const faults: Fault[] = [];
  const unplanned = new Set<string>();
  timetable.unplanned.forEach(({ task, reason }, index) => {
    const path = `unplanned[${index}]`;
    if (!waiting.has(task)) faults.push(fault(path, 'unknown_task', `${task} does not wait`));
    if (places.has(task) || unplanned.has(task))
      faults.push(fault(path, 'planned_twice', `${task} is named already`));
    if (reason === '') faults.push(fault(path, 'no_reason', `nothing says why ${task} has no place`));
    unplanned.add(task);
  });
  for (const task of [...waiting.keys(), ...running.keys()])
    if (!places.has(task) && !unplanned.has(task))
      faults.push(fault('tasks', 'missing_task', `${task} has no place, and nothing says why`));
  return faults;
}

function runningFaults({ tickMs }: World, task: PlanRunning, place: PlannedTask, path: string): Fault[] {
  const faults: Fault[] = [];
  const { startedAt, expectedEnd } = task;
  if (!(place.start <= startedAt && place.start > startedAt - Math.max(tickMs, rounding)))
    faults.push(
      fault(`${path}.start`, 'moved_running', `${task.id} started at ${startedAt}, not at ${place.start}`),
    );
  if (!isWithin(place.end, expectedEnd, tickMs))
    faults.push(
      fault(
        `${path}.end`,
        'moved_running',
        `${task.id} is expected to end at ${expectedEnd}, not ${place.end}`,
      ),
    );
  for (const slot of new Set([...Object.keys(task.units), ...Object.keys(place.units)]))
    if (place.units[slot] !== task.units[slot]?.unit)
      faults.push(
        fault(
          `${path}.units.${slot}`,
          'moved_running',
          `${task.id} is on ${task.units[slot]?.unit ?? 'nothing'}, not on ${place.units[slot] ?? 'nothing'}`,
        ),
      );
  return faults;
}

function timeFaults({ snapshot, tickMs }: World, task: PlanTask, place: PlannedTask, path: string): Fault[] {
  const faults: Fault[] = [];
  if (task.blocked === true)
    faults.push(fault(path, 'blocked', `nobody knows when ${task.id} may start, and it has a place`));
  const earliest = Math.max(snapshot.now, task.notBefore ?? snapshot.now);
  if (!(place.start >= earliest))
    faults.push(fault(`${path}.start`, 'too_early', `${task.id} may not start before ${earliest}`));
  if (task.ready === false && place.start === snapshot.now && (task.dependencies ?? []).length === 0)
    faults.push(fault(`${path}.start`, 'not_ready', `${task.id} cannot start yet`));
  const takes = place.end - place.start;
  const expected = task.duration === null ? null : task.duration * 1_000;
  if (!(takes >= 0) || (expected !== null && !isWithin(takes, expected, tickMs)))
    faults.push(
      fault(
        `${path}.end`,
        'duration',
        `${task.id} takes ${takes} ms, and should take ${expected ?? 'no less than 0'}`,
      ),
    );
  return faults;
}

function orderFaults(world: World, task: PlanTask, place: PlannedTask, path: string): Fault[] {
  const { waiting, running, places, tickMs } = world;
  const faults: Fault[] = [];
  const isOver = (id: string): boolean => !waiting.has(id) && !running.has(id);
  let lagsBehindGroup = false;
  for (const { task: id, minLagMs, maxLagMs } of task.dependencies ?? []) {
    if (isOver(id)) continue;
    if (id === task.follows && minLagMs > 0) lagsBehindGroup = true;
    const before = places.get(id);
    if (before === undefined) {
      faults.push(fault(path, 'dependency_unplanned', `${task.id} needs ${id}, which has no place`));
      continue;
    }
    const lag = place.start - before.end;
    if (!(lag >= minLagMs - rounding))
      faults.push(
        fault(
          `${path}.start`,
          'min_lag',
          `${task.id} starts ${lag} ms after ${id}, and may not before ${minLagMs}`,
        ),
      );
    const longest = maxLagMs === null ? null : Math.max(minLagMs, maxLagMs) + tickMs + rounding;
    if (longest !== null && waiting.has(id) && place.relaxed !== true && !(lag <= longest))
      faults.push(
        fault(
          `${path}.start`,
          'max_lag',
          `${task.id} starts ${lag} ms after ${id}, and must within ${maxLagMs}`,
        ),
      );
  }
  if (task.follows !== undefined && !isOver(task.follows) && !lagsBehindGroup) {
    const end = places.get(task.follows)?.end;
    if (end === undefined)
      faults.push(
        fault(path, 'dependency_unplanned', `${task.id} follows ${task.follows}, which has no place`),
      );
    else if (
      waiting.has(task.follows) && place.relaxed !== true
        ? Math.abs(place.start - end) > rounding
        : place.start < end - rounding
    )
      faults.push(
        fault(
          `${path}.start`,
          'follows',
          `${task.id} starts at ${place.start}, and ${task.follows} ends at ${end}`,
        ),
      );
  }
  return faults;
}

function slotFaults(world: World, task: PlanTask, place: PlannedTask, path: string): Fault[] {
  const { snapshot, running, places, inUse } = world;
  const faults: Fault[] = [];
  const seen = new Set<string>();
  for (const slot of task.slots) {
    const at = `${path}.units.${slot.name}`;
    const id = place.units[slot.name];
    if (id === undefined) {
      faults.push(fault(at, 'empty_slot', `the slot ${slot.name} of ${task.id} is not filled`));
      continue;
    }
    const unit = snapshot.units.get(id);
    if (unit === undefined) faults.push(fault(at, 'unknown_unit', `there is no ${id}`));
    else if (!unit.usable) faults.push(fault(at, 'unusable', `${id} cannot be used`));
    else if (unit.busy && !inUse.has(id))
      faults.push(fault(at, 'busy', `${id} is in use, and nobody knows until when`));
    if (seen.has(id)) faults.push(fault(at, 'given_twice', `${id} fills another slot of ${task.id}`));
    seen.add(id);
    const { sameAs } = slot;
    if (sameAs === undefined) {
      if (!slot.candidates.includes(id))
        faults.push(fault(at, 'not_eligible', `${id} is not a candidate of the slot ${slot.name}`));
      continue;
    }
    const other =
      running.get(sameAs.task)?.units[sameAs.slot]?.unit ?? places.get(sameAs.task)?.units[sameAs.slot];
    if (other !== id)
      faults.push(
        fault(
          at,
          'not_the_same',
          `${id}, but the slot ${sameAs.slot} of ${sameAs.task} has ${other ?? 'none'}`,
        ),
      );
  }
  for (const name of Object.keys(place.units))
    if (!task.slots.some((slot) => slot.name === name))
      faults.push(fault(`${path}.units.${name}`, 'unknown_slot', `${task.id} has no slot ${name}`));
  return faults;
}

interface TaskStay extends Stay {
  run: string | null;
  /** The task that uses the unit; if the unit lies between two tasks, the run that keeps it. */
  name: string;
  path: string;
}

function exclusivityFaults(world: World, timetable: Timetable): Fault[] {
  const { snapshot, waiting, running, places } = world;
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
  return collisions(stays, isShared).map(({ first, second, kind }) =>
    fault(
      second.path,
      kind,
      kind === 'overlap'
        ? `${second.unit} is in use for ${first.name} until ${first.end}`
        : `${second.unit} is kept for ${first.name} until ${first.keptUntil}`,
    ),
  );
}

function qualityFaults({ madeAt, tasks, quality }: Timetable, tickMs: number): Fault[] {
  const faults: Fault[] = [];
  const { objective, lowerBound, gap, makespan } = quality;
  const last = tasks.reduce((latest, task) => Math.max(latest, task.end), madeAt);
  if (!(Math.abs(makespan * 1_000 - (last - madeAt)) <= tickMs + rounding))
    faults.push(
      fault(
        'quality.makespan',
        'makespan',
        `is ${makespan} s, and the last task ends ${last - madeAt} ms after`,
      ),
    );
  if (lowerBound !== null && !(lowerBound <= objective + rounding))
    faults.push(
      fault('quality.lowerBound', 'lower_bound', `${lowerBound} is above the objective ${objective}`),
    );
  const expected = lowerBound === null ? null : objective === 0 ? 0 : (objective - lowerBound) / objective;
  if (expected === null ? gap !== null : gap === null || !(Math.abs(gap - expected) <= 1e-6))
    faults.push(fault('quality.gap', 'gap', `is ${gap}, and should be ${expected}`));
  return faults;
}

/** @returns whether a value is `expected`, or at most one tick above it */
function isWithin(value: number, expected: number, tickMs: number): boolean {
  return value >= expected - rounding && value <= expected + tickMs + rounding;
}

function fault(path: string, code: string, message: string): Fault {
  return { path, code, message };
}
