import { isQueued, mayStartTasks } from '@lab/contracts';
import { compareTasks, type PlanSlot, type PlanTask, type RunNeeds, type Snapshot } from '@lab/scheduling';
import type { Backoff, Log } from '@lab/ports';
import type { AgentDirectory } from '../agents/index.js';
import { type LabMap, slotsOf } from '../labs/index.js';
import type { ProtocolRunRow, TaskRunRow } from '../rows/index.js';
import { drainBefore } from '../stops/index.js';
import type { WorkingState } from '../turn/index.js';
import { startWindow } from './lags.js';
import { UnitView } from './units.js';
import { type Workload, reservedUnits } from './workload.js';

export interface ReadyWorkPorts {
  log: Log;
  directory: AgentDirectory;
  workload: Workload;
  refusals: Backoff;
  labs: () => LabMap;
  /** As {@link Policy.patienceMs}; Infinity: unlimited. */
  patienceMs: number;
}

/** Number of oldest tasks with several slots that are compared for one unit. */
const oldest = 32;
/** Greatest number of tasks in one snapshot that cannot start yet. */
const mostEarly = 100;

/** Tasks that could start at once, for policies that do not plan ahead. It examines little of a long queue. */
export class ReadyWork {
  /** Slots of on-demand tasks, by task. */
  readonly #slots = new Map<string, PlanSlot[]>();
  /** On-demand tasks by a unit that each of them requires. May contain tasks that are not queued any more. */
  readonly #waiting = new Map<string, Set<string>>();
  /** The tasks of {@link #waiting} that need several units, by the same unit. */
  readonly #several = new Map<string, Set<string>>();
  /** All other queued tasks. May contain tasks that are not queued any more. */
  readonly #others = new Set<string>();
  #stale = true;
  #warnedOf = new Set<string>();
  #nextStart: number | undefined;
  /** Number of tasks in the current snapshot that cannot start yet. */
  #early = 0;

  constructor(private readonly ports: ReadyWorkPorts) {}

  /** Discards what was derived from the laboratories and the rows, because either was replaced. */
  forget(): void {
    this.#stale = true;
  }

  /** When a task that the latest snapshot left out may start, after a retry wait or a lag; milliseconds since 1970. */
  get nextStart(): number | undefined {
    return this.#nextStart;
  }

  /**
   * @param version identifies the state, for the policy
   * @param now milliseconds since 1970
   */
  snapshot(state: WorkingState, version: number, now: number): Snapshot {
    this.#nextStart = undefined;
    this.#early = 0;
    const view = new UnitView(state, this.ports.labs(), this.ports.directory);
    const tasks: PlanTask[] = [];
    for (const id of this.#worthALook(state, now, view)) {
      const task = this.#planTask(state, id, now, view);
      if (task !== undefined) tasks.push(task);
    }
    const needs = tasks.length === 0 ? undefined : this.#needs(state, tasks);
    return { version, now, tasks, units: view.units, ...(needs === undefined ? {} : { needs }) };
  }

