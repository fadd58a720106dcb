import type { RunState, TaskRunState } from '../states.js';
import type { ListPosition, Page } from './lists.js';
import type { QueueRecord } from './operations.js';

/**
 * What is going on, what is to come, and why what waits waits (`GET /api/schedule`). Moments are ISO 8601 in UTC,
 * durations seconds. A moment that nobody can know is null.
 */
export interface ScheduleRecord {
  /** The scheduling policy that decides. */
  policy: 'greedy' | 'cpsat';
  /** The moment that all of this describes. */
  at: string;
  /** The latest plan; null of a policy that does not plan ahead, and before the first plan. */
  plan: PlanRecord | null;
  /** Tasks of protocol runs that are not over, and on-demand tasks that are not over, in the order of {@link ScheduleQuery.limit}. */
  tasks: ScheduledTask[];
  /** How many tasks there are, listed or not. */
  tasks_total: number;
  /** Devices and resources of the loaded laboratories, by kind and name. */
  units: ScheduledUnit[];
  protocol_runs: ScheduledRun[];
  campaigns: ScheduledCampaign[];
}

/** Which part of the schedule is asked for. Those given hold together; a name that nothing has selects nothing. */
export interface ScheduleQuery {
  /** Name of a protocol run: its tasks, and the units that they have, are to get or wait for. */
  run?: string | undefined;
  /** `<lab>.<device>`: it alone, and the tasks that have it, are to get it or wait for it. */
  device?: string | undefined;
  /** Name of a laboratory: its devices, and the tasks that have one of them, are to get one or wait for one. */
  lab?: string | undefined;
  /**
   * Tasks listed at most: those that run first, then those that wait, in the order of their planned starts or else of the
   * queue, then those that have ended, the latest first.
   */
  limit: number;
}

/** Most tasks that one answer lists, so that it can be carried in one message. */
export const longestSchedule = 1_000;

/** How good the plan is, and where it comes from. */
export interface PlanRecord {
  made_at: string;
  /** What the policy minimises: the weighted completion plus a weighted makespan. */
  objective: number;
  /** Sum over protocol runs and on-demand tasks of weight x seconds from `made_at` to completion. */
  weighted_completion: number;
  /** Seconds from `made_at` to the end of everything planned. */
  makespan: number;
  /** No plan can have a lower objective. */
  lower_bound: number | null;
  /** `(objective - lower_bound) / objective`. */
  gap: number | null;
  provenance: {
    /** What found it: `repair`, `list`, `search` or `cp-sat`. */
    engine: string;
    seed: number | null;
    ms: number | null;
    /** With the same seed the same plan would be found. */
    reproducible: boolean;
  };
}

export interface ScheduledTask {
  /** Id of the task run. */
  id: string;
  /** `<protocol run>/<task>`, or the name of the on-demand task. */
  label: string;
  name: string;
  type: string;
  protocol_run: string | null;
  campaign: string | null;
  priority: number;
  state: TaskRunState;
  planned_start: string | null;
  planned_end: string | null;
  started_at: string | null;
  ended_at: string | null;
  /** Seconds later than the greatest lag after its dependencies allowed; null: not late, or no such lag. */
  late_by_s: number | null;
  duration: ExpectedDuration;
  /** Slot to `<lab>.<device>`: those it has or had, else those the plan means to give it. */
  devices: Record<string, string>;
  /** Slot to the name of the resource, likewise. */
  resources: Record<string, string>;
  /** Why it has not started; empty when it has started or is over. */
  waits_for: WaitCause[];
}

/** How long a task is expected to take. */
export interface ExpectedDuration {
  /** Seconds that the plan counts on; null: nothing is known. */
  expected: number | null;
  /** Seconds, as declared in the protocol; null: an on-demand task declares none. */
  declared: number | null;
  /** Seconds: the median of the latest completed attempts; null: fewer than 3 are known. */
  learned: number | null;
  /** How many completed attempts are known, at most 32. */
  samples: number;
}

export const waitCodes = [
  'dependency',
  'lag',
  'group',
  'device',
  'resource',
  'lower_priority',
  'no_eligible_device',
  'no_eligible_resource',
  'computer_away',
  'paused',
  'attention',
  'emergency_stop',
  'retry_pause',
  'campaign_limit',
  'hold_order',
  'planned',
  'beyond_horizon',
  'unplanned',
] as const;

