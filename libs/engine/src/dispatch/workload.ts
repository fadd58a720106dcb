import { isQueued, isTerminal, isUnclear, isWaiting, isWithAgent, mayStartTasks } from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { PlanDependency, PlanRunning, PlanSlot, PlanTask, RunNeeds, Snapshot } from '@lab/scheduling';
import type { Backoff } from '@lab/ports';
import type { AgentDirectory } from '../agents/index.js';
import { type LabMap, heldFor, referredUnit, slotsOf, unitsOf } from '../labs/index.js';
import { type ProtocolRunRow, type TaskRunRow, allocationKey } from '../rows/index.js';
import { drainBefore, nothingStarts } from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';
import { type Durations, type Expectation, hasBegun } from '../work/index.js';
import { expectedEnd } from './expected-end.js';
import { type PlannedEntry, type ProtocolPlan, type SlotEntry, protocolPlan } from './protocol-plan.js';
import { UnitView } from './units.js';

export interface WorkloadPorts {
  directory: AgentDirectory;
  durations: Durations;
  /** When tasks that an agent refused may be sent again. */
  refusals: Backoff;
  labs: () => LabMap;
}

/** A run whose tasks are being added to a snapshot. */
interface RunView {
  run: ProtocolRunRow;
  plan: ProtocolPlan;
  /** The task at a place of the protocol plan; undefined: the run has none. */
  row: (place: number) => TaskRunRow | undefined;
}

const noKeepers: readonly string[] = [];

/** All tasks for policies that plan ahead. A task that needs a decision counts as blocked: nobody knows its end. */
export class Workload {
  #plans = new WeakMap<ProtocolSnapshot, ProtocolPlan>();

  constructor(private readonly ports: WorkloadPorts) {}

  /** Discards the candidates of slots, because the laboratories changed. */
  forget(): void {
    this.#plans = new WeakMap();
  }

  /** When the first running task will exceed its expected duration, in milliseconds since 1970. */
  nextOverrun(state: WorkingState, since: number): number | undefined {
    let next: number | undefined;
    for (const id of state.rows.liveAttempts.keys()) {
      const row = state.rows.taskRuns.get(id);
      if (row === undefined || row.startedAt === null || !isWithAgent(row.state)) continue;
      const { expected } = this.expectationOf(state, row);
      const { overrunAt } = expectedEnd(row.startedAt, expected, since);
      if (next === undefined || overrunAt < next) next = overrunAt;
    }
    return next;
  }

