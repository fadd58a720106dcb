import { checkPlan } from '../check-plan.js';
import { checkSchedule } from '../check-schedule.js';
import { checkTimetable } from '../check-timetable.js';
import { GreedyPolicy, isAvailable } from '../greedy.js';
import type { Assignment, Plan, PlanTask, Policy, Snapshot, Timetable } from '../policy.js';
import type { Schedule } from '../problem/problem.js';
import { construct, repairInSteps } from '../search/list-heuristics.js';
import { allOf, type Steps } from '../steps.js';
import { costOf, frozenTasks, keepsFrozen, type KnownPlace, type Steadiness } from './acceptance.js';
import { Background, type BackgroundPorts, type Finding } from './background.js';
import { compile } from './compile.js';
import { type Compiled, type Concessions, placesOf } from './compiled.js';
import type { Accepted, Draft } from './drafts.js';
import { sameFacts } from './facts.js';
import { orderOf, reordered, type Order } from './order.js';
import { timetableOf, withBound } from './timetable.js';

export interface CpsatKnobs {
  /** Seconds of search for a better plan after the last change. */
  time_limit: number;
  seed: number;
  /** Seconds per tick. */
  resolution: number;
  /** Seconds; an improvement does not move tasks that start within this time. */
  frozen_window: number;
}

/** Approximate number of planned tasks, most important first; repaired and checked in steps of 5 to 10 ms. */
const horizon = 1_000;
/** Up to this number of waiting tasks the policy tries several list heuristics; above, background searches do. */
const constructible = 150;
/** Up to this number of waiting tasks every plan is compared with the order of the queue. */
const comparable = 500;

/** Above this number of waiting tasks, a new task waits for a later plan: a millisecond for each waiting task. */
const prompt = 500;
/** This number of waiting tasks is planned in one call; more are planned in steps. */
const plannedAtOnce = 200;
/** Minimum milliseconds between two uses of search results. */
const shortestPauseMs = 50;
/** The minimum pause between two uses of search results, as a multiple of the time of the latest plan. */
const pausePerPlan = 9;
const noConcessions: Concessions = { stuck: new Set(), relaxed: new Map() };
const noPlaces: ReadonlyMap<string, KnownPlace> = new Map();

/**
 * Plans all waiting tasks ahead. Each call repairs the order of the current plan for the new situation and compares it
 * with the order of the queue. The better one decides which tasks start. Background searches look for improvements
 * ({@link Background}); their order is adopted if it still helps.
 *
 * - It minimises the sum over runs and on-demand tasks of weight x completion, plus half the sum of weights x
 *   makespan.
 * - A near start that was planned long enough ago is frozen ({@link frozenTasks}): only facts move it.
 * - A change has a cost ({@link costOf}), so that the plan does not flicker.
 * - Every plan has passed the checkers. A plan with faults is logged, and the next best is used. If none is left, or
 *   planning fails, tasks start as under the policy `greedy`.
 * - Many tasks are planned in steps, one in each call. Until the last step, tasks that are due in the previous plan
 *   start; without a plan, tasks start as under `greedy`. {@link Plan.wakeAt} requests the next step.
 *
 * Equal snapshots give equal plans if the searcher is reproducible and there is no exact solver.
 */
export class CpsatPolicy implements Policy {
  readonly name = 'cpsat';
  readonly scope = 'all';
  readonly #steadiness: Steadiness;
  readonly #background: Background;
  readonly #greedy = new GreedyPolicy();
  #accepted: Accepted | null = null;
  /** The plan in progress. Its steps end with the snapshot in numbers; null: it has no plan. */
  #making: { snapshot: Snapshot; steps: Steps<Compiled | null> } | null = null;
  /** The best finding since the latest plan. */
  #finding: Finding | null = null;
  #bound: Finding | null = null;
  #ask: () => void = () => undefined;
  #planning = false;
  #askedAt = -Infinity;
  /** Time at which the latest plan was ready, and the milliseconds that it took. */
  #planned = { at: -Infinity, took: 0 };

