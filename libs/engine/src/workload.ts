import { isQueued, isTerminal, isUnclear, isWaiting, isWithAgent, mayStartTasks } from '@lab/contracts';
import type { ProtocolSnapshot } from '@lab/definitions/model';
import type { PlanDependency, PlanRunning, PlanSlot, PlanTask, Snapshot } from '@lab/scheduling';
import type { AgentDirectory } from './agent-directory.js';
import { unitsOf } from './allocation.js';
import type { Backoff } from './backoff.js';
import type { Durations, Expectation } from './durations.js';
import { expectedEnd } from './expected-end.js';
import { nothingStarts } from './halts.js';
import { serviceComputer, type LabMap } from './lab-map.js';
import { protocolPlan, type PlannedEntry, type ProtocolPlan, type SlotEntry } from './protocol-plan.js';
import { referredUnit, slotsOf } from './resolve.js';
import { allocationKey } from './row-set.js';
import type { ProtocolRunRow, TaskRunRow } from './rows.js';
import { hasBegun } from './runs.js';
import { UnitView } from './units.js';
import type { WorkingState } from './working-state.js';

export interface WorkloadPorts {
  directory: AgentDirectory;
  durations: Durations;
  /** Of tasks that an agent refused, when they may be tried again. */
  refusals: Backoff;
  labs: () => LabMap;
}

/** A run whose tasks are being put into a snapshot. */
interface RunView {
  run: ProtocolRunRow;
  plan: ProtocolPlan;
  /** In the order of the protocol; undefined: the run has no such task. */
  rows: readonly (TaskRunRow | undefined)[];
  blocked: boolean;
}

const noKeepers: readonly string[] = [];

/**
 * Everything that waits and runs, as policies that plan ahead see it. A task that needs a person's decision is among those
 * that wait, blocked: what comes after it cannot be planned.
 */
export class Workload {
  readonly #ports: WorkloadPorts;
  #plans = new WeakMap<ProtocolSnapshot, ProtocolPlan>();
  /** When the first of the tasks that run will have taken longer than expected, as of the latest snapshot. */
  #nextOverrun: number | undefined;

  constructor(ports: WorkloadPorts) {
    this.#ports = ports;
  }

  /** The laboratories changed, and with them what slots may be filled with. */
  forget(): void {
    this.#plans = new WeakMap();
  }

  /** When the latest snapshot ceases to be true if nothing happens, in milliseconds since 1970. */
  get nextOverrun(): number | undefined {
    return this.#nextOverrun;
  }

