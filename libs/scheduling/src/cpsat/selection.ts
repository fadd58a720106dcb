import { matchSlots } from '../match-slots.js';
import type { PlanRunning, PlanTask, Snapshot } from '../policy.js';
import { grouped } from '../problem/groups.js';
import { agedPriority } from '../ageing.js';
import { workKey, type Work } from './weights.js';

/** A unit that a run keeps for later tasks. */
export interface Lock {
  run: string;
  /** The running task that uses it, and its slot; null: it lies between two tasks. */
  by: { task: string; slot: string } | null;
  /** Tasks of the snapshot that must end before another run gets it. */
  keepers: readonly string[];
}

export interface Selection {
  /** Most important first. */
  works: readonly Work[];
  /** The candidate units for each slot of every planned task, in the order of the slots. */
  candidates: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Locks with a planned end, by unit. */
  locks: ReadonlyMap<string, Lock>;
  unplanned: { task: string; reason: string }[];
}

/**
 * Selects the waiting tasks that are planned. Left out, with a reason: blocked tasks; tasks that no unit can serve
 * now; tasks that wait for such a task, or are coupled to it by a group, a hold or a greatest lag (so that no device
 * is tied up for a task that cannot come); and the least important tasks beyond `limit`. Units that are kept for a
 * task left out, or used by something unknown, are unavailable to all others.
 *
 * @param limit approximate: work is planned as a whole, and work that has begun always is
 * @param stuck tasks that are known to have no place
 */
export function select(snapshot: Snapshot, limit: number, stuck: ReadonlySet<string>): Selection {
  const { works, inUse } = worksOf(snapshot);
  const locks = locksOf(snapshot, inUse);
  const running = new Map((snapshot.running ?? []).map((task) => [task.id, task]));
  const tasks = new Map(snapshot.tasks.map((task) => [task.id, task]));
  const rejected = new Map<string, string>();
  for (const task of stuck) rejected.set(task, 'what it needs is kept for tasks that wait for it');
  const closed = new Map<string, string>();

  for (;;) {
    const candidates = new Map<string, string[][]>();
    const chosen: Work[] = [];
    for (const work of works) {
      if (candidates.size >= limit && !work.begun) break;
      chosen.push(work);
      for (const task of work.tasks) {
        if (rejected.has(task.id)) continue;
        const found = isBlocked(task, snapshot, tasks, running)
          ? 'nobody knows when it may start'
          : unitsFor(task, snapshot, { tasks, running, inUse, locks, closed });
        if (typeof found === 'string') rejected.set(task.id, found);
        else candidates.set(task.id, found);
      }
    }
    if (rejected.size > 0) spread(chosen, tasks, candidates, running, rejected);
    const before = closed.size;
    for (const [unit, lock] of locks)
      if (!closed.has(unit) && !lock.keepers.every((keeper) => candidates.has(keeper) || running.has(keeper)))
        closed.set(unit, lock.run);
    if (closed.size > before) continue;

    const unplanned = snapshot.tasks.flatMap((task) =>
      candidates.has(task.id)
        ? []
        : [{ task: task.id, reason: rejected.get(task.id) ?? 'it lies beyond the horizon of the plan' }],
    );
    for (const unit of closed.keys()) locks.delete(unit);
    return { works: chosen, candidates, locks, unplanned };
  }
}

/** Work that completes together, most important first, and the units of running tasks. */
function worksOf(snapshot: Snapshot): { works: Work[]; inUse: Set<string> } {
  const begun = new Set<string>();
  const inUse = new Set<string>();
  for (const unit of snapshot.units.values()) if (unit.heldBy !== null) begun.add(unit.heldBy);
  for (const task of snapshot.running ?? []) {
    begun.add(workKey(task));
    for (const { unit } of Object.values(task.units)) inUse.add(unit);
  }
  const all = [...grouped(snapshot.tasks, workKey)].map(([key, tasks]): Work => {
    const waitingSince = Math.min(...tasks.map((task) => task.queuedAt));
    const highest = Math.max(...tasks.map((task) => task.priority));
    const priority = agedPriority(highest, waitingSince, snapshot.now);
    return { key, priority, waitingSince, begun: begun.has(key), tasks };
  });
  all.sort(
    (a, b) =>
      Number(b.begun) - Number(a.begun) ||
      b.priority - a.priority ||
      a.waitingSince - b.waitingSince ||
      (a.key < b.key ? -1 : 1),
  );
  return { works: all, inUse };
}

