import {
  isQueued,
  mayStartTasks,
  type DeviceBinding,
  type DeviceFunction,
  type DeviceReference,
  type Reason,
  type TaskStart,
} from '@lab/contracts';
import {
  checkPlan,
  type Assignment,
  type PlanSlot,
  type PlanTask,
  type PlanUnit,
  type Policy,
} from '@lab/scheduling';
import type { AgentDirectory } from './agent-directory.js';
import { take } from './allocation.js';
import type { Backoff } from './backoff.js';
import { failTask, failurePolicyOf } from './failure-policy.js';
import { nothingStarts, stoppedDevices } from './halts.js';
import { serviceComputer, type KnownDevice, type LabMap } from './lab-map.js';
import type { AgentAddress, Ids, Log } from './ports.js';
import { resolveParameters, resourceValues, slotsOf } from './resolve.js';
import { endTask } from './runs.js';
import type { TaskRunRow } from './rows.js';
import type { Turn } from './turn.js';
import type { WorkingState } from './working-state.js';

export interface DispatchPorts {
  ids: Ids;
  policy: Policy;
  log: Log;
  directory: AgentDirectory;
  labs: () => LabMap;
  epoch: () => number;
  /** Tells an agent to start; called after the commit, once per attempt for ever. */
  send: (to: AgentAddress, start: TaskStart) => void;
}

/** Chooses what starts and where, and records it. Driven by events; it polls nothing. */
export class Dispatcher {
  readonly #ports: DispatchPorts;
  /** Of tasks that an agent refused, when they may be tried again. */
  readonly #refusals: Backoff;
  readonly #slots = new Map<string, PlanSlot[]>();
  /** On-demand tasks by one unit that each of them cannot do without; some of them may be queued no more. */
  readonly #waiting = new Map<string, Set<string>>();
  /** All other queued tasks; some of them may be queued no more. */
  readonly #others = new Set<string>();
  #stale = true;
  #version = 0;
  #warnedOf = new Set<string>();
  #isStopped = (_device: KnownDevice): boolean => false;
  /** When the pause of a task that failed before is over; of those seen by the latest {@link dispatch}. */
  #nextRetryAt: number | undefined;

  constructor(ports: DispatchPorts, refusals: Backoff) {
    this.#ports = ports;
    this.#refusals = refusals;
  }

  /** The laboratories or the memory changed: what slots may be filled with is found out anew. */
  forget(): void {
    this.#stale = true;
  }

  /** Fails on-demand tasks whose time is up. @param inclusive whether the very last moment is over as well */
  expire(turn: Turn, inclusive: boolean): void {
    const { deadlines, rows } = turn.state;
    for (;;) {
      const next = deadlines.first();
      if (next === undefined || turn.now < next.at || (turn.now === next.at && !inclusive)) return;
      const task = rows.taskRuns.get(next.id);
      if (task === undefined) deadlines.delete(next.id);
      else
        endTask(turn, task, 'failed', {
          code: 'allocation_timeout',
          message: `its devices and resources could not be had within ${task.allocationTimeout} s`,
        });
    }
  }

  /** When the next on-demand task has waited too long. */
  nextDeadline(state: WorkingState): number | undefined {
    return state.deadlines.first()?.at;
  }

  /** When a task that failed before may be tried again. */
  nextRetry(): number | undefined {
    return this.#nextRetryAt;
  }

