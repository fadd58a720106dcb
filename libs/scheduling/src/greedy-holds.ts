import { matchSlots } from './match-slots.js';
import type { PlanSlot, PlanTask, Snapshot } from './policy.js';

type NeededTask = Pick<PlanTask, 'id' | 'slots' | 'dependencies'>;

/** The units that a run keeps, and its remaining tasks. */
interface Holder {
  /** Each kept unit, with the waiting tasks that must end before the run releases it; none of these sets is empty. */
  keeps: Map<string, Set<string>>;
  /** Its waiting tasks by id, each after its dependencies. */
  tasks: Map<string, NeededTask>;
  /** `<task> <slot>` of started tasks to their unit. */
  given: Map<string, string>;
}

interface Outlook {
  /** Runs with kept units, in an order in which all get what they need, with the units that they use for it. */
  order: ReadonlyMap<string, ReadonlySet<string>>;
  /** Runs that have no place in any order. */
  stuck: ReadonlySet<string>;
}

/**
 * Detects whether runs would come to keep what the others need, by the banker's algorithm (Dijkstra 1965). A state is
 * safe if in some order each run with kept units can finish the tasks before which it does not release them, with free
 * units and units that earlier runs have released.
 *
 * Running tasks count as ended, faulted units as repaired, and tasks that a run could not do even alone as done.
 * Durations do not matter. A run does its tasks one by one, and each slot takes the first suitable unit. An order that
 * needs other choices is not found, and a start that needs such an order must wait.
 */
export class HoldSafety {
  readonly #holders = new Map<string, Holder>();
  readonly #candidates = new Map<PlanSlot, readonly string[]>();
  #outlook: Outlook | undefined;
  /** The forecast for the latest start that was allowed. */
  #foreseen: { units: Readonly<Record<string, string>>; outlook: Outlook } | undefined;