function locksOf(snapshot: Snapshot, inUse: ReadonlySet<string>): Map<string, Lock> {
  const locks = new Map<string, Lock>();
  for (const task of snapshot.running ?? [])
    for (const [slot, { unit: id, keptFor }] of Object.entries(task.units)) {
      const unit = snapshot.units.get(id);
      const held = unit?.heldBy !== null && unit?.heldBy === task.run ? unit.heldFor : [];
      const keepers = [...new Set([...keptFor, ...held])].filter((keeper) => keeper !== task.id);
      if (task.run !== null && keepers.length > 0)
        locks.set(id, { run: task.run, by: { task: task.id, slot }, keepers });
      else locks.delete(id);
    }
  for (const unit of snapshot.units.values())
    if (unit.heldBy !== null && !inUse.has(unit.id))
      // Kept for an unknown purpose: as far as a plan can know, for ever.
      locks.set(unit.id, {
        run: unit.heldBy,
        by: null,
        keepers: unit.heldFor.length > 0 ? unit.heldFor : [''],
      });
  return locks;
}

function isBlocked(
  task: PlanTask,
  snapshot: Snapshot,
  tasks: ReadonlyMap<string, PlanTask>,
  running: ReadonlyMap<string, unknown>,
): boolean {
  if (task.blocked === true) return true;
  if (task.ready !== false || (task.notBefore ?? 0) > snapshot.now) return false;
  const known = (id: string): boolean => tasks.has(id) || running.has(id);
  return !(
    (task.follows !== undefined && known(task.follows)) ||
    (task.dependencies ?? []).some((each) => known(each.task))
  );
}

interface Reach {
  tasks: ReadonlyMap<string, PlanTask>;
  running: ReadonlyMap<string, PlanRunning>;
  inUse: ReadonlySet<string>;
  locks: ReadonlyMap<string, Lock>;
  closed: ReadonlyMap<string, string>;
}

/** @returns the units for each slot, or the reason why a slot cannot be filled */
function unitsFor(task: PlanTask, snapshot: Snapshot, reach: Reach): string[][] | string {
  const all: string[][] = [];
  for (const slot of task.slots) {
    let candidates = slot.candidates;
    // If the slot gets the unit of another waiting task, the candidates are those of that task.
    for (let at = slot.sameAs, steps = 0; at !== undefined && steps < reach.tasks.size; steps += 1) {
      const { task: id, slot: name }: { task: string; slot: string } = at;
      const other = reach.tasks.get(id)?.slots.find((each) => each.name === name);
      const given = reach.running.get(id)?.units[name];
      if (given !== undefined) candidates = [given.unit];
      else if (other !== undefined) candidates = other.candidates;
      at = other?.sameAs;
    }
    // A unit that the run keeps is reserved for tasks that refer to it (a sample may lie there) if there is another.
    const others =
      slot.sameAs === undefined && task.run !== null
        ? candidates.filter((id) => reach.locks.get(id)?.run !== task.run)
        : [];
    const fitting = (others.length > 0 ? others : candidates).filter((id) => {
      const unit = snapshot.units.get(id);
      if (unit === undefined || !unit.usable || task.reserved?.includes(id) === true) return false;
      if (unit.busy && !reach.inUse.has(id)) return false;
      const closedFor = reach.closed.get(id);
      return closedFor === undefined || closedFor === task.run;
    });
    if (fitting.length === 0)
      return candidates.length === 0
        ? `nothing fits the slot ${slot.name}`
        : `nothing that fits the slot ${slot.name} can be used at present`;
    all.push(fitting);
  }
  if (all.length > 1 && matchSlots(task.slots, (slot) => all[task.slots.indexOf(slot)] ?? []) === undefined)
    return 'its slots cannot be filled at the same time at present';
  return all;
}

function spread(
  works: readonly Work[],
  tasks: ReadonlyMap<string, PlanTask>,
  candidates: Map<string, unknown>,
  running: ReadonlyMap<string, unknown>,
  rejected: Map<string, string>,
): void {
  const needs = new Map<string, Set<string>>();
  const need = (task: string, other: string): void => {
    const needing = needs.get(other);
    if (needing === undefined) needs.set(other, new Set([task]));
    else needing.add(task);
  };
  for (const { id, dependencies, follows, slots } of works.flatMap((work) => work.tasks)) {
    for (const { task: other, maxLagMs } of dependencies ?? []) {
      need(id, other);
      if (maxLagMs !== null) need(other, id);
    }
    if (follows !== undefined) {
      need(id, follows);
      need(follows, id);
    }
    for (const slot of slots) {
      if (slot.sameAs !== undefined) need(id, slot.sameAs.task);
      for (const keeper of slot.keptFor ?? []) need(id, keeper);
    }
  }
  const open = [...rejected.keys()];
  for (const other of needs.keys())
    if (!candidates.has(other) && !running.has(other) && tasks.has(other) && !rejected.has(other))
      open.push(other);
  for (let other = open.pop(); other !== undefined; other = open.pop())
    for (const id of needs.get(other) ?? [])
      if (candidates.delete(id)) {
        rejected.set(id, `it cannot do without ${other}, which is not planned`);
        open.push(id);
      }
}
