import {
  isActive,
  isTerminal,
  isWaiting,
  isWithAgent,
  type PlanRecord,
  type ScheduledTask,
  type ScheduledUnit,
  type ScheduleQuery,
  type ScheduleRecord,
} from '@lab/contracts';
import { compareTasks, type PlanTask, type Policy, type Timetable } from '@lab/scheduling';
import type { AgentDirectory } from './agent-directory.js';
import { unitsOf } from './allocation.js';
import type { Backoff } from './backoff.js';
import { campaignCompletion, runCompletion } from './estimates.js';
import { serviceComputer, type LabMap } from './lab-map.js';
import { Expectations, Outlook } from './outlook.js';
import { allocationKey } from './row-set.js';
import type { TaskRunRow } from './rows.js';
import { UnitView } from './units.js';
import { iso, plainName, waitCauses, type CausePorts } from './wait-causes.js';
import type { Workload } from './workload.js';
import type { WorkingState } from './working-state.js';

export interface SchedulePorts {
  state: WorkingState;
  labs: LabMap;
  directory: AgentDirectory;
  workload: Workload;
  refusals: Backoff;
  policy: Policy;
  /** The latest plan; null: there is none. */
  timetable: Timetable | null;
  /** Milliseconds since 1970. */
  now: number;
}

/** Task, with the units that concern it: those it has or had, else those it is to get, else all it waits for. */
interface Line {
  row: TaskRunRow;
  /** Slot to unit, as it is or as it is planned. */
  given: ReadonlyMap<string, string>;
  concerns: ReadonlySet<string>;
  start: number;
}

/** What goes on, what is to come, and why what waits waits: the part that is asked for. */
export function describeSchedule(ports: SchedulePorts, query: ScheduleQuery): ScheduleRecord {
  const { state, labs, directory, workload, refusals, policy, timetable, now } = ports;
  const expectations = new Expectations(state, workload, timetable, now);
  const snapshot = workload.snapshot(state, 0, now);
  const order = compareTasks(now);
  const outlook = new Outlook(state, snapshot, expectations, order);
  const view = new UnitView(state, labs, directory);
  const lines = linesOf(state, outlook, query).sort(byProgress(outlook, order));
  const shown = lines.slice(0, query.limit);
  const causes: CausePorts = {
    outlook,
    view,
    timetable,
    refusedUntil: (task) => refusals.at(task),
    isServiceComputerThere: () => directory.dispatchable(serviceComputer) !== undefined,
  };
  const runs = new Set(shown.map(({ row }) => row.runId));
  const isFiltered = query.run !== undefined || query.device !== undefined || query.lab !== undefined;
  const protocolRuns = [...state.rows.protocolRuns.values()].filter(
    (run) => !isTerminal(run.state) && (!isFiltered || runs.has(run.id)),
  );
  const campaignIds = new Set(protocolRuns.map((run) => run.campaignId));
  return {
    policy: policy.name,
    at: iso(now),
    plan: timetable === null ? null : planRecord(timetable),
    tasks: shown.map((line) => taskRecord(ports, expectations, causes, line)),
    tasks_total: lines.length,
    units: unitRecords(labs, outlook, view, shown, query),
    protocol_runs: protocolRuns.map((run) => {
      const tasks = state.tasksOf(run.id);
      return {
        id: run.id,
        name: run.name,
        campaign: state.rows.campaigns.get(run.campaignId ?? '')?.name ?? null,
        state: run.state,
        priority: run.priority,
        tasks_total: tasks.length,
        tasks_ended: tasks.filter((task) => isTerminal(task.state)).length,
        estimated_completion: iso(runCompletion(state, expectations, run)),
      };
    }),
    campaigns: [...state.rows.campaigns.values()]
      .filter((campaign) => !isTerminal(campaign.state) && (!isFiltered || campaignIds.has(campaign.id)))
      .map((campaign) => ({
        id: campaign.id,
        name: campaign.name,
        state: campaign.state,
        runs_total: campaign.maxProtocolRuns,
        runs_started: campaign.runsStarted,
        runs_completed: campaign.runsCompleted,
        runs_failed: campaign.runsFailed,
        estimated_completion: iso(campaignCompletion(state, expectations, campaign, now)),
      })),
  };
}

/** When what is not over is expected to be complete, by name; what is not known is left out. ISO 8601 in UTC. */
export function describeEstimates({
  state,
  workload,
  timetable,
  now,
}: Pick<SchedulePorts, 'state' | 'workload' | 'timetable' | 'now'>): {
  protocol_runs: Record<string, string>;
  campaigns: Record<string, string>;
} {
  const expectations = new Expectations(state, workload, timetable, now);
  const runs: [string, string][] = [];
  for (const run of state.rows.protocolRuns.values()) {
    const at = isTerminal(run.state) ? null : runCompletion(state, expectations, run);
    if (at !== null) runs.push([run.name, iso(at)]);
  }
  const campaigns: [string, string][] = [];
  for (const campaign of state.rows.campaigns.values()) {
    const at = isTerminal(campaign.state) ? null : campaignCompletion(state, expectations, campaign, now);
    if (at !== null) campaigns.push([campaign.name, iso(at)]);
  }
  return { protocol_runs: Object.fromEntries(runs), campaigns: Object.fromEntries(campaigns) };
}