  /**
   * @param version identifies the state, for the policy
   * @param now milliseconds since 1970
   */
  snapshot(state: WorkingState, version: number, now: number): Snapshot {
    const view = new UnitView(state, this.ports.labs(), this.ports.directory);
    const tasks: PlanTask[] = [];
    const running: PlanRunning[] = [];
    const stopped = nothingStarts(state);
    for (const run of state.rows.protocolRuns.values()) {
      if (isTerminal(run.state)) continue;
      const known = this.#viewOf(state, run);
      if (known === undefined) continue;
      const waitsForCampaign = run.campaignId !== null && !hasBegun(state, run);
      const isHeldBack = waitsForCampaign || drainBefore(state, run) !== undefined;
      const blocked = stopped || run.ending !== null || !mayStartTasks(run.state) || isHeldBack;
      for (const [place, entry] of known.plan.tasks.entries()) {
        const row = known.row(place);
        if (row === undefined || isTerminal(row.state)) continue;
        if (isWithAgent(row.state)) running.push(this.#running(row, now, view, known, entry));
        else tasks.push(this.#waiting(known, entry, row, now, view, blocked));
      }
    }
    for (const row of state.rows.taskRuns.values()) {
      if (row.runId !== null || isTerminal(row.state)) continue;
      if (isWithAgent(row.state)) running.push(this.#running(row, now, view));
      else {
        const blocked = stopped || drainBefore(state, row) !== undefined;
        tasks.push(this.#onDemand(state, row, now, view, blocked));
      }
    }
    return { version, now, tasks, running, units: view.units };
  }

  /** The expected duration of a task. */
  expectationOf(state: WorkingState, task: TaskRunRow): Expectation {
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    if (run === undefined) return this.ports.durations.of(null, task.type, null);
    const entry = this.entryOf(state, run, task)?.entry;
    return this.ports.durations.of(run.type, task.name, entry?.duration ?? null);
  }

  /** The plan data of a task of a run; undefined: its definition is missing. */
  entryOf(state: WorkingState, run: ProtocolRunRow, task: TaskRunRow): PlannedEntry | undefined {
    const plan = this.#planOf(state, run);
    return plan?.tasks[plan.placeOf.get(task.name) ?? -1];
  }

  #planOf(state: WorkingState, run: ProtocolRunRow): ProtocolPlan | undefined {
    const snapshot = state.protocolOf(run);
    return snapshot === undefined ? undefined : this.planOf(snapshot);
  }

  /** The plan data of every run of a protocol. */
  planOf(snapshot: ProtocolSnapshot): ProtocolPlan {
    let plan = this.#plans.get(snapshot);
    if (plan === undefined) {
      plan = protocolPlan(snapshot, this.ports.labs());
      this.#plans.set(snapshot, plan);
    }
    return plan;
  }

  /** Expected seconds of a task of coming runs of a protocol; null: unknown. */
  expectedSeconds(protocol: string, { entry }: PlannedEntry): number | null {
    return this.ports.durations.of(protocol, entry.name, entry.duration).expected;
  }

  /** A queued task of a run; undefined: its definition is missing. */
  queued(state: WorkingState, row: TaskRunRow, now: number, view: UnitView): PlanTask | undefined {
    const run = row.runId === null ? undefined : state.rows.protocolRuns.get(row.runId);
    const known = run === undefined ? undefined : this.#viewOf(state, run);
    const entry = run === undefined ? undefined : this.entryOf(state, run, row);
    if (known === undefined || entry === undefined) return undefined;
    return this.#waiting(known, entry, row, now, view, false);
  }

  /** The slots of a task of a run with their candidates; undefined: its definition is missing. */
  slotsOf(state: WorkingState, run: ProtocolRunRow, row: TaskRunRow): PlanSlot[] | undefined {
    const known = this.#viewOf(state, run);
    const entry = this.entryOf(state, run, row);
    return known === undefined || entry === undefined
      ? undefined
      : entry.slots.map((slot) => planSlot(known, slot));
  }

  /** Says whether the run of a running task will hold a unit of the task after its end. */
  willKeep(state: WorkingState, row: TaskRunRow): boolean {
    const run = row.runId === null ? undefined : state.rows.protocolRuns.get(row.runId);
    const entry = run === undefined ? undefined : this.entryOf(state, run, row);
    return entry?.slots.some((slot) => slot.keepers.length > 0) ?? false;
  }

  /** Units that a holding run still needs before it releases those that it holds. */
  needsOf(state: WorkingState, run: ProtocolRunRow): RunNeeds {
    const known = this.#viewOf(state, run);
    const keeps = new Map<string, Set<string>>();
    const keep = (unit: string, keepers: readonly string[]): void => {
      const waiting = keepers.filter((id) => isWaiting(state.rows.taskRuns.get(id)?.state ?? 'completed'));
      if (waiting.length === 0) return;
      keeps.set(unit, new Set([...(keeps.get(unit) ?? []), ...waiting]));
    };
    for (const row of state.heldBy(run.id)) keep(allocationKey(row.kind, row.key), heldFor(state, row));
    const tasks: RunNeeds['tasks'][number][] = [];
    for (const [place, entry] of known?.plan.tasks.entries() ?? []) {
      const row = known?.row(place);
      if (known === undefined || row === undefined || isTerminal(row.state)) continue;
      if (isWaiting(row.state)) {
        const slots = entry.slots.map((slot) => planSlot(known, slot));
        tasks.push({ id: row.id, slots, dependencies: timesOf(known, entry).dependencies });
      } else
        for (const { unit, keptFor: keepers } of Object.values(unitsBySlot(row, known, entry)))
          keep(unit, keepers);
    }
    return { keeps: [...keeps].map(([unit, keepers]) => ({ unit, for: [...keepers] })), tasks };
  }

  #viewOf(state: WorkingState, run: ProtocolRunRow): RunView | undefined {
    const plan = this.#planOf(state, run);
    const ids = state.rows.tasksOfRun.get(run.id);
    if (plan === undefined || ids === undefined) return undefined;
    const row = (place: number): TaskRunRow | undefined =>
      state.rows.taskRuns.get(ids.get(plan.tasks[place]?.entry.name ?? '') ?? '');
    return { run, plan, row };
  }

  #waiting(
    known: RunView,
    planned: PlannedEntry,
    row: TaskRunRow,
    now: number,
    view: UnitView,
    runIsBlocked: boolean,
  ): PlanTask {
    const { run } = known;
    const { entry } = planned;
    const { dependencies, follows, ...window } = timesOf(known, planned);
    const unclear = isUnclear(row.state);
    const slots = unclear ? [] : planned.slots.map((slot) => planSlot(known, slot));
    const blocked = !this.#canBeFilled(slots, view) || runIsBlocked || unclear;
    const notBefore = Math.max(window.notBefore, row.retryAt ?? 0, this.ports.refusals.at(row.id) ?? 0);
    const { expected } = this.ports.durations.of(run.type, entry.name, entry.duration);
    const mayStart = isQueued(row.state) && notBefore <= now;
    const reserved = mayStart ? view.reserved(slots, row.owner, () => expected, now) : [];
    return {
      id: row.id,
      run: run.id,
      priority: row.priority,
      queuedAt: row.queuedAt ?? row.createdAt,
      duration: expected,
      slots,
      ready: !blocked && mayStart,
      blocked,
      ...(notBefore > now ? { notBefore } : {}),
      ...(window.notAfter < Infinity ? { notAfter: window.notAfter } : {}),
      ...(dependencies.length > 0 ? { dependencies } : {}),
      ...(follows === undefined ? {} : { follows }),
      ...reservedUnits(reserved),
    };
  }

  /** Each slot has a unit that some task can get; without devices the service computer takes tasks. */
  #canBeFilled(slots: readonly PlanSlot[], view: UnitView): boolean {
    let filled = true;
    let needsDevice = false;
    for (const slot of slots) {
      let usable = false;
      // Examines every candidate, because the snapshot lists all of them.
      for (const id of slot.candidates) usable = view.get(id).usable || usable;
      filled &&= usable;
      needsDevice ||= slot.name.startsWith('device:');
    }
    return filled && (needsDevice || view.serviceComputerTakesTasks);
  }