  /** Queued tasks that may start, or for which units may have to be reserved; one of all that wait for a busy unit. */
  *#worthALook(state: WorkingState, now: number, view: UnitView): Iterable<string> {
    if (this.#stale || this.#slots.size > 2 * state.queued.size + 1_000) this.#sortAnew(state);
    for (const id of state.arrivals) this.#sort(state, id);
    state.arrivals.clear();
    const stillQueued = (id: string, group: Set<string>): boolean => {
      if (state.queued.has(id)) return true;
      group.delete(id);
      this.#slots.delete(id);
      return false;
    };
    for (const id of this.#others) if (stillQueued(id, this.#others)) yield id;
    for (const [key, group] of this.#waiting) {
      const unit = view.get(key);
      if (!unit.usable) continue;
      if (unit.busy || unit.heldBy !== null) {
        const first = this.#mostPatient(state, this.#several.get(key), now);
        if (first !== undefined) yield first;
        continue;
      }
      for (const id of group) if (stillQueued(id, group)) yield id;
      if (group.size > 0) continue;
      this.#waiting.delete(key);
      this.#several.delete(key);
    }
  }

  /**
   * The first of the oldest tasks with several slots that require one unit. The others cannot start before it.
   * Comparing only the oldest suffices, so that no task waits for ever.
   */
  #mostPatient(state: WorkingState, group: Set<string> | undefined, now: number): string | undefined {
    if (group === undefined) return undefined;
    const { patienceMs } = this.ports;
    const before = compareTasks(now);
    let first: PlanTask | undefined;
    let looked = 0;
    for (const id of group) {
      const row = state.queued.has(id) ? state.rows.taskRuns.get(id) : undefined;
      if (row === undefined) {
        group.delete(id);
        continue;
      }
      const queuedAt = row.queuedAt ?? row.createdAt;
      // In order of arrival: all that follow have waited for less time.
      if (now - queuedAt < patienceMs || (looked += 1) > oldest) break;
      const slots = this.#slots.get(id) ?? [];
      const task = { id, run: null, priority: row.priority, queuedAt, duration: null, slots };
      if (first === undefined || before(task, first) < 0) first = task;
    }
    return first?.id;
  }

