import {
  checkPlan,
  type Assignment,
  type Plan,
  type PlanDependency,
  type PlanRunning,
  type PlanSlot,
  type PlanTask,
  type PlanUnit,
  type Policy,
  type RunNeeds,
  type Snapshot,
} from '../src/index.js';
import { keepersOf, type Job, type JobSlot, type JobTask, type Scenario } from './scenario.js';

/** A task of a job in the world. */
interface Work {
  id: string;
  job: Job;
  spec: JobTask;
  state: 'waiting' | 'running' | 'ended' | 'skipped';
  queuedAt: number | null;
  startedAt: number;
  endsAt: number;
  endedAt: number;
  retryAt: number;
  attempts: number;
  units: Record<string, string>;
}

interface Place {
  usable: boolean;
  user: Work | null;
  heldBy: string | null;
  /** The last task that used it, and its slot. The hold follows from these. */
  last: { work: Work; slot: string } | null;
  since: number;
}

/** The history. Moments are milliseconds from the beginning. */
export interface Happening {
  task: string;
  start: number;
  end: number;
  units: Record<string, string>;
  priority: number;
  queuedAt: number;
}

export interface Outcome {
  /** Attempts in the order in which they were started. */
  log: Happening[];
  /** The end of all work. */
  end: number;
  plans: number;
}

export interface Watcher {
  /** Called with every plan, before it is carried out. */
  planned?: (snapshot: Snapshot, plan: Plan) => void;
}

/** More turns than any scenario of the tests needs. A policy that reaches it repeats itself without progress. */
const turnLimit = 20_000;

/**
 * A laboratory on virtual time. Tasks take as long as the scenario says, whatever the policy expects. The policy plans
 * at every moment with an event, and again until it starts nothing more. The world has its own copy of the rules of
 * the laboratory: a start that breaks a rule throws.
 */
export class World {
  now = 0;
  readonly #scenario: Scenario;
  readonly #policy: Policy;
  readonly #watcher: Watcher;
  readonly #works = new Map<string, Work>();
  readonly #places = new Map<string, Place>();
  readonly #over = new Set<string>();
  readonly #log: Happening[] = [];
  #asked = false;
  #version = 0;

