import { isQueued, mayStartTasks } from '@lab/contracts';
import type { PlanSlot, PlanTask, Snapshot } from '@lab/scheduling';
import type { AgentDirectory } from './agent-directory.js';
import type { Backoff } from './backoff.js';
import { serviceComputer, type LabMap } from './lab-map.js';
import { startWindow } from './lags.js';
import type { Log } from './ports.js';
import { slotsOf } from './resolve.js';
import type { TaskRunRow } from './rows.js';
import { UnitView } from './units.js';
import { notHeld, type Workload } from './workload.js';
import type { WorkingState } from './working-state.js';

export interface ReadyWorkPorts {
  log: Log;
  directory: AgentDirectory;
  workload: Workload;
  refusals: Backoff;
  labs: () => LabMap;
}

/** What could start at once, for policies that look no further: of much that waits, little is looked at. */
export class ReadyWork {
  readonly #ports: ReadyWorkPorts;
  readonly #slots = new Map<string, PlanSlot[]>();
  /** On-demand tasks by one unit that each of them cannot do without; some of them may be queued no more. */
  readonly #waiting = new Map<string, Set<string>>();
  /** All other queued tasks; some of them may be queued no more. */
  readonly #others = new Set<string>();
  #stale = true;
  #warnedOf = new Set<string>();
  #nextStart: number | undefined;

  constructor(ports: ReadyWorkPorts) {
    this.#ports = ports;
  }

  /** The laboratories or the memory changed: what slots may be filled with is found out anew. */
  forget(): void {
    this.#stale = true;
  }

  /** When a task that the latest snapshot left out may start: its pause or a lag is over. Milliseconds since 1970. */
  get nextStart(): number | undefined {
    return this.#nextStart;
  }

  /** @param version names the state of the world @param now milliseconds since 1970 */
  snapshot(state: WorkingState, version: number, now: number): Snapshot {
    this.#nextStart = undefined;
    const view = new UnitView(state, this.#ports.labs(), this.#ports.directory);
    const tasks: PlanTask[] = [];
    for (const id of this.#worthALook(state, view)) {
      const task = this.#planTask(state, id, now, view);
      if (task !== undefined) tasks.push(task);
    }
    return { version, now, tasks, units: view.units };
  }

  /**
   * The queued tasks, but for those that wait for one certain unit that nobody can have now: of ten thousand tasks for a
   * busy device not one is looked at.
   */
  *#worthALook(state: WorkingState, view: UnitView): Iterable<string> {
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
      if (unit.busy || !unit.usable || unit.heldBy !== null) continue;
      for (const id of group) if (stillQueued(id, group)) yield id;
      if (group.size === 0) this.#waiting.delete(key);
    }
  }

  #sortAnew(state: WorkingState): void {
    this.#stale = false;
    this.#slots.clear();
    this.#others.clear();
    this.#waiting.clear();
    for (const id of state.queued) state.arrivals.add(id);
  }

  #sort(state: WorkingState, id: string): void {
    this.#slots.delete(id);
    const task = state.rows.taskRuns.get(id);
    const slots = task?.runId === null ? slotsOf(state, this.#ports.labs(), task) : undefined;
    const [only] = slots?.find((slot) => slot.candidates.length === 1)?.candidates ?? [];
    if (slots === undefined || only === undefined) {
      this.#others.add(id);
      return;
    }
    this.#slots.set(id, slots);
    const group = this.#waiting.get(only) ?? new Set<string>();
    group.add(id);
    this.#waiting.set(only, group);
  }

  #planTask(state: WorkingState, id: string, now: number, view: UnitView): PlanTask | undefined {
    const { refusals, directory, labs, workload } = this.#ports;
    const task = state.rows.taskRuns.get(id);
    if (task === undefined || !refusals.isDue(id, now)) return undefined;
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    if (run !== undefined && (run.ending !== null || !mayStartTasks(run.state))) return undefined;
    const plan = run === undefined ? undefined : workload.planOf(state, run);
    const planned = plan?.tasks[plan.placeOf.get(task.name) ?? -1];
    const lag = planned?.entry.lags === undefined ? 0 : (startWindow(state, task).notBefore ?? 0);
    const notBefore = Math.max(task.retryAt ?? 0, lag);
    if (notBefore > now) {
      this.#nextStart = Math.min(notBefore, this.#nextStart ?? notBefore);
      return undefined;
    }
    let slots = this.#slots.get(id);
    if (slots === undefined) {
      slots = slotsOf(state, labs(), task);
      if (slots === undefined) return undefined;
      this.#slots.set(id, slots);
    }
    if (
      !slots.some((slot) => slot.name.startsWith('device:')) &&
      directory.dispatchable(serviceComputer) === undefined
    )
      return undefined;
    const offered: PlanSlot[] = [];
    for (const [place, slot] of slots.entries()) {
      const candidates =
        run !== undefined && planned?.slots[place]?.dynamic === true
          ? notHeld(run.id, slot.candidates, view)
          : slot.candidates;
      let free = false;
      for (const candidate of candidates) {
        const unit = view.get(candidate);
        free ||= unit.usable && !unit.busy && (unit.heldBy === null || unit.heldBy === task.runId);
      }
      if (!free) {
        if (run !== undefined) this.#warnOfDeadlock(state, task, candidates);
        return undefined;
      }
      offered.push({ name: slot.name, candidates });
    }
    return {
      id,
      run: task.runId,
      priority: task.priority,
      queuedAt: task.queuedAt ?? task.createdAt,
      duration: workload.expectationOf(state, task).expected,
      slots: offered,
    };
  }

  /**
   * Two runs that each keep what the other waits for will wait for ever unless a person cancels one of them: this says
   * so, once per pair.
   */
  #warnOfDeadlock(state: WorkingState, task: TaskRunRow, candidates: readonly string[]): void {
    const mine = task.runId;
    if (mine === null) return;
    const holders = candidates.map((id) => {
      const row = state.rows.allocations.get(id);
      return row !== undefined && !state.isInUse(row) ? row.heldByRunId : null;
    });
    for (const holder of new Set(holders)) {
      if (holder === null || holder === mine || !holders.every((each) => each !== null && each !== mine))
        continue;
      const waitsForMe = state
        .tasksOf(holder)
        .some(
          (other) =>
            isQueued(other.state) &&
            this.#slots
              .get(other.id)
              ?.some(
                (slot) =>
                  slot.candidates.length > 0 &&
                  slot.candidates.every((id) => state.rows.allocations.get(id)?.heldByRunId === mine),
              ),
        );
      const pair = [mine, holder].sort().join(' ');
      if (!waitsForMe || this.#warnedOf.has(pair)) continue;
      this.#warnedOf.add(pair);
      this.#ports.log.warn('two protocol runs wait for what the other one holds; cancel one of them', {
        runs: [mine, holder].map((id) => state.rows.protocolRuns.get(id)?.name ?? id),
      });
    }
  }
}
