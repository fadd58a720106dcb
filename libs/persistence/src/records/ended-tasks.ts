import type { ScheduledTask } from '@lab/contracts';
import { sql, type Kysely } from 'kysely';
import { taskHasDevice, taskHasDeviceOf, taskIsOf, taskIsOnlyOf } from './labs.js';
import { limited } from './limited.js';
import { isStorable, type Database, type StoredTaskRun } from '../schema/index.js';

/** A part of the tasks that have ended. */
export interface EndedTasksPart {
  /** ISO 8601; the window ends before `to`. */
  from: string;
  to: string;
  /** Name of a protocol run. */
  run?: string | undefined;
  /** `<lab>.<device>` that the task had. */
  device?: string | undefined;
  /** Laboratory of a device that the task had, or of the run of a task without devices. */
  lab?: string | undefined;
  /** Only tasks that belong to at least one laboratory, and only to these; absent: all tasks. */
  within?: readonly string[] | undefined;
  limit: number;
}

type Found = StoredTaskRun & { protocol_run: string | null; campaign: string | null };

/**
 * Reads the tasks that have started and ended, and whose actual time touches a window, by their starts and then by id. The
 * names are looked up for the rows of the answer alone: for a join, PostgreSQL may read all protocol runs and campaigns.
 *
 * @throws ServiceError `deadline_exceeded` when the window has too many tasks to read them in time; `store_unavailable`
 */
export async function readEndedTasks(
  db: Kysely<Database>,
  { from, to, run, device, lab, within, limit }: EndedTasksPart,
): Promise<ScheduledTask[]> {
  if (![run, device, lab].every((name) => name === undefined || isStorable(name))) return [];
  const found = sql<Found>`
      select task_run.id, task_run.name, task_run.type, task_run.priority, task_run.state, task_run.first_plan,
        task_run.last_plan, task_run.started_at, task_run.ended_at, task_run.late_by_s, task_run.devices,
        task_run.resources,
        (select name from protocol_run where protocol_run.id = task_run.run_id) as protocol_run,
        (select campaign.name from protocol_run join campaign on campaign.id = protocol_run.campaign_id
          where protocol_run.id = task_run.run_id) as campaign
      from task_run
      where task_run.started_at is not null and task_run.ended_at is not null
        and tstzrange(task_run.started_at, greatest(task_run.started_at, task_run.ended_at), '[]')
          && tstzrange(${from}::timestamptz, ${to}::timestamptz)
        ${run === undefined ? sql`` : sql`and task_run.run_id = (select id from protocol_run where name = ${run})`}
        ${device === undefined ? sql`` : sql`and ${taskHasDevice(device)}`}
        ${lab === undefined ? sql`` : sql`and (${taskHasDeviceOf(lab)} or (task_run.devices = '{}'::jsonb and ${taskIsOf(lab)}))`}
        ${within === undefined ? sql`` : sql`and ${taskIsOnlyOf(within)}`}
      order by task_run.started_at, task_run.id limit ${limit}`;
  const { rows } = await limited(found.execute(db), () => 'ask for a shorter time, from= and to=');
  return rows.map(scheduledTask);
}

function scheduledTask(row: Found): ScheduledTask {
  const { id, name, type, priority, state, first_plan, last_plan, started_at, ended_at, late_by_s } = row;
  return {
    ...{ id, name, type, priority, state, first_plan, last_plan, started_at, ended_at, late_by_s },
    label: row.protocol_run === null ? name : `${row.protocol_run}/${name}`,
    protocol_run: row.protocol_run,
    campaign: row.campaign,
    planned_start: null,
    planned_end: null,
    duration: { expected: null, declared: null, learned: null, samples: 0 },
    devices: named(row.devices, (device) => `${device.lab_name}.${device.name}`),
    resources: named(row.resources, (resource) => resource.name),
    waits_for: [],
  };
}

function named<Value>(
  values: Readonly<Record<string, Value>>,
  nameOf: (value: Value) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([handle, value]) => [handle, nameOf(value)]));
}
