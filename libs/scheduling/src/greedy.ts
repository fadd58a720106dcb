import { agedPriority } from './ageing.js';
import { HoldSafety, notKept } from './greedy-holds.js';
import { matchSlots } from './match-slots.js';
import type { Assignment, Plan, PlanSlot, PlanTask, PlanUnit, Policy, Snapshot } from './policy.js';

/** Milliseconds after which units are reserved for a task that needs several at once. */
const patienceMs = 60_000;

/**
 * The order in which tasks choose units: highest aged priority first, so that no task waits for ever. Among equals,
 * the earliest latest start goes first, then the longest wait, then the id.
 */
export function compareTasks(now: number): (a: PlanTask, b: PlanTask) => number {
  const rank = (task: PlanTask): number => agedPriority(task.priority, task.queuedAt, now);
  return (a, b) =>
    rank(b) - rank(a) ||
    compare(a.notAfter ?? Infinity, b.notAfter ?? Infinity) ||
    a.queuedAt - b.queuedAt ||
    compare(a.id, b.id);
}

/** Says whether the task can get the unit now. */
export function isAvailable(unit: PlanUnit | undefined, task: PlanTask): unit is PlanUnit {
  return (
    unit !== undefined &&
    unit.usable &&
    !unit.busy &&
    (unit.heldBy === null || unit.heldBy === task.run) &&
    task.reserved?.includes(unit.id) !== true
  );
}

/**
 * Starts every task as soon as it can, in the order of {@link compareTasks}. Among the eligible units it takes the one
 * that has been free for longest, then the first by name. A task gets all of its units or none.
 *
 * - **No starvation.** Waiting raises the priority. Units are reserved for a task that needs several at once and has
 *   waited for a minute: later tasks do not get them. While a run keeps one of the units, others may use the rest in
 *   between, but not begin to keep them.
 * - **No deadlock.** A task whose unit is kept for later tasks of its run does not start if that could close a circle
 *   of runs that each keep what another one needs ({@link HoldSafety}). If such a task has waited for a minute, no run
 *   behind it in the order begins to keep a unit until it has started.
 *
 * It also accepts snapshots of everything, and finds in them what it needs.
 */
export class GreedyPolicy implements Policy {
  readonly name = 'greedy';
  readonly scope = 'ready';
  readonly patienceMs = patienceMs;

  plan(snapshot: Snapshot): Plan {
    const round = new Round(snapshot);
    const assignments: Assignment[] = [];
    for (const task of [...snapshot.tasks].sort(compareTasks(snapshot.now))) {
      if (!canStart(task, snapshot.now)) continue;
      const units = round.start(task);
      if (units !== undefined) assignments.push({ task: task.id, units });
    }
    return { assignments, timetable: null, wakeAt: null };
  }
}

/** False for tasks that only snapshots of everything show. */
function canStart({ ready, blocked, notBefore, dependencies }: PlanTask, now: number): boolean {
  if (ready === false || blocked === true) return false;
  return (notBefore ?? now) <= now && (dependencies ?? []).length === 0;
}

/** One pass through the waiting tasks. */
class Round {
  readonly #holds: HoldSafety;
  readonly #taken = new Set<string>();
  /** Units reserved for earlier tasks: `free`, or at least `unkept`, until these can start. */
  readonly #reserved = new Map<string, 'free' | 'unkept'>();
  /** Runs for which tasks with reserved units wait: no unit is reserved against them. */
  readonly #exempt = new Set<string>();
  /** True when no run may begin to keep a unit. */
  #closed = false;
  /** Shapes of tasks of runs that keep nothing yet, and that cannot start safely in this state. */
  readonly #unsafe = new Set<string>();

  constructor(private readonly snapshot: Snapshot) {
    this.#holds = new HoldSafety(snapshot);
  }