  /** Starts whatever can start. */
  dispatch(turn: Turn): void {
    this.#nextRetryAt = undefined;
    if (nothingStarts(turn.state)) return;
    const { policy, log } = this.#ports;
    this.#version += 1;
    const tasks: PlanTask[] = [];
    const units = new Map<string, PlanUnit>();
    this.#isStopped = stoppedDevices(turn.state);
    for (const id of this.#worthALook(turn.state, units)) {
      const task = this.#planTask(turn, id, units);
      if (task !== undefined) tasks.push(task);
    }
    if (tasks.length === 0) return;
    const snapshot = { version: this.#version, now: turn.now, tasks, units };
    const plan = policy.plan(snapshot);
    const faults = checkPlan(snapshot, plan);
    if (faults.length > 0) {
      log.error('plan refused: the checker found faults', {
        policy: policy.name,
        faults: faults.slice(0, 5),
      });
      return;
    }
    for (const assignment of plan.assignments) this.#start(turn, assignment);
  }

  /**
   * The queued tasks, but for those that wait for one certain unit that nobody can have now: of ten thousand tasks for a
   * busy device not one is looked at.
   */
  *#worthALook(state: WorkingState, units: Map<string, PlanUnit>): Iterable<string> {
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
      const unit = this.#unit(state, key, units);
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

  #planTask(turn: Turn, id: string, units: Map<string, PlanUnit>): PlanTask | undefined {
    const { state } = turn;
    const task = state.rows.taskRuns.get(id);
    if (task === undefined || !this.#refusals.isDue(id, turn.now)) return undefined;
    if (task.retryAt !== null && task.retryAt > turn.now) {
      this.#nextRetryAt = Math.min(task.retryAt, this.#nextRetryAt ?? task.retryAt);
      return undefined;
    }
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    if (run !== undefined && (run.ending !== null || !mayStartTasks(run.state))) return undefined;
    let slots = this.#slots.get(id);
    if (slots === undefined) {
      slots = slotsOf(state, this.#ports.labs(), task);
      if (slots === undefined) return undefined;
      this.#slots.set(id, slots);
    }
    if (
      !slots.some((slot) => slot.name.startsWith('device:')) &&
      this.#ports.directory.dispatchable(serviceComputer) === undefined
    )
      return undefined;
    const entry =
      run === undefined
        ? undefined
        : state.protocolOf(run)?.protocol.tasks.find((each) => each.name === task.name);
    const dynamic = (slot: PlanSlot): boolean => {
      const [kind = '', ...name] = slot.name.split(':');
      const wanted = (kind === 'device' ? entry?.devices : entry?.resources)?.[name.join(':')];
      return wanted?.kind === 'dynamic';
    };
    const offered: PlanSlot[] = [];
    for (const slot of slots) {
      const candidates =
        run !== undefined && dynamic(slot) ? this.#notHeld(state, run.id, slot) : slot.candidates;
      let free = false;
      for (const candidate of candidates) {
        const unit = this.#unit(state, candidate, units);
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
      duration: entry?.duration ?? null,
      slots: offered,
    };
  }

  /**
   * What a run keeps is kept for the tasks that refer to it (a sample may lie there), so a dynamic slot of the same run
   * gets another unit, unless its whole pool is kept by the run and waiting would never end.
   */
  #notHeld(state: WorkingState, runId: string, slot: PlanSlot): readonly string[] {
    const others = slot.candidates.filter((id) => state.rows.allocations.get(id)?.heldByRunId !== runId);
    return others.length > 0 ? others : slot.candidates;
  }

  #unit(state: WorkingState, id: string, units: Map<string, PlanUnit>): PlanUnit {
    const known = units.get(id);
    if (known !== undefined) return known;
    const allocation = state.rows.allocations.get(id);
    const device = this.#deviceOf(id);
    const unit: PlanUnit = {
      id,
      kind: id.startsWith('device:') ? 'device' : 'resource',
      busy:
        allocation !== undefined &&
        (state.isInUse(allocation) || (allocation.taskRunId !== null && allocation.heldByRunId === null)),
      heldBy: allocation?.heldByRunId ?? null,
      heldFor: [],
      usable:
        device === undefined
          ? !id.startsWith('device:')
          : !this.#isStopped(device) && this.#ports.directory.isDeviceUsable(device.computer, device.key),
      busyMs: state.busyMs.get(id) ?? 0,
    };
    units.set(id, unit);
    return unit;
  }

  #deviceOf(id: string): KnownDevice | undefined {
    return id.startsWith('device:') ? this.#ports.labs().devices.get(id.slice('device:'.length)) : undefined;
  }

  #start(turn: Turn, assignment: Assignment): void {
    const { state } = turn;
    const task = state.rows.taskRuns.get(assignment.task);
    if (task === undefined) return;
    const { values, faults } = resolveParameters(state, task);
    const definition = state.definitionOf(task);
    if (faults.length > 0 || definition === undefined) {
      failTask(turn, task, unresolved(faults));
      return;
    }
    const chosen = this.#chosenDevices(assignment);
    const computer = chosen === undefined ? undefined : computerFor(Object.values(chosen));
    const inc = computer === undefined ? undefined : this.#ports.directory.dispatchable(computer);
    if (chosen === undefined || computer === undefined || inc === undefined) return;

