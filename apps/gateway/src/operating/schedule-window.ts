import {
  isWaiting,
  longestSchedule,
  orchestratorRequests,
  type ScheduledTask,
  type ScheduledUnit,
  type ScheduleQuery,
  type ScheduleRecord,
} from '@lab/contracts';
import type { Orchestrator } from '../orchestrator/index.js';
import type { RecordReader } from '../ports/index.js';

/** A window of time in ISO 8601 in UTC, which ends before `to`. */
export interface TimeWindow {
  from: string;
  to: string;
}

/**
 * Reads all tasks whose actual or planned time touches a window: unfinished work of the leader, and ended tasks of the
 * database. The database is read last, so that a task that ends meanwhile is in the answer.
 *
 * @param part with the number of tasks at most, also beyond what fits into one message
 * @throws ServiceError as the orchestrator and the records do
 */
export async function readWindow(
  orchestrator: Orchestrator,
  records: RecordReader,
  { limit, rights, ...part }: ScheduleQuery,
  window: TimeWindow,
): Promise<ScheduleRecord> {
  const within = rights.see === 'all' ? {} : { within: rights.see };
  const pages: ScheduleRecord[] = [];
  let after: NonNullable<ScheduleQuery['window']>['after'] = null;
  for (let found = 0; ;) {
    const page: ScheduleRecord = await orchestrator.ask(orchestratorRequests.readSchedule, {
      ...part,
      rights,
      limit: Math.min(limit + 1 - found, longestSchedule),
      window: { from: Date.parse(window.from), to: Date.parse(window.to), after },
    });
    pages.push(page);
    found += page.tasks.length;
    const last = page.tasks.at(-1);
    if (!page.truncated || last === undefined || found > limit) break;
    after = { start: startOf(last), id: last.id };
  }
  const byId = new Map(pages.flatMap(({ tasks }) => tasks).map((task) => [task.id, task]));
  for (const task of await records.endedTasks({ ...part, ...within, ...window, limit: limit + 1 }))
    if ((byId.get(task.id)?.ended_at ?? null) === null) byId.set(task.id, task);
  const all = [...byId.values()].sort((a, b) => startOf(a) - startOf(b) || (a.id < b.id ? -1 : 1));
  const tasks = all.slice(0, limit);
  const [first, ...others] = pages as [ScheduleRecord, ...ScheduleRecord[]];
  const timelines = timelinesOf(tasks);
  return {
    ...first,
    tasks,
    tasks_total: tasks.length,
    truncated: all.length > limit,
    units: unique(
      [first, ...others].flatMap(({ units }) => units),
      ({ kind, name }) => `${kind}:${name}`,
    ).map((unit) => ({ ...unit, timeline: timelines.get(`${unit.kind}:${unit.name}`) ?? [] })),
    protocol_runs: unique(
      pages.flatMap((page) => page.protocol_runs),
      ({ id }) => id,
    ),
    campaigns: unique(
      pages.flatMap((page) => page.campaigns),
      ({ id }) => id,
    ),
  };
}

/** Actual start, or planned start of a waiting task, in milliseconds since 1970. */
function startOf({ state, planned_start: planned, started_at: started }: ScheduledTask): number {
  return Date.parse((isWaiting(state) ? planned : started) ?? '');
}

/** The tasks on each device and resource. */
function timelinesOf(tasks: readonly ScheduledTask[]): Map<string, ScheduledUnit['timeline']> {
  const timelines = new Map<string, ScheduledUnit['timeline']>();
  for (const task of tasks) {
    const planned = isWaiting(task.state);
    const place = {
      task: task.id,
      label: task.label,
      start: (planned ? task.planned_start : task.started_at) ?? '',
      end: planned ? task.planned_end : (task.ended_at ?? task.planned_end),
      planned,
    };
    const units = [
      ...Object.values(task.devices).map((name) => `device:${name}`),
      ...Object.values(task.resources).map((name) => `resource:${name}`),
    ];
    for (const unit of new Set(units)) {
      const timeline = timelines.get(unit) ?? [];
      timeline.push(place);
      timelines.set(unit, timeline);
    }
  }
  return timelines;
}

function unique<Value>(values: readonly Value[], keyOf: (value: Value) => string): Value[] {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}
