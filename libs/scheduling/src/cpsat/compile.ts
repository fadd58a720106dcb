import type { PlanRunning, PlanSlot, PlanTask, Snapshot } from '../policy.js';
import type { Activity, Precedence, Problem, ProblemRun, Slot } from '../problem/problem.js';
import type { Compiled, Concessions } from './compiled.js';
import { factsOf } from './facts.js';
import { select, type Selection } from './selection.js';
import { agedPriority } from '../ageing.js';
import { weightsOf, workKey } from './weights.js';

/** Assumed seconds of a task with an unknown duration. */
export const unknownDurationS = 1;

export interface CompileOptions {
  /** Milliseconds per tick. */
  tickMs: number;
  /** Approximate number of waiting tasks that are planned. */
  limit: number;
  concessions: Concessions;
}

/**
 * Turns a snapshot into a problem in numbers. Tick 0 is `now` of the snapshot. Durations are rounded up to whole
 * ticks, so that no planned start is too early.
 *
 * A running task is fixed on its units until its expected end. A unit between two tasks of its run becomes a fixed
 * activity of length zero, which keeps it. A task that should have started by now (a greatest lag, or a group, after
 * an ended task) gets a wish: a greatest lag after a fixed activity that ends now. A run weighs {@link weightsOf} its
 * aged priority; the makespan weighs half of the sum of all runs.
 */
export function compile(snapshot: Snapshot, options: CompileOptions): Compiled {
  const selection = select(snapshot, options.limit, options.concessions.stuck);
  return new Compilation(snapshot, options, selection).result();
}

class Compilation {
  readonly #activities: Activity[] = [];
  readonly #taskOf: (string | null)[] = [];
  readonly #slotNames: string[][] = [];
  readonly #activityOf = new Map<string, number>();
  readonly #waiting = new Map<number, PlanTask>();
  readonly #unitIds: string[];
  readonly #unitOf: Map<string, number>;
  readonly #runs: ProblemRun[] = [];
  readonly #runOf = new Map<string, number>();
  /** The activity and slot of a unit that a run keeps. */
  readonly #keeping = new Map<string, { activity: number; slot: number }>();
  readonly #anchors = new Map<number, number>();

  constructor(
    private readonly snapshot: Snapshot,
    private readonly options: CompileOptions,
    private readonly selection: Selection,
  ) {
    // Equal units have equal numbers in every plan, so that irrelevant choices do not change.
    this.#unitIds = [...snapshot.units.keys()].sort();
    this.#unitOf = new Map(this.#unitIds.map((id, index) => [id, index]));
  }

  result(): Compiled {
    const running = this.snapshot.running ?? [];
    const planned = this.selection.works.flatMap((work) =>
      work.tasks.filter((task) => this.selection.candidates.has(task.id)),
    );
    this.#weighRuns(running);
    // Numbers first, because the following steps refer to them: running tasks, kept units, then waiting tasks.
    for (const task of running) this.#number(task);
    const kept = [...this.selection.locks].filter(([, lock]) => lock.by === null);
    const firstWaiting = running.length + kept.length;
    planned.forEach((task, index) => {
      this.#activityOf.set(task.id, firstWaiting + index);
      this.#waiting.set(firstWaiting + index, task);
    });
    for (const task of running) this.#addRunning(task);
    for (const [unit, lock] of kept) this.#addKept(unit, lock.run, lock.keepers);
    for (const task of planned) {
      this.#taskOf.push(task.id);
      this.#slotNames.push(task.slots.map((slot) => slot.name));
    }
    for (const task of planned) this.#addWaiting(task);
    for (const [activity, task] of this.#waiting) this.#hurry(activity, task);
    this.#nestHolds(planned);
    for (const activity of this.#waiting.keys()) this.#inherit(activity);

    const weights = this.#runs.reduce((sum, run) => sum + run.weight, 0);
    const problem: Problem = {
      activities: this.#activities,
      units: this.#unitIds.length,
      runs: this.#runs,
      makespanWeight: Math.ceil(weights / 2),
    };
    return {
      problem,
      origin: this.snapshot.now,
      tickMs: this.options.tickMs,
      taskOf: this.#taskOf,
      activityOf: this.#activityOf,
      slotNames: this.#slotNames,
      unitIds: this.#unitIds,
      unitOf: this.#unitOf,
      waiting: this.#waiting,
      unplanned: this.selection.unplanned,
      concessions: this.options.concessions,
      facts: factsOf(this.snapshot, this.selection),
    };
  }

  #weighRuns(running: readonly PlanRunning[]): void {
    const priorities = new Map<string, number>();
    for (const work of this.selection.works) priorities.set(work.key, work.priority);
    for (const task of running) {
      const key = workKey(task);
      const aged = agedPriority(task.priority, task.startedAt, this.snapshot.now);
      if (!priorities.has(key)) priorities.set(key, aged);
    }
    const weights = weightsOf(priorities.values());
    for (const [key, priority] of priorities) {
      this.#runOf.set(key, this.#runs.length);
      this.#runs.push({ weight: weights.get(priority) ?? 1 });
    }
  }

  #number(task: PlanRunning): void {
    this.#activityOf.set(task.id, this.#taskOf.length);
    this.#taskOf.push(task.id);
    this.#slotNames.push(Object.keys(task.units));
  }