  constructor(policy: Policy, scenario: Scenario, watcher: Watcher = {}) {
    this.#policy = policy;
    this.#scenario = scenario;
    this.#watcher = watcher;
    for (const id of scenario.units)
      this.#places.set(id, { usable: true, user: null, heldBy: null, last: null, since: 0 });
    for (const job of scenario.jobs)
      for (const spec of job.tasks) {
        const id = `${job.id}.${spec.name}`;
        const times = { queuedAt: null, startedAt: 0, endsAt: 0, endedAt: 0, retryAt: 0 };
        this.#works.set(id, { id, job, spec, state: 'waiting', attempts: 0, units: {}, ...times });
      }
    policy.begin?.(() => (this.#asked = true));
  }

  /** @throws Error when a rule is broken, or work remains that can never end */
  async run(): Promise<Outcome> {
    for (let turn = 0; ; turn += 1) {
      if (turn > turnLimit) throw new Error(`no end after ${turnLimit} turns: ${this.#left().join(', ')}`);
      this.#happen();
      const wakeAt = this.#plan();
      // Searches of planning policies report through promises.
      if (this.#policy.begin !== undefined) await new Promise((resolve) => setImmediate(resolve));
      if (this.#asked) continue;
      const next = this.#nextMoment(wakeAt);
      if (next === undefined) break;
      this.now = next;
    }
    await this.#policy.stop?.();
    const left = this.#left();
    if (left.length > 0) throw new Error(`nothing happens any more, and there wait ${left.join(', ')}`);
    return { log: this.#log, end: this.now, plans: this.#version };
  }

  /** Asks the policy until it starts nothing more. @returns when the policy wants to plan again */
  #plan(): number | null {
    for (;;) {
      this.#asked = false;
      const snapshot = this.#snapshot();
      const plan = this.#policy.plan(snapshot);
      this.#watcher.planned?.(snapshot, plan);
      const faults = checkPlan(snapshot, plan);
      if (faults.length > 0) throw new Error(`the checker refuses: ${JSON.stringify(faults)}`);
      for (const assignment of plan.assignments) this.#start(assignment);
      if (plan.assignments.length === 0) return plan.wakeAt;
    }
  }

  /** Processes all events of this moment. */
  #happen(): void {
    for (const work of this.#works.values())
      if (work.state === 'running' && work.endsAt <= this.now) this.#end(work);
    for (const event of this.#scenario.events ?? []) {
      if (event.at !== this.now) continue;
      if ('cancel' in event) this.#close(event.cancel);
      else {
        const place = this.#places.get('lose' in event ? event.lose : event.restore);
        if (place !== undefined) place.usable = !('lose' in event);
      }
    }
    for (const work of this.#works.values())
      if (
        work.state === 'waiting' &&
        work.queuedAt === null &&
        work.job.arrives <= this.now &&
        this.#isMet(work)
      )
        work.queuedAt = this.now;
  }

  #end(work: Work): void {
    const retried = work.spec.failure === 'once' && work.attempts === 1;
    work.state = retried ? 'waiting' : 'ended';
    work.endedAt = work.endsAt;
    if (retried) work.retryAt = this.now + 1_000;
    for (const [slot, unit] of Object.entries(work.units)) {
      const place = this.#place(unit);
      place.since = this.now;
      place.user = null;
      place.last = { work, slot };
      const run = runOf(work);
      if (!retried) place.heldBy = run !== null && this.#keptFor(work, slot).length > 0 ? run : null;
    }
    this.#giveUp(work.job.id);
    if (work.spec.failure === 'always') this.#close(work.job.id);
  }

  /** Waiting tasks of the run never begin, and running ones end. */
  #close(job: string): void {
    this.#over.add(job);
    for (const work of this.#works.values())
      if (work.job.id === job && work.state === 'waiting') work.state = 'skipped';
    this.#giveUp(job);
  }

  /** Frees the units that a run keeps for no task. */
  #giveUp(job: string): void {
    for (const place of this.#places.values())
      if (place.heldBy === job && place.user === null && this.#heldFor(place).length === 0)
        place.heldBy = null;
  }

  #start({ task, units }: Assignment): void {
    const work = this.#works.get(task);
    const refuse = (why: string): never => {
      throw new Error(`at ${this.now} ${task} is started on ${JSON.stringify(units)}: ${why}`);
    };
    if (work?.state !== 'waiting' || work.queuedAt === null) return refuse('it does not wait');
    if (this.now < this.#notBefore(work)) refuse('it is too early');
    if (Object.keys(units).length !== work.spec.slots.length) refuse('not every slot is filled once');
    if (new Set(Object.values(units)).size !== work.spec.slots.length) refuse('a unit fills two slots');
    for (const slot of work.spec.slots) {
      const id = units[slot.name] ?? refuse(`nothing fills ${slot.name}`);
      const place = this.#place(id);
      if (place.user !== null) refuse(`${id} is in use by ${place.user.id}`);
      if (!place.usable) refuse(`${id} is lost`);
      if (place.heldBy !== null && place.heldBy !== runOf(work)) refuse(`${id} is held by ${place.heldBy}`);
      const referred = this.#referred(work, slot);
      const allowed =
        referred === undefined
          ? this.#unkept(poolOf(slot), runOf(work))
          : [referred.units[slotOf(slot)] ?? ''];
      if (!allowed.includes(id)) refuse(`${slot.name} may be filled with ${allowed.join(' or ')}`);
      place.user = work;
      place.last = { work, slot: slot.name };
    }
    work.state = 'running';
    work.attempts += 1;
    work.units = units;
    work.startedAt = this.now;
    work.endsAt = this.now + work.spec.takes;
    const { priority } = work.job;
    this.#log.push({ task, start: this.now, end: work.endsAt, units, priority, queuedAt: work.queuedAt });
  }

  #nextMoment(wakeAt: number | null): number | undefined {
    const moments = [...this.#works.values()].flatMap((work) =>
      work.state === 'running'
        ? [work.endsAt]
        : work.state === 'waiting'
          ? [work.job.arrives, this.#notBefore(work)]
          : [],
    );
    for (const { at } of this.#scenario.events ?? []) moments.push(at);
    // A planning request is not an event: when nothing else follows, it leads to nothing.
    const happens = moments.filter((moment) => moment > this.now);
    if (happens.length === 0) return undefined;
    if (wakeAt !== null && wakeAt > this.now) happens.push(wakeAt);
    return Math.min(...happens);
  }

  #left(): string[] {
    return [...this.#works.values()].filter((work) => work.state === 'waiting').map((work) => work.id);
  }

  #snapshot(): Snapshot {
    this.#version += 1;
    const units = new Map<string, PlanUnit>();
    for (const [id, place] of this.#places)
      units.set(id, {
        id,
        kind: 'device',
        busy: place.user !== null,
        heldBy: place.heldBy,
        heldFor: place.heldBy === null ? [] : this.#heldFor(place),
        usable: place.usable,
        since: place.since,
      });
    const here = [...this.#works.values()].filter(({ job }) => job.arrives <= this.now);
    const tasks = here.flatMap((work) => (work.state === 'waiting' ? [this.#planTask(work)] : []));
    const running = here.flatMap((work) => (work.state === 'running' ? [this.#planRunning(work)] : []));
    const { now } = this;
    const all: Snapshot = { version: this.#version, now, tasks, running, units };
    return this.#policy.scope === 'all' ? all : this.#readyPart(all);
  }

  /** The snapshot for a policy of scope `ready`. */
  #readyPart({ version, now, tasks, units }: Snapshot): Snapshot {
    const ready = tasks.filter((task) => {
      if (task.ready !== true) return false;
      const isPatient = task.slots.length > 1 && now - task.queuedAt >= (this.#policy.patienceMs ?? Infinity);
      const isFree = (id: string): boolean => {
        const unit = units.get(id);
        if (unit === undefined || unit.busy || !unit.usable) return false;
        return unit.heldBy === null || unit.heldBy === task.run;
      };
      return isPatient || task.slots.every((slot) => this.#unkept(slot.candidates, task.run).some(isFree));
    });
    const needs = new Map<string, RunNeeds>();
    const keeping = new Set([...units.values()].flatMap((unit) => unit.heldBy ?? []));
    for (const work of this.#works.values())
      if (work.state === 'running' && runOf(work) !== null) keeping.add(work.job.id);
    for (const task of ready)
      if (task.run !== null && task.slots.some((slot) => (slot.keptFor ?? []).length > 0))
        keeping.add(task.run);
    for (const run of keeping) needs.set(run, this.#needsOf(run, tasks));
    return { version, now, tasks: ready, units, needs };
  }

  #needsOf(run: string, waiting: readonly PlanTask[]): RunNeeds {
    const tasks = waiting.filter((task) => task.run === run);
    const open = new Set(tasks.map((task) => task.id));
    const keeps: { unit: string; for: string[] }[] = [];
    for (const [unit, { user, heldBy, last }] of this.#places) {
      const own = user === null ? heldBy === run : runOf(user) === run;
      const kept =
        own && last !== null ? this.#keptFor(last.work, last.slot).filter((id) => open.has(id)) : [];
      if (kept.length > 0) keeps.push({ unit, for: kept });
    }
    const resolved = tasks.map((task) => ({
      ...task,
      slots: task.slots.map((slot) => {
        const source = slot.sameAs === undefined ? undefined : this.#works.get(slot.sameAs.task);
        if (slot.sameAs === undefined || source === undefined || source.state === 'waiting') return slot;
        const { name, keptFor } = slot;
        return { name, candidates: [source.units[slot.sameAs.slot] ?? ''], ...(keptFor && { keptFor }) };
      }),
    }));
    return { keeps, tasks: resolved };
  }

  #planTask(work: Work): PlanTask {
    const dependencies: PlanDependency[] = [];
    let notAfter = Infinity;
    for (const { task, minLag = 0, maxLag = null } of work.spec.after) {
      const before = this.#of(work, task);
      if (before.state !== 'ended')
        dependencies.push({ task: before.id, minLagMs: minLag, maxLagMs: maxLag });
      else if (maxLag !== null) notAfter = Math.min(notAfter, before.endedAt + maxLag);
    }
    const previous = this.#previous(work);
    if (previous?.state === 'ended') notAfter = Math.min(notAfter, previous.endedAt);
    const slots = work.spec.slots.map((slot) => this.#planSlot(work, slot));
    const blocked = slots.some(({ candidates }) => !candidates.some((id) => this.#place(id).usable));
    const notBefore = this.#notBefore(work);
    return {
      id: work.id,
      run: runOf(work),
      priority: work.job.priority,
      queuedAt: work.queuedAt ?? this.now,
      duration: work.spec.expected,
      slots,
      ready: work.queuedAt !== null && !blocked && notBefore <= this.now,
      blocked,
      ...(notBefore > this.now && { notBefore }),
      ...(notAfter < Infinity && { notAfter }),
      ...(dependencies.length > 0 && { dependencies }),
      ...(previous !== undefined && previous.state !== 'ended' && { follows: previous.id }),
    };
  }

  #planSlot(work: Work, slot: JobSlot): PlanSlot {
    const kept = this.#keptFor(work, slot.name);
    const more = { name: slot.name, ...(kept.length > 0 && { keptFor: kept }) };
    const referred = this.#referred(work, slot);
    if (referred === undefined) return { ...more, candidates: poolOf(slot) };
    const name = slotOf(slot);
    if (referred.state === 'waiting')
      return {
        ...more,
        candidates: this.#poolBehind(referred, name),
        sameAs: { task: referred.id, slot: name },
      };
    return { ...more, candidates: [referred.units[name] ?? ''] };
  }

  #planRunning(work: Work): PlanRunning {
    const expected = (work.spec.expected ?? 10) * 1_000;
    const due = work.startedAt + expected;
    const expectedEnd = due > this.now ? due : this.now + Math.max(1_000, expected / 10);
    const units = Object.entries(work.units).map(
      ([slot, unit]) => [slot, { unit, keptFor: this.#keptFor(work, slot) }] as const,
    );
    const { id, job, startedAt } = work;
    return {
      id,
      run: runOf(work),
      priority: job.priority,
      startedAt,
      expectedEnd,
      units: Object.fromEntries(units),
    };
  }

  /** Waiting and running tasks that must end before the unit of the task in this slot goes to another run. */
  #keptFor(work: Work, slot: string): string[] {
    return keepersOf(work.job, work.spec.name, slot).flatMap((name) => {
      const keeper = this.#of(work, name);
      return keeper === work || keeper.state === 'ended' || keeper.state === 'skipped' ? [] : [keeper.id];
    });
  }

  /** Waiting and running tasks that must end before the run releases the unit, including the one that uses it. */
  #heldFor({ user, last }: Place): string[] {
    const others = last === null ? [] : this.#keptFor(last.work, last.slot);
    return user === null ? others : [user.id, ...others];
  }

  /** A kept unit is for the tasks that refer to it, unless a slot has no other candidate. */
  #unkept(ids: readonly string[], run: string | null): readonly string[] {
    const others = ids.filter((id) => run === null || this.#place(id).heldBy !== run);
    return others.length > 0 ? others : ids;
  }

  #isMet(work: Work): boolean {
    return work.spec.after.every(({ task }) => this.#of(work, task).state === 'ended');
  }

  #notBefore(work: Work): number {
    const lags = work.spec.after.map(({ task, minLag = 0 }) => {
      const before = this.#of(work, task);
      return before.state === 'ended' ? before.endedAt + minLag : 0;
    });
    return Math.max(work.job.arrives, work.retryAt, ...lags);
  }

  /** The task before it in its group. */
  #previous(work: Work): Work | undefined {
    const { group } = work.spec;
    const mates = work.job.tasks.filter((each) => group !== undefined && each.group === group);
    const before = mates[mates.findIndex((each) => each.name === work.spec.name) - 1];
    return before === undefined ? undefined : this.#of(work, before.name);
  }

  #referred(work: Work, slot: JobSlot): Work | undefined {
    return 'task' in slot.from ? this.#of(work, slot.from.task) : undefined;
  }

  #poolBehind(work: Work, name: string): readonly string[] {
    const slot = work.spec.slots.find((each) => each.name === name);
    if (slot === undefined) throw new Error(`${work.id} has no slot ${name}`);
    const referred = this.#referred(work, slot);
    if (referred === undefined) return poolOf(slot);
    const unit = referred.units[slotOf(slot)];
    return referred.state === 'waiting' || unit === undefined
      ? this.#poolBehind(referred, slotOf(slot))
      : [unit];
  }

  #of(work: Work, name: string): Work {
    const other = this.#works.get(`${work.job.id}.${name}`);
    if (other === undefined) throw new Error(`${work.job.id} has no task ${name}`);
    return other;
  }

  #place(id: string): Place {
    const place = this.#places.get(id);
    if (place === undefined) throw new Error(`there is no ${id}`);
    return place;
  }
}

function runOf(work: Work): string | null {
  return work.job.onDemand === true ? null : work.job.id;
}

function poolOf(slot: JobSlot): readonly string[] {
  return 'task' in slot.from ? [] : slot.from;
}

function slotOf(slot: JobSlot): string {
  return 'task' in slot.from ? slot.from.slot : slot.name;
}