    const bindings: [string, DeviceBinding][] = [];
    const functions: Record<string, DeviceFunction[]> = {};
    const references: [string, DeviceReference][] = [];
    for (const [slot, device] of Object.entries(chosen)) {
      const { lab, name, type } = device;
      const fence = take(turn, task, 'device', device.key);
      const at = this.#ports.directory.dispatchable(device.computer) ?? 0;
      bindings.push([slot, { lab, name, type, computer: device.computer, inc: at, fence }]);
      functions[slot] = this.#ports.directory.functionsOf(device.computer, device.key);
      references.push([slot, { lab_name: lab, name }]);
    }
    const names = Object.fromEntries(
      Object.entries(assignment.units).flatMap(([slot, id]) =>
        slot.startsWith('resource:') ? [[slot.slice('resource:'.length), id.slice('resource:'.length)]] : [],
      ),
    ) as Record<string, string>;
    for (const name of Object.values(names)) take(turn, task, 'resource', name);
    const resources = resourceValues(state, this.#ports.labs(), task, names);
    const devices = Object.fromEntries(bindings);

    const id = this.#ports.ids.next();
    const number = task.attempt + 1;
    const epoch = this.#ports.epoch();
    const { timeoutMs } = failurePolicyOf(state, task);
    turn.emit({
      op: 'insertAttempt',
      row: {
        id,
        taskRunId: task.id,
        number,
        state: 'dispatching',
        computer,
        inc,
        epoch,
        devices,
        reason: null,
        calls: null,
        deadlineAt: timeoutMs === null ? null : turn.now + timeoutMs,
        createdAt: turn.now,
        endedAt: null,
      },
    });
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    if (run?.state === 'created') turn.setRun(run, 'running', { startedAt: turn.now });
    turn.setTask(task, 'running', {
      attempt: number,
      computer,
      devices: Object.fromEntries(references),
      resources,
      inputParameters: values,
      startedAt: turn.now,
      retryAt: null,
      reason: null,
    });
    turn.started.add(id);
    const start: TaskStart = {
      attempt_id: id,
      task_run_id: task.id,
      label: state.labelOf(task),
      task_type: task.type,
      module: definition.module,
      isolation: definition.isolation,
      // What the functions are is for this start alone, and no part of the record.
      devices: Object.fromEntries(
        bindings.map(([slot, binding]) => [slot, { ...binding, functions: functions[slot] }]),
      ),
      parameters: values,
      resources,
    };
    turn.afterCommit(() => this.#ports.send({ computer, inc, epoch }, start));
  }

  /** The devices of an assignment by handle; undefined when one is not in any loaded laboratory. */
  #chosenDevices(assignment: Assignment): Record<string, KnownDevice> | undefined {
    const chosen: [string, KnownDevice][] = [];
    for (const [slot, id] of Object.entries(assignment.units)) {
      if (!slot.startsWith('device:')) continue;
      const device = this.#deviceOf(id);
      if (device === undefined) return undefined;
      chosen.push([slot.slice('device:'.length), device]);
    }
    return Object.fromEntries(chosen);
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

/** Where most of the devices are, for calls to those need no network; the service computer first among equals. */
export function computerFor(devices: readonly KnownDevice[]): string {
  if (devices.length === 0) return serviceComputer;
  const counts = new Map<string, number>();
  for (const { computer } of devices) counts.set(computer, (counts.get(computer) ?? 0) + 1);
  const rank = (computer: string): string => (computer === serviceComputer ? '' : computer);
  const [best] = [...counts].sort(([a, m], [b, n]) => n - m || (rank(a) < rank(b) ? -1 : 1));
  return best?.[0] ?? serviceComputer;
}

function unresolved(faults: readonly { path: string; message: string }[]): Reason {
  const text = faults
    .slice(0, 5)
    .map((fault) => `${fault.path}: ${fault.message}`)
    .join('; ');
  return { code: 'unresolved_parameters', message: text === '' ? 'its definition is gone' : text };
}