/**
 * - `dependency`: `tasks` have not completed
 * - `lag`: a least time after a dependency is over at `until`
 * - `group`: it starts at the end of `tasks`, the one before it in its group
 * - `device`, `resource`: `unit` is in the hands of `held_by` until `until`
 * - `lower_priority`: `tasks` go first on `unit`
 * - `no_eligible_device`, `no_eligible_resource`: nothing can fill a slot at present; `candidates` says why each is out
 * - `computer_away`: the computer that it would run on is not connected
 * - `paused`: people have paused its run, its campaign or the queue
 * - `attention`: its run waits for the decision of a person about `tasks`
 * - `emergency_stop`: people have stopped everything
 * - `retry_pause`: it failed or was refused before, and is tried again at `until`
 * - `campaign_limit`: its campaign has as many runs under way as it may
 * - `hold_order`: started now, its run could come to keep what another run needs and wait for what that one keeps
 * - `planned`: it could start, and the plan starts it at `until`
 * - `beyond_horizon`: the plan does not reach so far
 * - `unplanned`: the plan has no place for it, as `message` says
 */
export type WaitCode = (typeof waitCodes)[number];

/** One reason why a task has not started. */
export interface WaitCause {
  code: WaitCode;
  /** In words, for people. */
  message: string;
  /** Labels of the tasks that it waits for. */
  tasks?: string[];
  /** `<lab>.<device>` or the name of a resource. */
  unit?: string;
  /** The slot that could not be filled. */
  slot?: string;
  /** Label of the task that uses the unit, or name of the protocol run that keeps it between two tasks. */
  held_by?: string;
  /** When it is expected to be over; null: nobody can know. */
  until?: string | null;
  /** Why each unit that fits the slot is out; empty when no loaded laboratory has one. */
  candidates?: { unit: string; why: string }[];
}

/** A device or a resource, and who has it when. */
export interface ScheduledUnit {
  kind: 'device' | 'resource';
  /** `<lab>.<device>` or the name of the resource. */
  name: string;
  /** May be given to a task at present. */
  usable: boolean;
  /** Why not; null when it may. */
  unusable_because: string | null;
  /** Label of the task that uses it at present. */
  used_by: string | null;
  /** Name of the protocol run that keeps it. */
  held_by: string | null;
  /** When it is expected to be free for others; null when it is free, or nobody can know. */
  free_at: string | null;
  /** Tasks on it in the order of their starts: those that ran or run, then those that the plan puts there. */
  timeline: { task: string; label: string; start: string; end: string | null; planned: boolean }[];
}

export interface ScheduledRun {
  id: string;
  name: string;
  campaign: string | null;
  state: RunState;
  priority: number;
  tasks_total: number;
  tasks_ended: number;
  /** When its last task is expected to end; null: not planned, or paused, or waiting for a person. */
  estimated_completion: string | null;
}

export interface ScheduledCampaign {
  id: string;
  name: string;
  state: RunState;
  /** 0: no limit. */
  runs_total: number;
  runs_started: number;
  runs_completed: number;
  runs_failed: number;
  /** When its last run is expected to end; null: not known. */
  estimated_completion: string | null;
}

/** A task that waits, at its place in the queue. Moments are ISO 8601 in UTC, durations seconds. */
export interface QueuedTask {
  /** From 1, among all tasks that wait: in the order of their planned starts, then in that of the policy. */
  position: number;
  /** Id of the task run. */
  id: string;
  /** `<protocol run>/<task>`, or the name of the on-demand task. */
  label: string;
  name: string;
  type: string;
  protocol_run: string | null;
  campaign: string | null;
  owner: string;
  state: TaskRunState;
  priority: number;
  /** The priority with what waiting has added to it: by it the policy `greedy` decides who goes first. */
  effective_priority: number;
  /** Since when it has waited for devices and resources alone, or else since when it is there. */
  waiting_since: string;
  /** Seconds since then. */
  waited: number;
  /** Null: the policy does not plan ahead, or has no place for it. */
  planned_start: string | null;
  waits_for: WaitCause[];
}

/** Whether anything may start, and the tasks that wait, in their order (`GET /api/queue`). */
export interface QueuePage extends QueueRecord, Page<QueuedTask> {}

/** Which part of the queue is asked for. Those given hold together; a name that nothing has selects nothing. */
export interface QueueQuery {
  protocol_run?: string | undefined;
  campaign?: string | undefined;
  owner?: string | undefined;
  /** `<lab>.<device>`: tasks that are planned on it, or else may get it. */
  device?: string | undefined;
  /** Name of a laboratory: tasks that are planned on one of its devices, or else may get one. */
  lab?: string | undefined;
  /** Tasks at most; fewer are answered where more do not fit into one message. */
  limit: number;
  /** From the end of the queue. */
  descending: boolean;
  /** Task behind which to begin, with the position that it had; null: at the beginning. */
  after: ListPosition | null;
}
