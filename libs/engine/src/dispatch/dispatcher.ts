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
import { Plans } from './plans.js';
import type { Workload } from './workload.js';

export interface DispatchPorts extends StartPorts {
  policy: Policy;
  workload: Workload;
  /** Settles the runs and campaigns that are due. */
  settleWork: (turn: Turn) => void;
  enqueue: (name: string, act: (turn: Turn) => void) => void;
  /** As `enqueue`, but the command may wait for a turn that something else causes. */
  enqueuePatiently: (name: string, act: (turn: Turn) => void) => void;
}

/** Asks the scheduling policy which tasks start on which devices, and starts them. Driven by events; it polls nothing. */
export class Dispatcher {
  readonly #ready: ReadyWork;
  readonly #plans = new Plans();
  /** Decides when the policy fails. */
  readonly #fallback = new GreedyPolicy();
  #version = 0;
  #timetable: Timetable | null = null;
  /** When the policy asked to be asked again, or when the next task may start; milliseconds since 1970. */
  #wakeAt: number | undefined;
  /** The policy has announced a better plan, and was not asked since. */
  #announced = false;
  /** {@link AgentDirectory.changes} when the policy was last asked. */
  #seenChanges = 0;

  constructor(
    private readonly ports: DispatchPorts,
    refusals: Backoff,
  ) {
    this.#ready = new ReadyWork({ ...ports, refusals, patienceMs: ports.policy.patienceMs ?? Infinity });
  }

  /** Discards what was derived from the laboratories and the rows, because either was replaced. */
  forget(): void {
    this.#ready.forget();
    this.ports.workload.forget();
  }

  /** The policy has a better plan: asks it again in a turn of its own. */
  planAgain(): void {
    if (this.#announced) return;
    this.#announced = true;
    this.ports.enqueue('better plan', (turn) => {
      this.#announced = false;
      turn.state.dispatchDue = true;
    });
  }

  /** Starts tasks until nothing more can start, and fails on-demand tasks whose allocation timeout is over. */
  settle(turn: Turn): void {
    const { state } = turn;
    const { settleWork } = this.ports;
    this.#expire(turn, false);
    this.#lookAhead(state);
    while (state.dispatchDue || state.dueRuns.size > 0 || state.dueCampaigns.size > 0) {
      settleWork(turn);
      if (state.dispatchDue) {
        state.dispatchDue = false;
        this.#dispatch(turn);
      }
      this.#lookAhead(state);
    }
    this.#expire(turn, true);
    settleWork(turn);
    this.#notePlans(turn);
  }

  /** Leaves first plans to the next turn, so that no start waits for them. Its commit stores all of them at once. */
  #notePlans(turn: Turn): void {
    const plans = this.#plans.publish(turn.state, this.#timetable);
    if (plans.length === 0) return;
    this.ports.enqueuePatiently('first plans', (next) => {
      const missing = plans.filter(({ id }) => next.state.rows.taskRuns.get(id)?.firstPlan === null);
      if (missing.length > 0) next.emit({ op: 'notePlans', plans: missing });
    });
  }

  /** A policy that plans ahead is asked again whenever something has changed that its plan counts on. */
  #lookAhead(state: WorkingState): void {
    const { directory, policy } = this.ports;
    const isNew = state.planDue || this.#seenChanges !== directory.changes;
    state.planDue = false;
    this.#seenChanges = directory.changes;
    if (isNew && policy.scope === 'all') state.dispatchDue = true;
  }

  /** @param inclusive whether a timeout that ends at this very moment is over */
  #expire(turn: Turn, inclusive: boolean): void {
    const { deadlines, rows } = turn.state;
    for (;;) {
      const next = deadlines.first();
      if (next === undefined || turn.now < next.at || (turn.now === next.at && !inclusive)) return;
      const task = rows.taskRuns.get(next.id);
      if (task === undefined) deadlines.delete(next.id);
      else
        endTask(turn, task, 'failed', {
          code: 'allocation_timeout',
          message: `its devices and resources were not free within ${task.allocationTimeout} s`,
        });
    }
  }

  /** When {@link settle} may decide something new because of time alone. @param since milliseconds since 1970 */
  nextWake(state: WorkingState, since: number): number | undefined {
    const { policy, workload } = this.ports;
    const overrun = policy.scope === 'all' ? workload.nextOverrun(state, since) : undefined;
    const times = [state.deadlines.first()?.at, overrun, this.#wakeAt].filter((at) => at !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The latest plan of a policy that plans ahead; null: there is none. */
  get timetable(): Timetable | null {
    return this.#timetable;
  }

  #dispatch(turn: Turn): void {
    this.#wakeAt = undefined;
    if (nothingStarts(turn.state)) {
      this.#timetable = null;
      return;
    }
    this.#version += 1;
    const plan = this.ports.policy.scope === 'all' ? this.#planAhead(turn) : this.#planNow(turn);
    for (const assignment of plan?.assignments ?? [])
      startTask(turn, this.ports, assignment, this.#plans.lastOf(assignment.task, this.#timetable));
  }

  #planNow(turn: Turn): Plan | undefined {
    const snapshot = this.#ready.snapshot(turn.state, this.#version, turn.now);
    this.#wakeAt = this.#ready.nextStart;
    return snapshot.tasks.length === 0 ? undefined : this.#ask(this.ports.policy, snapshot);
  }

  #planAhead(turn: Turn): Plan | undefined {
    const { policy, workload } = this.ports;
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

  /** @returns undefined when the policy throws, or when the checker refuses its plan */
  #ask(policy: Policy, snapshot: Snapshot): Plan | undefined {
    let plan: Plan;
    try {
      plan = policy.plan(snapshot);
    } catch (error) {
      this.ports.log.error('a scheduling policy failed', {
        policy: policy.name,
        message: error instanceof Error ? error.message : String(error),
        stack: error instanceof Error ? error.stack : undefined,
      });
      return undefined;
    }
    const faults = checkPlan(snapshot, plan);
    if (faults.length === 0) return plan;
    this.ports.log.error('plan refused: the checker found faults', {
      policy: policy.name,
      faults: faults.slice(0, 5),
    });
    return undefined;
  }
}