  /** @param version names the state of the world @param now milliseconds since 1970 */
  snapshot(state: WorkingState, version: number, now: number): Snapshot {
    const view = new UnitView(state, this.#ports.labs(), this.#ports.directory);
    const tasks: PlanTask[] = [];
    const running: PlanRunning[] = [];
    const stopped = nothingStarts(state);
    this.#nextOverrun = undefined;
    for (const run of state.rows.protocolRuns.values()) {
      if (isTerminal(run.state)) continue;
      const known = this.#viewOf(state, run, stopped);
      if (known === undefined) continue;
      for (const [place, row] of known.rows.entries()) {
        const entry = known.plan.tasks[place];
        if (row === undefined || entry === undefined || isTerminal(row.state)) continue;
        if (isWithAgent(row.state)) running.push(this.#running(row, now, view, known, entry));
        else tasks.push(this.#waiting(known, entry, row, now, view));
      }
    }
    for (const row of state.rows.taskRuns.values()) {
      if (row.runId !== null || isTerminal(row.state)) continue;
      if (isWithAgent(row.state)) running.push(this.#running(row, now, view));
      else tasks.push(this.#onDemand(state, row, now, view, stopped));
    }
    return { version, now, tasks, running, units: view.units };
  }

  /** What is known of how long a task takes. */
  expectationOf(state: WorkingState, task: TaskRunRow): Expectation {
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    if (run === undefined) return this.#ports.durations.of(null, task.type, null);
    const plan = this.planOf(state, run);
    const entry = plan?.tasks[plan.placeOf.get(task.name) ?? -1]?.entry;
    return this.#ports.durations.of(run.type, task.name, entry?.duration ?? null);
  }

  planOf(state: WorkingState, run: ProtocolRunRow): ProtocolPlan | undefined {
    const snapshot = state.protocolOf(run);
    if (snapshot === undefined) return undefined;
    let plan = this.#plans.get(snapshot);
    if (plan === undefined) {
      plan = protocolPlan(snapshot, this.#ports.labs());
      this.#plans.set(snapshot, plan);
    }
    return plan;
  }

  #viewOf(state: WorkingState, run: ProtocolRunRow, stopped: boolean): RunView | undefined {
    const plan = this.planOf(state, run);
    const ids = state.rows.tasksOfRun.get(run.id);
    if (plan === undefined || ids === undefined) return undefined;
    const rows = plan.tasks.map(({ entry }) => state.rows.taskRuns.get(ids.get(entry.name) ?? ''));
    const waitsForCampaign = run.campaignId !== null && !hasBegun(state, run);
    const blocked = stopped || run.ending !== null || !mayStartTasks(run.state) || waitsForCampaign;
    return { run, plan, rows, blocked };
  }

  #waiting(
    { run, rows, blocked: runBlocked }: RunView,
    planned: PlannedEntry,
    row: TaskRunRow,
    now: number,
    view: UnitView,
  ): PlanTask {
    const { entry } = planned;
    let blocked = runBlocked || isUnclear(row.state);
    let notBefore = Math.max(row.retryAt ?? 0, this.#ports.refusals.at(row.id) ?? 0);
    let notAfter = Infinity;
    const dependencies: PlanDependency[] = [];
    for (const { task, minLagMs, maxLagMs } of planned.dependencies) {
      const before = rows[task];
      if (before === undefined) continue;
      if (!isTerminal(before.state)) dependencies.push({ task: before.id, minLagMs, maxLagMs });
      else if (before.endedAt !== null) {
        if (minLagMs > 0) notBefore = Math.max(notBefore, before.endedAt + minLagMs);
        if (maxLagMs !== null) notAfter = Math.min(notAfter, before.endedAt + maxLagMs);
      }
    }
    const previous = planned.follows === null ? undefined : rows[planned.follows];
    const follows = previous !== undefined && !isTerminal(previous.state) ? previous.id : undefined;
    if (previous !== undefined && follows === undefined && previous.endedAt !== null)
      notAfter = Math.min(notAfter, previous.endedAt);

    const slots = isUnclear(row.state) ? [] : planned.slots.map((slot) => planSlot(run, rows, slot, view));
    if (!this.#canBeFilled(slots, view)) blocked = true;
    const { expected } = this.#ports.durations.of(run.type, entry.name, entry.duration);
    return {
      id: row.id,
      run: run.id,
      priority: row.priority,
      queuedAt: row.queuedAt ?? row.createdAt,
      duration: expected,
      slots,
      ready: !blocked && isQueued(row.state) && notBefore <= now,
      blocked,
      ...(notBefore > now ? { notBefore } : {}),
      ...(notAfter < Infinity ? { notAfter } : {}),
      ...(dependencies.length > 0 ? { dependencies } : {}),
      ...(follows === undefined ? {} : { follows }),
    };
  }

  /** Each slot has a unit that may be given to somebody, and without devices there is the service computer. */
  #canBeFilled(slots: readonly PlanSlot[], view: UnitView): boolean {
    let filled = true;
    let needsDevice = false;
    for (const slot of slots) {
      let usable = false;
      // Each is looked at, for the snapshot lists all that somebody may get.
      for (const id of slot.candidates) usable = view.get(id).usable || usable;
      filled &&= usable;
      needsDevice ||= slot.name.startsWith('device:');
    }
    return filled && (needsDevice || this.#ports.directory.dispatchable(serviceComputer) !== undefined);
  }

  #onDemand(state: WorkingState, row: TaskRunRow, now: number, view: UnitView, stopped: boolean): PlanTask {
    const { durations, labs, refusals } = this.#ports;
    const unclear = isUnclear(row.state);
    const slots = unclear ? [] : (slotsOf(state, labs(), row) ?? []);
    const blocked = !this.#canBeFilled(slots, view) || unclear || stopped;
    const notBefore = Math.max(row.retryAt ?? 0, refusals.at(row.id) ?? 0);
    return {
      id: row.id,
      run: null,
      priority: row.priority,
      queuedAt: row.queuedAt ?? row.createdAt,
      duration: durations.of(null, row.type, null).expected,
      slots,
      ready: !blocked && isQueued(row.state) && notBefore <= now,
      blocked,
      ...(notBefore > now ? { notBefore } : {}),
    };
  }

  #running(row: TaskRunRow, now: number, view: UnitView, of?: RunView, planned?: PlannedEntry): PlanRunning {
    const { durations } = this.#ports;
    const expectation =
      of === undefined || planned === undefined
        ? durations.of(null, row.type, null)
        : durations.of(of.run.type, row.name, planned.entry.duration);
    const startedAt = row.startedAt ?? now;
    const { end, overrunAt } = expectedEnd(startedAt, expectation.expected, now);
    if (this.#nextOverrun === undefined || overrunAt < this.#nextOverrun) this.#nextOverrun = overrunAt;
    const units: Record<string, { unit: string; keptFor: readonly string[] }> = {};
    for (const { kind, key, slot } of unitsOf(row)) {
      const name = allocationKey(kind, slot);
      const unit = allocationKey(kind, key);
      view.get(unit);
      const entry = planned?.slots.find((each) => each.name === name);
      units[name] = {
        unit,
        keptFor: of === undefined || entry === undefined ? noKeepers : keptFor(of.rows, entry),
      };
    }
    return { id: row.id, run: row.runId, priority: row.priority, startedAt, expectedEnd: end, units };
  }
}

function planSlot(run: ProtocolRunRow, rows: RunView['rows'], slot: SlotEntry, view: UnitView): PlanSlot {
  const kept = keptFor(rows, slot);
  const keeps = kept.length > 0 ? { keptFor: kept } : {};
  const { name, kind, reference } = slot;
  if (reference === null)
    return {
      name,
      candidates: slot.dynamic ? notHeld(run.id, slot.candidates, view) : slot.candidates,
      ...keeps,
    };
  const source = rows[reference.task];
  if (source !== undefined && isWaiting(source.state)) {
    const sameAs =
      reference.source === null
        ? {}
        : { sameAs: { task: source.id, slot: allocationKey(kind, reference.source) } };
    return { name, candidates: slot.candidates, ...sameAs, ...keeps };
  }
  const unit = source === undefined ? undefined : referredUnit(source, kind, reference);
  return { name, candidates: unit === undefined || !slot.candidates.includes(unit) ? [] : [unit], ...keeps };
}

/**
 * What a run keeps is kept for the tasks that refer to it (a sample may lie there), so a dynamic slot of the same run
 * gets another unit, unless its whole pool is kept by the run and waiting would never end.
 */
export function notHeld(runId: string, candidates: readonly string[], view: UnitView): readonly string[] {
  if (!candidates.some((id) => view.get(id).heldBy === runId)) return candidates;
  const others = candidates.filter((id) => view.get(id).heldBy !== runId);
  return others.length > 0 ? others : candidates;
}

/** Tasks that have not ended for which the unit of a slot is kept. */
function keptFor(rows: RunView['rows'], slot: SlotEntry): readonly string[] {
  if (slot.keepers.length === 0) return noKeepers;
  return slot.keepers.flatMap((place) => {
    const row = rows[place];
    return row === undefined || isTerminal(row.state) ? [] : [row.id];
  });
}