  /** @returns the units of the task by slot; undefined: it must wait */
  start(task: PlanTask): Record<string, string> | undefined {
    const isOld = this.snapshot.now - task.queuedAt >= patienceMs;
    const first = matchSlots(task.slots, (slot) => this.#choices(task, slot));
    if (first === undefined) {
      if (isOld && task.slots.length > 1) this.#reserve(task);
      return undefined;
    }
    const concernsHolds = this.#holds.concerns(task);
    const units = concernsHolds ? this.#safe(task, first) : first;
    if (units === undefined) {
      this.#closed ||= isOld;
      return undefined;
    }
    if (concernsHolds) {
      this.#holds.started(task, units);
      this.#unsafe.clear();
    }
    for (const unit of Object.values(units)) this.#taken.add(unit);
    return units;
  }

  /** The units if they are safe, otherwise other safe ones. */
  #safe(task: PlanTask, first: Record<string, string>): Record<string, string> | undefined {
    if (this.#holds.keeps(task.run)) return this.#safeChoice(task, first);
    if (this.#closed) return undefined;
    const shape = this.#holds.shapeOf(task);
    if (this.#unsafe.has(shape)) return undefined;
    const units = this.#safeChoice(task, first);
    if (units === undefined) this.#unsafe.add(shape);
    return units;
  }

  #safeChoice(task: PlanTask, first: Record<string, string>): Record<string, string> | undefined {
    if (this.#holds.allows(task, first)) return first;
    for (const kept of task.slots) {
      if ((kept.keptFor ?? []).length === 0) continue;
      for (const unit of this.#choices(task, kept)) {
        const other = matchSlots(task.slots, (slot) => (slot === kept ? [unit] : this.#choices(task, slot)));
        if (other !== undefined && unit !== first[kept.name] && this.#holds.allows(task, other)) return other;
      }
    }
    // The choices with which the order of the runs was found: its first run can always go on.
    const foreseen = matchSlots(task.slots, (slot) => {
      const choices = new Set(this.#choices(task, slot));
      return this.#holds.inOrder(slot).filter((unit) => choices.has(unit));
    });
    return foreseen !== undefined && this.#holds.allows(task, foreseen) ? foreseen : undefined;
  }

  /** Available units for a slot, best first. */
  #choices(task: PlanTask, slot: PlanSlot): readonly string[] {
    const { units } = this.snapshot;
    const candidates = notKept(slot.candidates, (id) => {
      const by = units.get(id)?.heldBy ?? null;
      return by !== null && by === task.run;
    });
    return this.#longestFirst(candidates.filter((id) => this.#isOpen(task, slot, id)));
  }

  #isOpen(task: PlanTask, slot: PlanSlot, id: string): boolean {
    if (this.#taken.has(id) || !isAvailable(this.snapshot.units.get(id), task)) return false;
    const reserved = this.#reserved.get(id);
    return (
      reserved === undefined ||
      (reserved === 'unkept' && (slot.keptFor ?? []).length === 0) ||
      (task.run !== null && this.#exempt.has(task.run))
    );
  }

  /** Units that have been free, or in use, for longest come first. */
  #longestFirst(ids: readonly string[]): readonly string[] {
    const since = (id: string): number => this.snapshot.units.get(id)?.since ?? 0;
    return [...ids].sort((a, b) => since(a) - since(b) || compare(a, b));
  }

  /** Reserves units for a task that has waited long enough, available ones first. */
  #reserve(task: PlanTask): void {
    const claimed = matchSlots(task.slots, (slot) => {
      const usable = slot.candidates.filter(
        (id) =>
          this.snapshot.units.get(id)?.usable === true &&
          !this.#reserved.has(id) &&
          task.reserved?.includes(id) !== true,
      );
      const open = usable.filter((id) => this.#isOpen(task, slot, id));
      return [...this.#longestFirst(open), ...this.#longestFirst(usable.filter((id) => !open.includes(id)))];
    });
    if (claimed === undefined) return;
    const units = Object.values(claimed);
    const isKept = (unit: string): boolean => ![undefined, task.run].includes(this.#holds.keeperOf(unit));
    const how = units.some(isKept) ? 'unkept' : 'free';
    for (const unit of units) this.#reserved.set(unit, how);
    for (const run of this.#holds.behind(units)) this.#exempt.add(run);
  }
}

function compare<Value extends number | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