  #onDemand(state: WorkingState, row: TaskRunRow, now: number, view: UnitView, stopped: boolean): PlanTask {
    const { durations, labs, refusals } = this.ports;
    const unclear = isUnclear(row.state);
    const slots = unclear ? [] : (slotsOf(state, labs(), row) ?? []);
    const blocked = !this.#canBeFilled(slots, view) || unclear || stopped;
    const notBefore = Math.max(row.retryAt ?? 0, refusals.at(row.id) ?? 0);
    const { expected } = durations.of(null, row.type, null);
    const mayStart = isQueued(row.state) && notBefore <= now;
    const reserved = mayStart ? view.reserved(slots, row.owner, () => expected, now) : [];
    return {
      id: row.id,
      run: null,
      priority: row.priority,
      queuedAt: row.queuedAt ?? row.createdAt,
      duration: expected,
      slots,
      ready: !blocked && mayStart,
      blocked,
      ...(notBefore > now ? { notBefore } : {}),
      ...reservedUnits(reserved),
    };
  }

  #running(row: TaskRunRow, now: number, view: UnitView, of?: RunView, planned?: PlannedEntry): PlanRunning {
    const { durations } = this.ports;
    const expectation =
      of === undefined || planned === undefined
        ? durations.of(null, row.type, null)
        : durations.of(of.run.type, row.name, planned.entry.duration);
    const startedAt = row.startedAt ?? now;
    const { end } = expectedEnd(startedAt, expectation.expected, now);
    const units = unitsBySlot(row, of, planned);
    for (const { unit } of Object.values(units)) view.get(unit);
    return { id: row.id, run: row.runId, priority: row.priority, startedAt, expectedEnd: end, units };
  }
}