  /** @param atOnce number of waiting tasks that are planned in one call; more take several calls */
  constructor(
    private readonly ports: BackgroundPorts,
    private readonly knobs: CpsatKnobs,
    private readonly atOnce = plannedAtOnce,
  ) {
    const timeLimitMs = knobs.time_limit * 1_000;
    this.#steadiness = { frozenWindowMs: knobs.frozen_window * 1_000, settledAfterMs: timeLimitMs };
    this.#background = new Background(ports, { timeLimitMs, seed: knobs.seed }, (finding) =>
      this.#take(finding),
    );
  }

  begin(ask: () => void): void {
    this.#ask = ask;
  }

  async stop(): Promise<void> {
    await this.#background.stop();
  }

  plan(snapshot: Snapshot): Plan {
    this.#planning = true;
    const began = this.ports.clock.now();
    try {
      return this.#plan(snapshot);
    } catch (error) {
      this.#accepted = null;
      this.#making = null;
      this.ports.log.error('planning broke down; what can start is started without a plan', {
        message: error instanceof Error ? error.message : String(error),
        stack: error instanceof Error ? error.stack : undefined,
      });
      return this.#greedy.plan(snapshot);
    } finally {
      this.#planning = false;
      const at = this.ports.clock.now();
      this.#planned = { at, took: at - began };
    }
  }

  #plan(snapshot: Snapshot): Plan {
    const isMany = snapshot.tasks.length > this.atOnce;
    if (!isMany) this.#making = null;
    const making = (this.#making ??= { snapshot, steps: this.#make(snapshot) });
    const step = isMany ? making.steps.next() : { done: true as const, value: allOf(making.steps) };
    if (step.done !== true) return this.#meanwhile(snapshot);
    this.#making = null;
    if (step.value === null) return this.#greedy.plan(snapshot);
    return making.snapshot === snapshot ? this.#carryOut(snapshot, step.value) : this.#meanwhile(snapshot);
  }

  /** Makes the plan of a snapshot the current plan. */
  *#make(snapshot: Snapshot): Steps<Compiled | null> {
    const { unchanged, compiled: first } = yield* this.#look(snapshot);
    let compiled = first;
    if (!unchanged) {
      yield;
      const repaired = yield* this.#repair(snapshot, first);
      const drafts = yield* this.#drafts(repaired, snapshot.now);
      if (!(yield* this.#accept(snapshot, drafts))) {
        this.#accepted = null;
        return null;
      }
      compiled = repaired.compiled;
      this.#bound = null;
      this.#improve(snapshot.now);
    }
    const finding = this.#finding;
    this.#finding = null;
    if (finding?.schedule) {
      yield;
      yield* this.#consider(snapshot, compiled, finding, finding.schedule);
    }
    return compiled;
  }

  /** The snapshot in numbers with the concessions of the current plan, and whether the plan can stay. */
  *#look(snapshot: Snapshot): Steps<{ compiled: Compiled; unchanged: boolean }> {
    const accepted = this.#accepted;
    if (accepted === null) return { compiled: this.#compile(snapshot, noConcessions), unchanged: false };
    const { concessions, facts } = accepted.compiled;
    const late = (task: PlanTask): boolean => !accepted.known.has(task.id);
    const newcomers = snapshot.now < accepted.standsUntil ? snapshot.tasks.filter(late) : [];
    if (newcomers.length > 0) {
      const old = { ...snapshot, tasks: snapshot.tasks.filter((task) => !late(task)) };
      const compiled = this.#compile(old, concessions);
      const reason = 'it has just come, and is planned in a moment';
      compiled.unplanned.push(...newcomers.map((task) => ({ task: task.id, reason })));
      if (sameFacts(compiled.facts, facts)) return { compiled, unchanged: true };
      yield;
    }
    const compiled = this.#compile(snapshot, concessions);
    return { compiled, unchanged: newcomers.length === 0 && sameFacts(compiled.facts, facts) };
  }

  #compile(snapshot: Snapshot, concessions: Concessions): Compiled {
    return compile(snapshot, { tickMs: this.knobs.resolution * 1_000, limit: horizon, concessions });
  }

  /**
   * The current plan as far as it is possible now; without one, the order of the queue. A task without a place gives
   * up its greatest lags, then its group; one that has no place even then is left out.
   */
  *#repair(snapshot: Snapshot, first: Compiled): Steps<Draft> {
    const accepted = this.#accepted;
    const relaxed = new Map(first.concessions.relaxed);
    const stuck = new Set<string>();
    // A stuck task may have a place now.
    let compiled =
      first.concessions.stuck.size === 0 ? first : this.#compile(snapshot, { stuck: new Set(), relaxed });
    for (;;) {
      const frozen = this.#frozen(snapshot.now);
      const { draft, unplaced } =
        accepted === null
          ? yield* this.#decode(compiled, reordered(compiled, noPlaces, frozen, null), 'list')
          : yield* this.#decode(compiled, orderOf(compiled, accepted.places, frozen), 'repair');
      if (unplaced.length === 0) return draft;
      for (const activity of unplaced) {
        const task = compiled.waiting.get(activity)?.id;
        if (task === undefined)
          throw new Error(`activity ${activity} has no place, and no task waits for one`);
        const given = relaxed.get(task);
        if (given === 'group') stuck.add(task);
        relaxed.set(task, given === undefined ? 'lags' : 'group');
      }
      for (const task of stuck) relaxed.delete(task);
      compiled = this.#compile(snapshot, { stuck: new Set(stuck), relaxed: new Map(relaxed) });
      yield;
    }
  }

  /** The repaired plan, and the results of other list heuristics as long as no frozen task moves. */
  *#drafts(repaired: Draft, now: number): Steps<Draft[]> {
    const { compiled } = repaired;
    const size = compiled.waiting.size;
    const places = this.#accepted?.places ?? noPlaces;
    const frozen = this.#frozen(now);
    const orders: Order[] = [];
    if (size <= comparable && this.#accepted !== null) orders.push(reordered(compiled, places, frozen, null));
    if (size <= constructible) orders.push(reordered(compiled, places, frozen, construct(compiled.problem)));
    const drafts = [repaired];
    for (const order of orders) {
      const { draft, unplaced } = yield* this.#decode(compiled, order, 'list');
      if (unplaced.length === 0 && keepsFrozen(compiled, frozen, repaired.schedule, draft.schedule))
        drafts.push(draft);
    }
    return drafts.sort((a, b) => a.cost - b.cost);
  }

  *#decode(
    compiled: Compiled,
    order: Order,
    engine: string,
  ): Steps<{ draft: Draft; unplaced: readonly number[] }> {
    const began = this.ports.clock.now();
    const { unplaced, ...schedule } = yield* repairInSteps(compiled.problem, order);
    const ms = this.ports.clock.now() - began;
    const reproducible = this.#accepted?.provenance.reproducible ?? true;
    const cost = costOf(compiled, schedule, this.#accepted?.places ?? noPlaces, this.#steadiness);
    return {
      draft: { compiled, schedule, cost, provenance: { engine, seed: null, ms, reproducible } },
      unplaced,
    };
  }

  /** Makes the first draft without a fault the current plan. @param until of the plan that it improves, if any */
  *#accept(
    snapshot: Snapshot,
    drafts: readonly Draft[],
    until?: Pick<Accepted, 'known' | 'standsUntil'>,
  ): Steps<boolean> {
    for (const draft of drafts) {
      yield;
      const { compiled, schedule, provenance } = draft;
      const timetable = timetableOf(snapshot, compiled, schedule, provenance, this.#lowerBound(compiled));
      const faults = checkSchedule(compiled.problem, schedule);
      yield;
      if (faults.length === 0) faults.push(...checkTimetable(snapshot, timetable, compiled.tickMs));
      if (faults.length === 0) {
        const size = compiled.waiting.size;
        this.#accepted = {
          ...draft,
          timetable,
          places: this.#placesOf(compiled, schedule),
          known: until?.known ?? new Set(snapshot.tasks.map((task) => task.id)),
          standsUntil: until?.standsUntil ?? snapshot.now + (size > prompt ? size : 0),
        };
        return true;
      }
      this.ports.log.error('a plan has faults and is not used', {
        engine: provenance.engine,
        faults: faults.slice(0, 5),
      });
    }
    return false;
  }

  #placesOf(compiled: Compiled, schedule: Schedule): Map<string, KnownPlace> {
    const places = new Map<string, KnownPlace>();
    for (const [task, place] of placesOf(compiled, schedule))
      places.set(task, { ...place, since: this.#accepted?.places.get(task)?.since ?? compiled.origin });
    return places;
  }

  #frozen(now: number): Set<string> {
    return frozenTasks(this.#accepted?.places ?? noPlaces, now, this.#steadiness);
  }

  #improve(now: number): void {
    const accepted = this.#accepted;
    if (accepted === null) return;
    const { compiled, schedule } = accepted;
    this.#background.restart({ compiled, schedule, frozen: this.#frozen(now) });
  }

  /** Keeps a finding of a search for the next plan. */
  #take(finding: Finding | null): void {
    if (finding !== null && finding.lowerBound !== null && !this.#knowsMore(finding)) this.#bound = finding;
    if (finding !== null && finding.schedule !== null) this.#finding = finding;
    if (this.#planning || (finding === null && this.#finding === null)) return;
    const now = this.ports.clock.now();
    // A search finds many improvements in its first moments. Each use costs a plan, for which ended tasks wait.
    const pause = Math.max(shortestPauseMs, this.#accepted?.compiled.waiting.size ?? 0);
    const { at, took } = this.#planned;
    const isEarly = now - this.#askedAt < pause || now - at < pausePerPlan * took;
    if (finding !== null && finding.lowerBound === null && isEarly) return;
    this.#askedAt = now;
    this.#ask();
  }

  /** Says whether the known bound belongs to the same problem, and is no lower. */
  #knowsMore({ job, lowerBound }: Finding): boolean {
    const known = this.#bound;
    return (
      known?.job.compiled === job.compiled && (known.lowerBound ?? -Infinity) >= (lowerBound ?? -Infinity)
    );
  }

  /** Adopts the order of a finding if it is better for the current situation. */
  *#consider(snapshot: Snapshot, compiled: Compiled, finding: Finding, schedule: Schedule): Steps<void> {
    const accepted = this.#accepted;
    if (accepted === null) return;
    const frozen = this.#frozen(snapshot.now);
    const { draft: current, unplaced: lost } =
      compiled === accepted.compiled
        ? { draft: accepted, unplaced: [] }
        : yield* this.#decode(compiled, orderOf(compiled, accepted.places, frozen), 'repair');
    const places = placesOf(finding.job.compiled, schedule);
    for (const task of frozen) {
      const place = accepted.places.get(task);
      if (place !== undefined) places.set(task, place);
    }
    const order = orderOf(compiled, places, frozen);
    const { draft, unplaced } = yield* this.#decode(compiled, order, finding.engine);
    if (unplaced.length > 0 || lost.length > 0 || draft.cost >= current.cost) return;
    if (!keepsFrozen(compiled, frozen, current.schedule, draft.schedule)) return;
    const reproducible = finding.reproducible && accepted.provenance.reproducible;
    const provenance = { engine: finding.engine, seed: this.knobs.seed, ms: finding.ms, reproducible };
    if (yield* this.#accept(snapshot, [{ ...draft, provenance }], accepted))
      this.#background.adopt({ compiled, schedule: draft.schedule, frozen });
  }

  /** Lower bound in ticks of the objective of a problem with the same facts; null: unknown. */
  #lowerBound(compiled: Compiled): number | null {
    const bound = this.#bound;
    if (bound === null || bound.lowerBound === null) return null;
    const { compiled: of } = bound.job;
    if (!sameFacts(of.facts, compiled.facts)) return null;
    // Ends come nearer by at most the number of ticks that have passed.
    const passed = Math.max(0, Math.ceil((compiled.origin - of.origin) / compiled.tickMs));
    const { runs, makespanWeight } = of.problem;
    return bound.lowerBound - passed * runs.reduce((sum, run) => sum + run.weight, makespanWeight);
  }

  /** Carries out the previous plan as far as possible while the next one is in progress. */
  #meanwhile(snapshot: Snapshot): Plan {
    const wakeAt = snapshot.now + 1;
    const accepted = this.#accepted;
    if (accepted === null) return { ...this.#greedy.plan(snapshot), wakeAt };
    const { compiled, places } = accepted;
    const reasons = new Map(compiled.unplanned.map(({ task, reason }) => [task, reason]));
    const unplanned = snapshot.tasks.flatMap(({ id }) =>
      places.has(id) ? [] : [{ task: id, reason: reasons.get(id) ?? 'it is planned in a moment' }],
    );
    return { ...this.#carryOut(snapshot, { ...compiled, unplanned }, snapshot.tasks), wakeAt };
  }

  /**
   * The tasks that the current plan starts now, and the time of the next call.
   *
   * @param tasks the waiting tasks, if the plan was made for another snapshot and may want the impossible
   */
  #carryOut(snapshot: Snapshot, compiled: Compiled, tasks?: readonly PlanTask[]): Plan {
    const { unplanned } = compiled;
    const accepted = this.#accepted;
    if (accepted === null) return this.#greedy.plan(snapshot);
    const { places } = accepted;
    const due = [...(tasks ?? compiled.waiting.values())].flatMap(
      (task): { task: PlanTask; place: KnownPlace }[] => {
        const place = places.get(task.id);
        return place !== undefined && place.start <= snapshot.now ? [{ task, place }] : [];
      },
    );
    due.sort((a, b) => a.place.start - b.place.start);
    const assignments: Assignment[] = [];
    const taken = new Set<string>();
    for (const { task, place } of due) {
      const units = Object.values(place.units);
      const starts =
        isReady(task, snapshot.now) &&
        units.every((id) => !taken.has(id) && isAvailable(snapshot.units.get(id), task)) &&
        (tasks === undefined || isPossible(snapshot, task, place.units));
      if (starts) assignments.push({ task: task.id, units: place.units });
      // A task that is due but cannot start yet keeps its units from later tasks.
      for (const unit of units) taken.add(unit);
    }
    assignments.push(...this.#unstick(snapshot, compiled, taken));
    const plan = {
      assignments,
      timetable: { ...this.#published(accepted), unplanned },
      wakeAt: nextMoment(snapshot, accepted),
    };
    const faults = checkPlan(snapshot, plan);
    if (faults.length === 0) return plan;
    this.ports.log.error('what the plan starts has faults; what can start is started without it', {
      faults: faults.slice(0, 5),
    });
    return this.#greedy.plan(snapshot);
  }

  #published({ compiled, timetable }: Accepted): Timetable {
    const bound = this.#lowerBound(compiled);
    return bound === null ? timetable : withBound(timetable, (bound * compiled.tickMs) / 1_000);
  }

  /** Starts stuck tasks as the policy `greedy` would, on units for which no planned task waits. */
  #unstick(
    snapshot: Snapshot,
    { concessions, activityOf }: Compiled,
    taken: ReadonlySet<string>,
  ): Assignment[] {
    const { stuck } = concessions;
    if (stuck.size === 0) return [];
    const runs = new Set(snapshot.tasks.flatMap((task) => (stuck.has(task.id) ? [task.run ?? task.id] : [])));
    const units = new Map(snapshot.units);
    for (const [id, unit] of units) if (taken.has(id)) units.set(id, { ...unit, usable: false });
    // It also sees the other tasks, because it must know what runs with kept units still need.
    const tasks = snapshot.tasks.map((task) =>
      runs.has(task.run ?? task.id) && !activityOf.has(task.id) ? task : { ...task, ready: false },
    );
    return this.#greedy.plan({ ...snapshot, tasks, units }).assignments;
  }
}

function isReady(task: PlanTask, now: number): boolean {
  return task.ready !== false && task.blocked !== true && (task.notBefore ?? now) <= now;
}

function isPossible(snapshot: Snapshot, task: PlanTask, units: Assignment['units']): boolean {
  const assignments = [{ task: task.id, units }];
  return (
    checkPlan({ ...snapshot, tasks: [task] }, { assignments, timetable: null, wakeAt: null }).length === 0
  );
}

/** The next planned start or expected end: if it does not happen, a new plan is needed. */
function nextMoment(snapshot: Snapshot, { places, known, standsUntil }: Accepted): number | null {
  let next = Infinity;
  if (standsUntil > snapshot.now && snapshot.tasks.some((task) => !known.has(task.id))) next = standsUntil;
  for (const { start, end } of places.values()) {
    const moment = start > snapshot.now ? start : end;
    if (moment > snapshot.now && moment < next) next = moment;
  }
  for (const { expectedEnd } of snapshot.running ?? [])
    if (expectedEnd > snapshot.now && expectedEnd < next) next = expectedEnd;
  return next === Infinity ? null : next;
}