  constructor(private readonly snapshot: Snapshot) {
    for (const [run, needs] of snapshot.needs ?? [])
      this.#holders.set(run, {
        keeps: new Map(needs.keeps.map((kept) => [kept.unit, new Set(kept.for)])),
        tasks: new Map(needs.tasks.map((task) => [task.id, task])),
        given: new Map(),
      });
    if (snapshot.needs === undefined && snapshot.running !== undefined) this.#readTasks();
  }

  /** Says whether the run keeps a unit, or will keep one after its running tasks have ended. */
  keeps(run: string | null): boolean {
    return run !== null && (this.#holders.get(run)?.keeps.size ?? 0) > 0;
  }

  /** The run that keeps the unit, or will keep it after its current task has ended. */
  keeperOf(unit: string): string | undefined {
    for (const [run, holder] of this.#holders) if (holder.keeps.has(unit)) return run;
    return undefined;
  }

  /** Says whether a start of the task changes the units that its run keeps, or the tasks before their release. */
  concerns(task: PlanTask): boolean {
    return this.keeps(task.run) || task.slots.some((slot) => (slot.keptFor ?? []).length > 0);
  }

  /** Says whether every run that has an order without this start still has one. */
  allows(task: PlanTask, units: Readonly<Record<string, string>>): boolean {
    const { run } = task;
    const holder = run === null ? undefined : this.#holders.get(run);
    if (run === null || holder === undefined) return true;
    const before = (this.#outlook ??= this.#lookAhead());
    const next = afterStart(holder, task, units);
    const same = this.#inPlace(before, run, holder, next);
    if (same !== undefined) {
      this.#foreseen = { units, outlook: same };
      return true;
    }
    this.#holders.set(run, next);
    const after = this.#lookAhead();
    this.#holders.set(run, holder);
    for (const each of after.stuck) if (!before.stuck.has(each)) return false;
    this.#foreseen = { units, outlook: after };
    return true;
  }

  /** Records that the task has started on these units, which {@link allows} has allowed. */
  started(task: PlanTask, units: Readonly<Record<string, string>>): void {
    const holder = task.run === null ? undefined : this.#holders.get(task.run);
    if (task.run === null || holder === undefined) return;
    this.#holders.set(task.run, afterStart(holder, task, units));
    this.#outlook = this.#foreseen?.units === units ? this.#foreseen.outlook : undefined;
  }

  /** Equal for tasks whose runs have equal remaining needs: a start that is unsafe for one is unsafe for the other. */
  shapeOf(task: PlanTask): string {
    const tasks = [...((task.run === null ? undefined : this.#holders.get(task.run))?.tasks.values() ?? [])];
    const index = new Map(tasks.map((each, at) => [each.id, at]));
    const numbers = (ids: readonly string[]): string => ids.map((id) => index.get(id) ?? '').join();
    const slotText = ({ name, candidates, sameAs, keptFor = [] }: PlanSlot): string =>
      [
        name,
        candidates.join(),
        sameAs === undefined ? '' : `${index.get(sameAs.task)} ${sameAs.slot}`,
        numbers(keptFor),
      ].join(';');
    return [
      numbers([task.id]),
      ...tasks.map(({ slots, dependencies = [] }) =>
        [numbers(dependencies.map((each) => each.task)), ...slots.map(slotText)].join('|'),
      ),
    ].join('\n');
  }

  /** The runs on which the release of the units depends: those that keep them, and those for which these wait. */
  behind(units: Iterable<string>): Set<string> {
    const runs = new Set<string>();
    const open = [...units];
    const seen = new Set(open);
    for (let unit = open.pop(); unit !== undefined; unit = open.pop()) {
      const run = this.keeperOf(unit);
      if (run === undefined || runs.has(run)) continue;
      runs.add(run);
      for (const task of this.#holders.get(run)?.tasks.values() ?? [])
        for (const slot of task.slots)
          for (const candidate of slot.candidates)
            if (!seen.has(candidate)) {
              seen.add(candidate);
              open.push(candidate);
            }
    }
    return runs;
  }

  /** The candidates of a slot, usable ones first. {@link allows} uses this order. */
  inOrder(slot: PlanSlot): readonly string[] {
    const known = this.#candidates.get(slot);
    if (known !== undefined) return known;
    const isUsable = (id: string): number => (this.snapshot.units.get(id)?.usable === false ? 1 : 0);
    const sorted = [...slot.candidates].sort((a, b) => isUsable(a) - isUsable(b) || (a < b ? -1 : 1));
    this.#candidates.set(slot, sorted);
    return sorted;
  }

  /** Reads the needs from a snapshot of everything. */
  #readTasks(): void {
    const { tasks, running = [], units } = this.snapshot;
    const waiting = new Set(tasks.map((task) => task.id));
    const holderOf = (run: string): Holder => {
      const holder = this.#holders.get(run) ?? { keeps: new Map(), tasks: new Map(), given: new Map() };
      this.#holders.set(run, holder);
      return holder;
    };
    const keep = (run: string, unit: string, keepers: readonly string[]): void => {
      const open = keepers.filter((id) => waiting.has(id));
      if (open.length > 0) holderOf(run).keeps.set(unit, new Set(open));
    };
    for (const unit of units.values()) if (unit.heldBy !== null) keep(unit.heldBy, unit.id, unit.heldFor);
    for (const task of running)
      if (task.run !== null)
        for (const { unit, keptFor } of Object.values(task.units)) keep(task.run, unit, keptFor);
    for (const { run, slots } of tasks)
      if (run !== null && slots.some((slot) => (slot.keptFor ?? []).length > 0)) holderOf(run);
    for (const task of tasks) this.#holders.get(task.run ?? '')?.tasks.set(task.id, task);
    for (const task of running)
      for (const [slot, { unit }] of Object.entries(task.units))
        this.#holders.get(task.run ?? '')?.given.set(`${task.id} ${slot}`, unit);
  }

  #lookAhead(): Outlook {
    const open = new Map<string, Holder>();
    for (const [run, holder] of this.#holders) if (holder.keeps.size > 0) open.set(run, holder);
    const order = new Map<string, ReadonlySet<string>>();
    const keeper = this.#keepers();
    for (let before = -1; open.size !== before && open.size > 0;) {
      before = open.size;
      for (const [run, holder] of open) {
        const used = this.#waysOut(holder, (unit) => {
          const by = keeper.get(unit);
          return by === undefined || by === run || !open.has(by);
        });
        if (used === undefined) continue;
        open.delete(run);
        order.set(run, used);
      }
    }
    return { order, stuck: new Set(open.keys()) };
  }

  /**
   * The forecast after a run keeps more or fewer units, if the order can stay: earlier runs do not need the new units,
   * and the run can still finish its tasks with the units that these have released.
   */
  #inPlace({ order, stuck }: Outlook, run: string, holder: Holder, next: Holder): Outlook | undefined {
    if (stuck.has(run)) return undefined;
    const gained = [...next.keeps.keys()].filter((unit) => !holder.keeps.has(unit));
    const over = new Set([run]);
    for (const [other, used] of order) {
      if (other === run) break;
      if (gained.some((unit) => used.has(unit))) return undefined;
      over.add(other);
    }
    const keeper = this.#keepers();
    const used = this.#waysOut(next, (unit) => {
      const by = keeper.get(unit);
      return by === undefined || over.has(by);
    });
    return used === undefined ? undefined : { order: new Map(order).set(run, used), stuck };
  }

  #keepers(): Map<string, string> {
    const keepers = new Map<string, string>();
    for (const [run, holder] of this.#holders) for (const unit of holder.keeps.keys()) keepers.set(unit, run);
    return keepers;
  }

  /** The units with which the run can finish until it keeps nothing; undefined: too few units are free. */
  #waysOut(holder: Holder, isFree: (unit: string) => boolean): ReadonlySet<string> | undefined {
    const used = new Set<string>();
    const at = copyOf(holder);
    let needed = neededFor(at);
    while (at.keeps.size > 0) {
      const next = [...at.tasks.values()].find((task) => needed.has(task.id) && isReady(task, at.tasks));
      if (next === undefined) break;
      const units = this.#fill(at, next, isFree);
      if (units === undefined && this.#fill(at, next, () => true) !== undefined) return undefined;
      for (const unit of Object.values(units ?? {})) used.add(unit);
      start(at, next, units ?? {});
      if (next.slots.some((slot) => slot.keptFor !== undefined)) needed = neededFor(at);
    }
    return used;
  }

  #fill(
    holder: Holder,
    task: NeededTask,
    isFree: (unit: string) => boolean,
  ): Record<string, string> | undefined {
    return matchSlots(task.slots, (slot) => {
      const given = slot.sameAs && holder.given.get(`${slot.sameAs.task} ${slot.sameAs.slot}`);
      if (given !== undefined) return isFree(given) ? [given] : [];
      return notKept(this.inOrder(slot), (unit) => holder.keeps.has(unit)).filter(isFree);
    });
  }
}

