import { matchSlots } from './match-slots.js';
import type { PlanSlot, PlanTask, Snapshot } from './policy.js';

type NeededTask = Pick<PlanTask, 'id' | 'slots' | 'dependencies'>;

/** What a run keeps, and what it still has to do. */
interface Holder {
  /** Each unit that it keeps, and the waiting tasks that must end before it gives it up; none of these is empty. */
  keeps: Map<string, Set<string>>;
  /** Its waiting tasks by id, each after those that it depends on. */
  tasks: Map<string, NeededTask>;
  /** `<task> <slot>` of tasks that have started to their unit. */
  given: Map<string, string>;
}

interface Outlook {
  /** Runs that keep units in an order in which all of them get what they must have, with the units they use for it. */
  order: ReadonlyMap<string, ReadonlySet<string>>;
  /** Those that have no place in any order. */
  stuck: ReadonlySet<string>;
}

/**
 * Sees whether runs would come to keep what the others need, by the banker's rule (Dijkstra 1965): a state is safe when
 * there is an order in which each run that keeps units can do what it must before it gives them up, with what nobody
 * keeps and what the runs before it have given up.
 *
 * Every running task counts as ended, for it will end by itself; a faulted unit counts as one that will be mended; how
 * long anything takes does not matter. What a run could not do even if it were alone is no matter of others and counts
 * as done. A run does its tasks one after the other here, and each slot takes the first unit that fits: an order that
 * exists only with other choices is not seen, and a start that would need one has to wait.
 */
export class HoldSafety {
  readonly #snapshot: Snapshot;
  readonly #holders = new Map<string, Holder>();
  readonly #candidates = new Map<PlanSlot, readonly string[]>();
  #outlook: Outlook | undefined;
  /** What comes of the latest start that was allowed. */
  #foreseen: { units: Readonly<Record<string, string>>; outlook: Outlook } | undefined;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    for (const [run, needs] of snapshot.needs ?? [])
      this.#holders.set(run, {
        keeps: new Map(needs.keeps.map((kept) => [kept.unit, new Set(kept.for)])),
        tasks: byId(needs.tasks),
        given: new Map(),
      });
    if (snapshot.needs === undefined && snapshot.running !== undefined) this.#readTasks();
  }

  /** Does the run keep a unit, or will it when its running tasks have ended? */
  keeps(run: string | null): boolean {
    return run !== null && (this.#holders.get(run)?.keeps.size ?? 0) > 0;
  }

  /** The run that keeps the unit, or will when the task that uses it has ended. */
  keeperOf(unit: string): string | undefined {
    for (const [run, holder] of this.#holders) if (holder.keeps.has(unit)) return run;
    return undefined;
  }

  /** Would a start of the task change what its run keeps, or is to do before it gives that up? */
  concerns(task: PlanTask): boolean {
    return this.keeps(task.run) || task.slots.some((slot) => (slot.keptFor ?? []).length > 0);
  }

  /** Is there still an order for every run that has one without this start? */
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

  /** The task is started on these units, which {@link allows} has allowed. */
  started(task: PlanTask, units: Readonly<Record<string, string>>): void {
    const holder = task.run === null ? undefined : this.#holders.get(task.run);
    if (task.run === null || holder === undefined) return;
    this.#holders.set(task.run, afterStart(holder, task, units));
    this.#outlook = this.#foreseen?.units === units ? this.#foreseen.outlook : undefined;
  }

  /**
   * The same text for two tasks if they, and all that their runs still have to do, ask for the same: what is unsafe for
   * the one is unsafe for the other.
   */
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

  /** The runs without whose end the units will not all come free: those that keep them, and those whom these wait for. */
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

  /** The candidates of a slot, those first that can be used; the order that {@link allows} goes by. */
  inOrder(slot: PlanSlot): readonly string[] {
    const known = this.#candidates.get(slot);
    if (known !== undefined) return known;
    const isUsable = (id: string): number => (this.#snapshot.units.get(id)?.usable === false ? 1 : 0);
    const sorted = [...slot.candidates].sort((a, b) => isUsable(a) - isUsable(b) || (a < b ? -1 : 1));
    this.#candidates.set(slot, sorted);
    return sorted;
  }

  /** Needs as a snapshot of everything shows them. */
  #readTasks(): void {
    const { tasks, running = [], units } = this.#snapshot;
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
   * The outlook when a run keeps more or less than before, if the order can stay as it is: those before it do without
   * what it keeps now, and it can still do what it must with what these have given up.
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

  /**
   * The units with which the run can do all that it must before it keeps nothing; undefined: those that are free for it
   * are too few.
   */
  #waysOut(holder: Holder, isFree: (unit: string) => boolean): ReadonlySet<string> | undefined {
    const used = new Set<string>();
    const at = copyOf(holder);
    let needed = neededFor(at);
    while (at.keeps.size > 0) {
      const next = first(at.tasks.values(), (task) => needed.has(task.id) && isReady(task, at.tasks));
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
 * What a run keeps is kept for what refers to it, so that its other slots take another unit, unless all of their
 * candidates are kept by the run.
 */
export function notKept(candidates: readonly string[], isOwn: (unit: string) => boolean): readonly string[] {
  const others = candidates.filter((unit) => !isOwn(unit));
  return others.length > 0 ? others : candidates;
}

/** The run as it will be when a task of it has been started on the units and has ended. */
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

/** The tasks that must end before the run keeps nothing, with all that they depend on. */
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

function byId(tasks: readonly NeededTask[]): Map<string, NeededTask> {
  return new Map(tasks.map((task) => [task.id, task]));
}

function first<Value>(values: Iterable<Value>, fits: (value: Value) => boolean): Value | undefined {
  for (const value of values) if (fits(value)) return value;
  return undefined;
}