  #ticksUp(ms: number): number {
    return Math.ceil(ms / this.options.tickMs - 1e-9);
  }

  #ticksDown(ms: number): number {
    return Math.floor(ms / this.options.tickMs + 1e-9);
  }

  #addRunning(task: PlanRunning): void {
    const start = Math.min(0, this.#ticksDown(task.startedAt - this.snapshot.now));
    // The task is still running: nobody gets its units at this moment.
    const end = Math.max(1, this.#ticksUp(task.expectedEnd - this.snapshot.now));
    const activity = this.#activities.length;
    const units: number[] = [];
    const slots = Object.values(task.units).map(({ unit }, slot): Slot => {
      const lock = this.selection.locks.get(unit);
      const keeps = lock?.by?.task === task.id;
      if (keeps) this.#keeping.set(unit, { activity, slot });
      const index = this.#unit(unit);
      units.push(index);
      return { units: [index], sameAs: null, keptUntil: keeps ? this.#activitiesOf(lock.keepers) : [] };
    });
    this.#activities.push({
      run: this.#runOf.get(workKey(task)) ?? 0,
      duration: end - start,
      release: 0,
      predecessors: [],
      follows: null,
      slots,
      fixed: { start, units },
    });
  }

  #addKept(unit: string, run: string, keepers: readonly string[]): void {
    this.#keeping.set(unit, { activity: this.#activities.length, slot: 0 });
    this.#taskOf.push(null);
    this.#slotNames.push(['kept']);
    const index = this.#unit(unit);
    this.#activities.push({
      ...ended(this.#runOf.get(run) ?? 0),
      slots: [{ units: [index], sameAs: null, keptUntil: this.#activitiesOf(keepers) }],
      fixed: { start: 0, units: [index] },
    });
  }

  #addWaiting(task: PlanTask): void {
    const candidates = this.selection.candidates.get(task.id) ?? [];
    const seconds = task.duration ?? unknownDurationS;
    const { now } = this.snapshot;
    const relaxed = this.options.concessions.relaxed.get(task.id);
    const predecessors = (task.dependencies ?? []).flatMap((each): Precedence[] => {
      const activity = this.#activityOf.get(each.task);
      if (activity === undefined) return [];
      const minLag = Math.max(0, this.#ticksUp(each.minLagMs));
      const maxLag =
        each.maxLagMs === null || relaxed !== undefined
          ? null
          : Math.max(minLag, this.#ticksDown(Math.max(0, each.maxLagMs)));
      return [{ activity, minLag, maxLag }];
    });
    const followed = task.follows === undefined ? undefined : this.#activityOf.get(task.follows);
    const lagsBehind = predecessors.some((each) => each.activity === followed && each.minLag > 0);
    if (followed !== undefined && relaxed === 'group')
      predecessors.push({ activity: followed, minLag: 0, maxLag: null });
    this.#activities.push({
      run: this.#runOf.get(workKey(task)) ?? 0,
      duration: Math.max(1, this.#ticksUp(seconds * 1_000)),
      release: Math.max(0, this.#ticksUp((task.notBefore ?? 0) - now)),
      predecessors,
      follows: followed === undefined || lagsBehind || relaxed === 'group' ? null : followed,
      slots: this.#slotsOf(task, candidates),
      fixed: null,
    });
  }

  #slotsOf(task: PlanTask, candidates: readonly (readonly string[])[]): Slot[] {
    const kept = new Set<string>();
    return task.slots.map((slot, index): Slot => {
      const allowed = candidates[index] ?? [];
      const keptUntil = this.#activitiesOf((slot.keptFor ?? []).filter((keeper) => keeper !== task.id));
      const target = this.#target(slot);
      if (target !== null) return { units: [], sameAs: target, keptUntil };
      const keeping = allowed.find((unit) => this.#isKeptBy(unit, task) && !kept.has(unit));
      if (keeping !== undefined) {
        kept.add(keeping);
        return {
          units: [this.#unit(keeping)],
          sameAs: this.#keeping.get(keeping) ?? null,
          keptUntil,
        };
      }
      return { units: allowed.map((unit) => this.#unit(unit)), sameAs: null, keptUntil };
    });
  }

  #isKeptBy(unit: string, task: PlanTask): boolean {
    return this.#keeping.has(unit) && this.selection.locks.get(unit)?.run === task.run;
  }

  #target(slot: PlanSlot): { activity: number; slot: number } | null {
    if (slot.sameAs === undefined) return null;
    const activity = this.#activityOf.get(slot.sameAs.task);
    const index = this.#slotNames[activity ?? -1]?.indexOf(slot.sameAs.slot) ?? -1;
    return activity === undefined || index < 0 ? null : { activity, slot: index };
  }

  /** A wish to start by a moment that may have passed, relative to a fixed activity that ends now. */
  #hurry(activity: number, task: PlanTask): void {
    if (task.notAfter === undefined) return;
    const own = this.#activities[activity];
    if (own === undefined) return;
    const left = Math.max(0, this.#ticksDown(task.notAfter - this.snapshot.now));
    const anchor = this.#anchors.get(own.run) ?? this.#activities.length;
    if (anchor === this.#activities.length) {
      this.#anchors.set(own.run, anchor);
      this.#activities.push({ ...ended(own.run), fixed: { start: 0, units: [] } });
      this.#taskOf.push(null);
      this.#slotNames.push([]);
    }
    this.#activities[activity] = {
      ...own,
      predecessors: [...own.predecessors, { activity: anchor, minLag: 0, maxLag: left }],
    };
  }

  /**
   * A later task of a run uses the unit that an earlier task of the run keeps, if it certainly gets that unit: it then
   * refers to that task. Of several keepers, it refers to the latest whose own time lies within that of the others.
   */
  #nestHolds(planned: readonly PlanTask[]): void {
    const holders = new Map<string, { activity: number; slot: number }[]>();
    for (const task of planned) {
      const activity = this.#activityOf.get(task.id) ?? -1;
      this.#activities[activity]?.slots.forEach((slot, index) => {
        if (task.run === null || slot.keptUntil.length === 0) return;
        const key = this.#sharedKey(task.run, activity, index);
        holders.set(key, [...(holders.get(key) ?? []), { activity, slot: index }]);
      });
    }
    if (holders.size === 0) return;
    for (const task of planned) {
      const { run } = task;
      const activity = this.#activityOf.get(task.id) ?? -1;
      const own = this.#activities[activity];
      if (own === undefined || run === null) continue;
      const slots = own.slots.map((slot, index): Slot => {
        const keeping = this.#chain(slot).filter((each) => each.keptUntil.length > 0);
        const holder = (holders.get(this.#sharedKey(run, activity, index)) ?? []).findLast((each) => {
          const at = this.#activities[each.activity]?.slots[each.slot];
          if (at === undefined || !this.#comesAfter(activity, each.activity)) return false;
          const around = [at, ...this.#chain(at)];
          return keeping.every((other) => around.includes(other));
        });
        return holder === undefined ? slot : { ...slot, sameAs: holder };
      });
      this.#activities[activity] = { ...own, slots };
    }
  }

  #sharedKey(run: string, activity: number, index: number): string {
    let at = { activity, slot: index };
    let slot = this.#activities[activity]?.slots[index];
    for (let steps = 0; slot?.sameAs && steps < this.#activities.length; steps += 1) {
      at = slot.sameAs;
      slot = this.#activities[at.activity]?.slots[at.slot];
    }
    return slot?.units.length === 1 ? `${run} ${slot.units[0]}` : `${at.activity} ${at.slot} of ${run}`;
  }

  /**
   * A slot with the unit of another slot has its candidates. It does not keep the unit for the same tasks again,
   * because it would keep it from others that refer to that slot.
   */
  #inherit(activity: number): void {
    const own = this.#activities[activity];
    if (own?.slots.some((slot) => slot.sameAs !== null) !== true) return;
    const slots = own.slots.map((slot): Slot => {
      const chain = this.#chain(slot);
      const root = chain.at(-1);
      if (root === undefined) return slot;
      const kept = new Set(chain.flatMap((each) => each.keptUntil));
      return { ...slot, units: root.units, keptUntil: slot.keptUntil.filter((keeper) => !kept.has(keeper)) };
    });
    this.#activities[activity] = { ...own, slots };
  }

  /** The slots to which a slot refers, nearest first; finite even if they refer in a circle. */
  #chain(slot: Slot): Slot[] {
    const chain: Slot[] = [];
    for (let at = slot; at.sameAs !== null && chain.length < this.#activities.length;) {
      const next = this.#activities[at.sameAs.activity]?.slots[at.sameAs.slot];
      if (next === undefined) break;
      chain.push(next);
      at = next;
    }
    return chain;
  }

  #comesAfter(later: number, earlier: number): boolean {
    const seen = new Set<number>();
    const open = [later];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const { predecessors = [], follows = null } = this.#activities[at] ?? {};
      for (const before of [
        ...predecessors.map((each) => each.activity),
        ...(follows === null ? [] : [follows]),
      ]) {
        if (before === earlier) return true;
        open.push(before);
      }
    }
    return false;
  }

  #unit(id: string): number {
    const known = this.#unitOf.get(id);
    if (known !== undefined) return known;
    this.#unitOf.set(id, this.#unitIds.length);
    return this.#unitIds.push(id) - 1;
  }

  #activitiesOf(tasks: readonly string[]): number[] {
    return tasks.flatMap((task) => this.#activityOf.get(task) ?? []);
  }
}

function ended(run: number): Omit<Activity, 'fixed'> {
  return { run, duration: 0, release: 0, predecessors: [], follows: null, slots: [] };
}