/**
 * A unit that a run keeps is reserved for the slots that refer to it. Other slots of the run take another unit, unless
 * the run keeps all of their candidates.
 */
export function notKept(candidates: readonly string[], isOwn: (unit: string) => boolean): readonly string[] {
  const others = candidates.filter((unit) => !isOwn(unit));
  return others.length > 0 ? others : candidates;
}

function afterStart(holder: Holder, task: NeededTask, units: Readonly<Record<string, string>>): Holder {
  const after = copyOf(holder);
  start(after, task, units);
  return after;
}

function copyOf({ keeps, tasks, given }: Holder): Holder {
  const own = new Map<string, Set<string>>();
  for (const [unit, keepers] of keeps) own.set(unit, new Set(keepers));
  return { keeps: own, tasks: new Map(tasks), given: new Map(given) };
}

/** Starts the task and ends it. */
function start(holder: Holder, task: NeededTask, units: Readonly<Record<string, string>>): void {
  const { keeps, tasks, given } = holder;
  tasks.delete(task.id);
  for (const [unit, keepers] of keeps) if (keepers.delete(task.id) && keepers.size === 0) keeps.delete(unit);
  for (const { name, keptFor = [] } of task.slots) {
    const unit = units[name];
    if (unit === undefined) continue;
    given.set(`${task.id} ${name}`, unit);
    for (const keeper of keptFor)
      if (tasks.has(keeper)) keeps.set(unit, (keeps.get(unit) ?? new Set()).add(keeper));
  }
}

/** The tasks that must end before the run keeps nothing, with all their dependencies. */
function neededFor({ keeps, tasks }: Holder): Set<string> {
  const needed = new Set<string>();
  const open = [...keeps.values()].flatMap((keepers) => [...keepers]);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (needed.has(id)) continue;
    needed.add(id);
    for (const dependency of tasks.get(id)?.dependencies ?? []) open.push(dependency.task);
  }
  return needed;
}

function isReady(task: NeededTask, waiting: ReadonlyMap<string, NeededTask>): boolean {
  return (task.dependencies ?? []).every((dependency) => !waiting.has(dependency.task));
}