/** The field of a task with reserved units; none for a task without them. */
export function reservedUnits(units: readonly string[]): Pick<PlanTask, 'reserved'> {
  return units.length === 0 ? {} : { reserved: units };
}

/** The units of a running task by slot, and the tasks for which each is held. */
function unitsBySlot(row: TaskRunRow, of?: RunView, planned?: PlannedEntry): PlanRunning['units'] {
  const units: Record<string, { unit: string; keptFor: readonly string[] }> = {};
  for (const { kind, key, slot } of unitsOf(row)) {
    const name = allocationKey(kind, slot);
    const entry = planned?.slots.find((each) => each.name === name);
    const kept = of === undefined || entry === undefined ? noKeepers : keptFor(of, entry);
    units[name] = { unit: allocationKey(kind, key), keptFor: kept };
  }
  return units;
}

/** What a task waits for besides units, and its start window. */
function timesOf(
  { row }: RunView,
  planned: PlannedEntry,
): { dependencies: PlanDependency[]; notBefore: number; notAfter: number; follows: string | undefined } {
  let notBefore = 0;
  let notAfter = Infinity;
  const dependencies: PlanDependency[] = [];
  for (const { task, minLagMs, maxLagMs } of planned.dependencies) {
    const before = row(task);
    if (before === undefined) continue;
    if (!isTerminal(before.state)) dependencies.push({ task: before.id, minLagMs, maxLagMs });
    else if (before.endedAt !== null) {
      if (minLagMs > 0) notBefore = Math.max(notBefore, before.endedAt + minLagMs);
      if (maxLagMs !== null) notAfter = Math.min(notAfter, before.endedAt + maxLagMs);
    }
  }
  const previous = planned.follows === null ? undefined : row(planned.follows);
  const hasEnded = previous !== undefined && isTerminal(previous.state);
  if (hasEnded && previous.endedAt !== null) notAfter = Math.min(notAfter, previous.endedAt);
  return { dependencies, notBefore, notAfter, follows: hasEnded ? undefined : previous?.id };
}

function planSlot(known: RunView, slot: SlotEntry): PlanSlot {
  const kept = keptFor(known, slot);
  const keeps = kept.length > 0 ? { keptFor: kept } : {};
  const { name, kind, reference, candidates } = slot;
  if (reference === null) return { name, candidates, ...keeps };
  const source = known.row(reference.task);
  if (source !== undefined && isWaiting(source.state)) {
    const sameAs =
      reference.source === null
        ? {}
        : { sameAs: { task: source.id, slot: allocationKey(kind, reference.source) } };
    return { name, candidates, ...sameAs, ...keeps };
  }
  const unit = source === undefined ? undefined : referredUnit(source, kind, reference);
  return { name, candidates: unit === undefined || !candidates.includes(unit) ? [] : [unit], ...keeps };
}

/** Unfinished tasks for which the unit of a slot is held. */
function keptFor({ row }: RunView, slot: SlotEntry): readonly string[] {
  if (slot.keepers.length === 0) return noKeepers;
  return slot.keepers.flatMap((place) => {
    const keeper = row(place);
    return keeper === undefined || isTerminal(keeper.state) ? [] : [keeper.id];
  });
}