  #sortAnew(state: WorkingState): void {
    this.#stale = false;
    this.#slots.clear();
    this.#others.clear();
    this.#waiting.clear();
    this.#several.clear();
    for (const id of state.queued) state.arrivals.add(id);
  }

  #sort(state: WorkingState, id: string): void {
    this.#slots.delete(id);
    const task = state.rows.taskRuns.get(id);
    const slots = task?.runId === null ? slotsOf(state, this.ports.labs(), task) : undefined;
    if (slots !== undefined) this.#slots.set(id, slots);
    const [only] = slots?.find((slot) => slot.candidates.length === 1)?.candidates ?? [];
    if (only === undefined) {
      this.#others.add(id);
      return;
    }
    const groups = (slots?.length ?? 0) > 1 ? [this.#waiting, this.#several] : [this.#waiting];
    for (const group of groups) group.set(only, (group.get(only) ?? new Set<string>()).add(id));
  }

  #planTask(state: WorkingState, id: string, now: number, view: UnitView): PlanTask | undefined {
    const { refusals, workload } = this.ports;
    const task = state.rows.taskRuns.get(id);
    if (task === undefined || !refusals.isDue(id, now)) return undefined;
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    if (run !== undefined && (run.ending !== null || !mayStartTasks(run.state))) return undefined;
    if (drainBefore(state, run ?? task) !== undefined) return undefined;
    const hasLag = run !== undefined && workload.entryOf(state, run, task)?.entry.lags !== undefined;
    const lagEnd = hasLag ? (startWindow(state, task).notBefore ?? 0) : 0;
    const notBefore = Math.max(task.retryAt ?? 0, lagEnd);
    if (notBefore > now) {
      this.#nextStart = Math.min(notBefore, this.#nextStart ?? notBefore);
      return undefined;
    }
    const queuedAt = task.queuedAt ?? task.createdAt;
    const slots = run === undefined ? this.#slots.get(id) : workload.slotsOf(state, run, task);
    if (slots === undefined) return undefined;
    // Such a task does not start, and no unit is reserved for it, however long it has waited.
    if (!view.serviceComputerTakesTasks && !needsDevice(slots)) return undefined;
    const isPatient = slots.length > 1 && now - queuedAt >= this.ports.patienceMs;
    const duration = (): number | null => workload.expectationOf(state, task).expected;
    const reserved = view.reserved(slots, task.owner, duration, now);
    if (!this.#canStart(state, task, slots, view, reserved)) {
      if (!isPatient || this.#early >= mostEarly) return undefined;
      this.#early += 1;
    }
    if (run !== undefined) return workload.queued(state, task, now, view);
    const { priority } = task;
    return { id, run: null, priority, queuedAt, duration: duration(), slots, ...reservedUnits(reserved) };
  }

  /** Each slot has a free unit. */
  #canStart(
    state: WorkingState,
    task: TaskRunRow,
    slots: readonly PlanSlot[],
    view: UnitView,
    reserved: readonly string[],
  ): boolean {
    for (const slot of slots) {
      const candidates = notHeld(task.runId, slot.candidates, view);
      let free = false;
      for (const candidate of candidates) {
        const unit = view.get(candidate);
        const isTheirs = unit.heldBy === null || unit.heldBy === task.runId;
        free ||= unit.usable && !unit.busy && isTheirs && !reserved.includes(candidate);
      }
      if (!free) {
        if (task.runId !== null) this.#warnOfDeadlock(state, task.runId, candidates);
        return false;
      }
    }
    return true;
  }

  /** Units that holding runs still need before they release theirs; undefined: there are no such runs. */
  #needs(state: WorkingState, tasks: readonly PlanTask[]): Map<string, RunNeeds> | undefined {
    const { workload } = this.ports;
    const needs = new Map<string, RunNeeds>();
    const add = (id: string | null): void => {
      const run = id === null || needs.has(id) ? undefined : state.rows.protocolRuns.get(id);
      if (run !== undefined) needs.set(run.id, workload.needsOf(state, run));
    };
    for (const id of state.holders()) add(id);
    for (const id of state.rows.liveAttempts.keys()) {
      const task = state.rows.taskRuns.get(id);
      if (task !== undefined && workload.willKeep(state, task)) add(task.runId);
    }
    for (const { run, slots } of tasks) if (slots.some((slot) => slot.keptFor !== undefined)) add(run);
    return needs.size === 0 ? undefined : needs;
  }

  /** Warns once per pair when two runs each hold a unit that the other needs: a person must cancel one. */
  #warnOfDeadlock(state: WorkingState, mine: string, candidates: readonly string[]): void {
    const { workload, log } = this.ports;
    const holders = candidates.map((id) => {
      const row = state.rows.allocations.get(id);
      return row !== undefined && !state.isInUse(row) ? row.heldByRunId : null;
    });
    for (const holder of new Set(holders)) {
      if (holder === null || holder === mine || !holders.every((each) => each !== null && each !== mine))
        continue;
      const run = state.rows.protocolRuns.get(holder);
      const waitsForMe = (other: TaskRunRow, of: ProtocolRunRow): boolean =>
        isQueued(other.state) &&
        (workload.slotsOf(state, of, other) ?? []).some(
          (slot) =>
            slot.candidates.length > 0 &&
            slot.candidates.every((id) => state.rows.allocations.get(id)?.heldByRunId === mine),
        );
      const pair = [mine, holder].sort().join(' ');
      if (this.#warnedOf.has(pair) || run === undefined) continue;
      if (!state.tasksOf(holder).some((other) => waitsForMe(other, run))) continue;
      this.#warnedOf.add(pair);
      log.warn('two protocol runs wait for what the other one holds; cancel one of them', {
        runs: [mine, holder].map((id) => state.rows.protocolRuns.get(id)?.name ?? id),
      });
    }
  }
}

/** Otherwise the task runs on the computer of the service. */
const needsDevice = (slots: readonly PlanSlot[]): boolean =>
  slots.some((slot) => slot.name.startsWith('device:'));

/**
 * A test for units that the run does not hold. A held unit is reserved for the tasks that refer to it, because a
 * sample may be in it. If the run holds the whole pool, any of its units may be used, because waiting would never end.
 */
function notHeld(run: string | null, candidates: readonly string[], view: UnitView): readonly string[] {
  if (run === null || candidates.length < 2) return candidates;
  const others = candidates.filter((id) => view.get(id).heldBy !== run);
  return others.length > 0 ? others : candidates;
}
