import {
  isTerminal,
  isWaiting,
  isWithAgent,
  type PlanRecord,
  type ScheduledTask,
  type ScheduledUnit,
  type ScheduleQuery,
  type ScheduleRecord,
} from '@lab/contracts';
import type { Timetable } from '@lab/scheduling';
import type { LabMap } from '../labs/index.js';
import { type CampaignRow, type ProtocolRunRow, allocationKey } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import { campaignCompletion, runCompletion } from './estimates.js';
import { Expectations } from './forecast.js';
import { type Line, Overview, type OverviewPorts } from './overview.js';
import { iso, plainName, waitCauses } from './wait-causes.js';

export function describeSchedule(ports: OverviewPorts, query: ScheduleQuery): ScheduleRecord {
  const { state, labs, policy, timetable, now } = ports;
  const overview = new Overview(ports, query.rights);
  const { expectations } = overview;
  const lines = overview.lines((line) => overview.sees(line.row) && isAskedFor(state, overview, line, query));
  const listed = query.window === undefined ? lines : inWindow(expectations, lines, query.window);
  const shown = listed.slice(0, query.limit);
  const runs = new Set(shown.map(({ row }) => row.runId));
  const isFiltered = query.run !== undefined || query.device !== undefined || query.lab !== undefined;
  const protocolRuns = [...state.rows.protocolRuns.values()].filter(
    (run) => !isTerminal(run.state) && overview.seesWork(run) && (!isFiltered || runs.has(run.id)),
  );
  const campaignIds = new Set(protocolRuns.map((run) => run.campaignId));
  return {
    policy: policy.name,
    at: iso(now),
    // Its figures are about the work of all laboratories.
    plan: timetable === null || query.rights.see !== 'all' ? null : planRecord(timetable),
    tasks: shown.map((line) => taskRecord(ports, overview, line)),
    tasks_total: listed.length,
    truncated: shown.length < listed.length,
    units: unitRecords(labs, overview, shown, query),
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
      .filter(
        (campaign) =>
          !isTerminal(campaign.state) &&
          overview.seesWork(campaign) &&
          (!isFiltered || campaignIds.has(campaign.id)),
      )
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

export function describeEstimates({
  state,
  workload,
  timetable,
  now,
}: Pick<OverviewPorts, 'state' | 'workload' | 'timetable' | 'now'>): {
  protocol_runs: Record<string, string>;
  campaigns: Record<string, string>;
} {
  const expectations = new Expectations(state, workload, timetable, now);
  const known = <Row extends CampaignRow | ProtocolRunRow>(
    rows: ReadonlyMap<string, Row>,
    completionOf: (row: Row) => number | null,
  ): Record<string, string> => {
    const times = [...rows.values()].flatMap((row) => {
      const at = isTerminal(row.state) ? null : completionOf(row);
      return at === null ? [] : [[row.name, iso(at)] as const];
    });
    return Object.fromEntries(times);
  };
  return {
    protocol_runs: known(state.rows.protocolRuns, (run) => runCompletion(state, expectations, run)),
    campaigns: known(state.rows.campaigns, (row) => campaignCompletion(state, expectations, row, now)),
  };
}

function isAskedFor(state: WorkingState, overview: Overview, line: Line, query: ScheduleQuery): boolean {
  const { runId } = line.row;
  if (query.run !== undefined && (runId === null || state.rows.protocolRuns.get(runId)?.name !== query.run))
    return false;
  return overview.isAbout(line, query.device, query.lab);
}

/** The tasks behind `after` whose actual or planned time touches the window, by their starts and then by id. */
function inWindow(
  expectations: Expectations,
  lines: readonly Line[],
  { from, to, after }: NonNullable<ScheduleQuery['window']>,
): Line[] {
  const placed = lines.flatMap((line) => {
    const { row } = line;
    const planned = expectations.planned(row);
    const start = isWaiting(row.state) ? planned?.start : row.startedAt;
    if (start === undefined || start === null) return [];
    // The end of a task about which a person has to decide is unknown.
    const end = (isTerminal(row.state) ? row.endedAt : expectations.endOf(row.id)) ?? Infinity;
    const isBehind = after === null || start > after.start || (start === after.start && row.id > after.id);
    return start < to && end >= from && isBehind ? [{ line, start }] : [];
  });
  placed.sort((a, b) => a.start - b.start || (a.line.row.id < b.line.row.id ? -1 : 1));
  return placed.map(({ line }) => line);
}

function taskRecord(
  { state, workload }: OverviewPorts,
  { expectations, causes }: Overview,
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
    first_plan: row.firstPlan,
    last_plan: row.lastPlan,
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
  overview: Overview,
  shown: readonly Line[],
  query: ScheduleQuery,
): ScheduledUnit[] {
  const { forecast, expectations } = overview;
  const { state } = forecast;
  const { view } = overview.causes;
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
  const concerned = new Set(shown.flatMap((line) => [...overview.unitsOf(line)]));
  const ids = [
    ...[...labs.devices.values()]
      .filter(({ lab }) => overview.seesLab(lab))
      .filter((device) => query.lab === undefined || device.lab === query.lab)
      .filter((device) => query.device === undefined || device.key === query.device)
      .map((device) => allocationKey('device', device.key)),
    ...(query.device !== undefined || query.lab !== undefined ? [] : [...labs.resources.values()])
      .filter(({ lab }) => overview.seesLab(lab))
      .map(({ name }) => allocationKey('resource', name)),
  ].filter((id) => query.run === undefined || concerned.has(id));
  return ids.sort().map((id) => {
    const unit = view.get(id);
    const allocation = state.rows.allocations.get(id);
    const isUsed = allocation !== undefined && state.isInUse(allocation);
    const possession = forecast.possession(id);
    const timeline = timelines.get(id) ?? [];
    return {
      kind: unit.kind,
      name: plainName(id),
      usable: unit.usable,
      unusable_because: view.whyUnusable(id, forecast.labelFor),
      used_by: isUsed && allocation.taskRunId !== null ? forecast.labelOf(allocation.taskRunId) : null,
      held_by: unit.heldBy === null ? null : (forecast.runName(unit.heldBy) ?? null),
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
