import {
  checkPlan,
  GreedyPolicy,
  type Plan,
  type Policy,
  type Snapshot,
  type Timetable,
} from '@lab/scheduling';
import type { Backoff } from '@lab/ports';
import { nothingStarts } from '../stops/index.js';
import type { Turn, WorkingState } from '../turn/index.js';
import { endTask } from '../work/index.js';
import { ReadyWork } from './ready-work.js';
import { type StartPorts, startTask } from './start-task.js';
import type { Workload } from './workload.js';

export interface DispatchPorts extends StartPorts {
  policy: Policy;
  workload: Workload;
}

/** Chooses what starts and where, and records it. Driven by events; it polls nothing. */
export class Dispatcher {
  readonly #ports: DispatchPorts;
  readonly #ready: ReadyWork;
  /** What decides when the policy cannot. */
  readonly #fallback = new GreedyPolicy();
  #version = 0;
  #timetable: Timetable | null = null;
  /** When the policy wants to be asked again, or a task may start that could not before. */
  #wakeAt: number | undefined;

  constructor(ports: DispatchPorts, refusals: Backoff) {
    this.#ports = ports;
    this.#ready = new ReadyWork({ ...ports, refusals, patienceMs: ports.policy.patienceMs ?? Infinity });
  }

  /** The laboratories or the memory changed: what slots may be filled with is found out anew. */
  forget(): void {
    this.#ready.forget();
    this.#ports.workload.forget();
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

  /** When {@link dispatch} may decide something else although nothing has happened. @param since milliseconds since 1970 */
  nextWake(state: WorkingState, since: number): number | undefined {
    const { policy, workload } = this.#ports;
    const overrun = policy.scope === 'all' ? workload.nextOverrun(state, since) : undefined;
    if (overrun === undefined || this.#wakeAt === undefined) return overrun ?? this.#wakeAt;
    return Math.min(overrun, this.#wakeAt);
  }

  /** The latest plan of a policy that plans ahead; null: there is none. */
  get timetable(): Timetable | null {
    return this.#timetable;
  }

  /** Starts whatever the policy wants to have started now. */
  dispatch(turn: Turn): void {
    this.#wakeAt = undefined;
    if (nothingStarts(turn.state)) {
      this.#timetable = null;
      return;
    }
    this.#version += 1;
    const plan = this.#ports.policy.scope === 'all' ? this.#planAhead(turn) : this.#planNow(turn);
    for (const assignment of plan?.assignments ?? []) startTask(turn, this.#ports, assignment);
  }

  #planNow(turn: Turn): Plan | undefined {
    const snapshot = this.#ready.snapshot(turn.state, this.#version, turn.now);
    this.#wakeAt = this.#ready.nextStart;
    return snapshot.tasks.length === 0 ? undefined : this.#ask(this.#ports.policy, snapshot);
  }

  #planAhead(turn: Turn): Plan | undefined {
    const { policy, workload } = this.#ports;
    const snapshot = workload.snapshot(turn.state, this.#version, turn.now);
    if (snapshot.tasks.length === 0 && this.#timetable === null) return undefined;
    const plan = this.#ask(policy, snapshot) ?? this.#ask(this.#fallback, snapshot);
    this.#timetable = plan?.timetable ?? null;
    const wakes = snapshot.tasks.map((task) => task.notBefore ?? Infinity);
    wakes.push(Math.max(plan?.wakeAt ?? Infinity, turn.now + 1));
    const first = wakes.reduce((earliest, at) => Math.min(earliest, at), Infinity);
    this.#wakeAt = first === Infinity ? undefined : first;
    return plan;
  }

  /** @returns undefined when the policy broke down, or wants what must not be */
  #ask(policy: Policy, snapshot: Snapshot): Plan | undefined {
    let plan: Plan;
    try {
      plan = policy.plan(snapshot);
    } catch (error) {
      this.#ports.log.error('a policy broke down', {
        policy: policy.name,
        message: error instanceof Error ? error.message : String(error),
        stack: error instanceof Error ? error.stack : undefined,
      });
      return undefined;
    }
    const faults = checkPlan(snapshot, plan);
    if (faults.length === 0) return plan;
    this.#ports.log.error('plan refused: the checker found faults', {
      policy: policy.name,
      faults: faults.slice(0, 5),
    });
    return undefined;
  }
}