/** The tasks that are asked for. */
function linesOf(state: WorkingState, outlook: Outlook, query: ScheduleQuery): Line[] {
  const lines: Line[] = [];
  for (const row of state.rows.taskRuns.values()) {
    const run = row.runId === null ? undefined : state.rows.protocolRuns.get(row.runId);
    if (row.runId === null ? isTerminal(row.state) : run === undefined || isTerminal(run.state)) continue;
    if (query.run !== undefined && run?.name !== query.run) continue;
    const planned = outlook.expectations.planned(row);
    const given = isWaiting(row.state)
      ? new Map(Object.entries(planned?.units ?? {}))
      : new Map(
          unitsOf(row).map(({ kind, key, slot }) => [allocationKey(kind, slot), allocationKey(kind, key)]),
        );
    const wanted =
      given.size > 0 ? [] : (outlook.tasks.get(row.id)?.slots.flatMap((slot) => slot.candidates) ?? []);
    const concerns = new Set([...given.values(), ...wanted]);
    if (query.device !== undefined && !concerns.has(allocationKey('device', query.device))) continue;
    if (query.lab !== undefined) {
      const prefix = allocationKey('device', `${query.lab}.`);
      if (![...concerns].some((id) => id.startsWith(prefix))) continue;
    }
    const start = row.startedAt ?? planned?.start ?? Infinity;
    lines.push({ row, given, concerns, start });
  }
  return lines;
}

/** Those that run, those that wait, those that have ended. */
function byProgress(outlook: Outlook, order: (a: PlanTask, b: PlanTask) => number) {
  const group = ({ row }: Line): number => (isActive(row.state) ? 0 : isWaiting(row.state) ? 1 : 2);
  return (a: Line, b: Line): number => {
    const groups = group(a) - group(b);
    if (groups !== 0) return groups;
    if (group(a) === 2) return (b.row.endedAt ?? 0) - (a.row.endedAt ?? 0);
    if (a.start !== b.start) return a.start - b.start;
    const [first, second] = [outlook.tasks.get(a.row.id), outlook.tasks.get(b.row.id)];
    if (first === undefined || second === undefined) return a.row.id < b.row.id ? -1 : 1;
    const queued = Number(second.ready === true) - Number(first.ready === true);
    return queued !== 0 ? queued : order(first, second);
  };
}

function taskRecord(
  { state, workload }: SchedulePorts,
  expectations: Expectations,
  causes: CausePorts,
  { row, given }: Line,
): ScheduledTask {
  const run = row.runId === null ? undefined : state.rows.protocolRuns.get(row.runId);
  const planned = expectations.planned(row);
  const plannedEnd = isWithAgent(row.state) ? expectations.endOf(row.id) : (planned?.end ?? null);
  const unitsIn = (kind: string): Record<string, string> =>
    Object.fromEntries(
      [...given].flatMap(([slot, unit]) =>
        slot.startsWith(`${kind}:`) ? [[plainName(slot), plainName(unit)]] : [],
      ),
    );
  return {
    id: row.id,
    label: state.labelOf(row),
    name: row.name,
    type: row.type,
    protocol_run: run?.name ?? null,
    campaign: state.rows.campaigns.get(run?.campaignId ?? '')?.name ?? null,
    priority: row.priority,
    state: row.state,
    planned_start: iso(planned?.start ?? null),
    planned_end: iso(plannedEnd),
    started_at: iso(row.startedAt),
    ended_at: iso(row.endedAt),
    late_by_s: row.lateByS,
    duration: workload.expectationOf(state, row),
    devices: unitsIn('device'),
    resources: unitsIn('resource'),
    waits_for: waitCauses(causes, row),
  };
}

function unitRecords(
  labs: LabMap,
  outlook: Outlook,
  view: UnitView,
  shown: readonly Line[],
  query: ScheduleQuery,
): ScheduledUnit[] {
  const { state, expectations } = outlook;
  const timelines = new Map<string, ScheduledUnit['timeline']>();
  for (const { row, given } of shown) {
    const planned = expectations.planned(row);
    const start = row.startedAt ?? planned?.start;
    if (start === undefined) continue;
    const end = isWithAgent(row.state) ? expectations.endOf(row.id) : (row.endedAt ?? planned?.end ?? null);
    for (const unit of new Set(given.values())) {
      const timeline = timelines.get(unit) ?? [];
      timeline.push({
        task: row.id,
        label: state.labelOf(row),
        start: iso(start),
        end: iso(end),
        planned: planned !== undefined,
      });
      timelines.set(unit, timeline);
    }
  }
  const concerned = new Set(shown.flatMap(({ concerns }) => [...concerns]));
  const ids = [
    ...[...labs.devices.values()]
      .filter((device) => query.lab === undefined || device.lab === query.lab)
      .filter((device) => query.device === undefined || device.key === query.device)
      .map((device) => allocationKey('device', device.key)),
    ...(query.device !== undefined || query.lab !== undefined ? [] : [...labs.resources.keys()]).map((name) =>
      allocationKey('resource', name),
    ),
  ].filter((id) => query.run === undefined || concerned.has(id));
  return ids.sort().map((id) => {
    const unit = view.get(id);
    const allocation = state.rows.allocations.get(id);
    const isUsed = allocation !== undefined && state.isInUse(allocation);
    const possession = outlook.possession(id);
    const timeline = timelines.get(id) ?? [];
    return {
      kind: unit.kind,
      name: plainName(id),
      usable: unit.usable,
      unusable_because: view.whyUnusable(id),
      used_by: isUsed && allocation.taskRunId !== null ? outlook.labelOf(allocation.taskRunId) : null,
      held_by: unit.heldBy === null ? null : (state.rows.protocolRuns.get(unit.heldBy)?.name ?? null),
      free_at: iso(possession?.until ?? null),
      timeline: timeline.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)),
    };
  });
}

function planRecord({ madeAt, quality, provenance }: Timetable): PlanRecord {
  return {
    made_at: iso(madeAt),
    objective: quality.objective,
    weighted_completion: quality.weightedCompletion,
    makespan: quality.makespan,
    lower_bound: quality.lowerBound,
    gap: quality.gap,
    provenance: { ...provenance },
  };
}
