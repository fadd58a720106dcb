import type { ScheduledTask, ScheduleRecord } from '@lab/api-client';
import type { Drawn, ganttText } from '@lab/simulation';
import type { Command } from 'commander';
import { asks, seconds, serviceCommand, table, type ServiceFlags } from '../at-service.js';

interface ScheduleFlags extends ServiceFlags {
  run?: string;
  device?: string;
  lab?: string;
  limit?: string;
}

/** `svc schedule`. The code that draws the chart is loaded only when it is needed. */
export function addScheduleCommand(program: Command): void {
  const description = 'show running work, the plan, and why each queued task has not started';
  asks(
    serviceCommand(program, 'schedule', description)
      .option('--run <name>', 'only this protocol run')
      .option('--device <lab.device>', 'only this device')
      .option('--lab <name>', 'only the devices of this laboratory')
      .option('--limit <count>', 'most tasks to list (default 500)')
      .allowExcessArguments(false),
    (client, { run, device, lab, limit }: ScheduleFlags) => {
      const query = { run, device, lab, limit: limit === undefined ? undefined : Number(limit) };
      return client.get('/api/schedule', { query });
    },
    async (schedule) => scheduleLines(schedule, (await import('@lab/simulation')).ganttText),
  );
}

function scheduleLines(schedule: ScheduleRecord, draw: typeof ganttText): string[] {
  const { policy, at, plan, tasks, tasks_total: total, protocol_runs: runs, campaigns } = schedule;
  const listed = tasks.length < total ? ` (${tasks.length} listed)` : '';
  const time = (iso: string | null): string => (iso === null ? '-' : timeOfDay(iso, at));
  return [
    `${policy} at ${seconds(at)}: ${total === 1 ? '1 task' : `${total} tasks`}${listed}`,
    ...(plan === null ? [] : [planLine(plan, time)]),
    ...section(
      ['TASK', 'STATE', 'ON', 'PLANNED', 'ACTUAL', 'WAITS FOR'],
      tasks.map((task) => taskRow(task, time)),
    ),
    ...section(
      ['RUN', 'STATE', 'TASKS', 'ENDS'],
      runs.map((run) => [
        run.name,
        run.state,
        `${run.tasks_ended} of ${run.tasks_total}`,
        time(run.estimated_completion),
      ]),
    ),
    ...section(
      ['CAMPAIGN', 'STATE', 'RUNS', 'ENDS'],
      campaigns.map((campaign) => [
        campaign.name,
        campaign.state,
        `${campaign.runs_completed} of ${campaign.runs_total}`,
        time(campaign.estimated_completion),
      ]),
    ),
    ...chart(schedule, draw),
  ];
}

/** The use of each device and resource over time, one line for each; empty if none is used. */
function chart({ at, units, protocol_runs: runs }: ScheduleRecord, draw: typeof ganttText): string[] {
  const starts = units.flatMap(({ timeline }) => timeline.map(({ start }) => Date.parse(start)));
  if (starts.length === 0) return [];
  const from = Math.min(...starts);
  const now = Date.parse(at);
  const since = (moment: number): number => (moment - from) / 1_000;
  const ends: number[] = [since(now)];
  const drawn: Drawn['units'] = units.map(({ kind, name, timeline }) => ({
    kind,
    name,
    timeline: timeline.map(({ label, start, end }) => {
      // The end of a running task is not known, so its bar ends now.
      ends.push(since(end === null ? now : Date.parse(end)));
      return { what: 'use', by: label, start: since(Date.parse(start)), end: ends.at(-1) ?? 0 };
    }),
  }));
  const caption = `from ${timeOfDay(new Date(from).toISOString(), at)} on; now is at ${since(now).toFixed(1)} s`;
  const lines = draw(
    { units: drawn, protocol_runs: runs, end: Math.max(...ends) },
    process.stdout.columns ?? 100,
  );
  return ['', caption, ...lines];
}

function planLine(plan: NonNullable<ScheduleRecord['plan']>, time: (iso: string) => string): string {
  const { engine, seed } = plan.provenance;
  const bound =
    plan.gap === null ? '' : `, at most ${(plan.gap * 100).toFixed(1)} % more than the least possible`;
  return (
    `plan of ${time(plan.made_at)} by ${engine}${seed === null ? '' : `, seed ${seed}`}: ` +
    `${plan.makespan.toFixed(1)} s to the end, objective ${plan.objective.toFixed(1)}${bound}`
  );
}

function taskRow(task: ScheduledTask, time: (iso: string | null) => string): string[] {
  const span = (start: string | null, end: string | null): string =>
    start === null ? '-' : `${time(start)} to ${time(end)}`;
  const late = task.late_by_s === null ? '' : ` (${task.late_by_s.toFixed(1)} s late)`;
  return [
    task.label,
    task.state,
    [...Object.values(task.devices), ...Object.values(task.resources)].join(', ') || '-',
    span(task.planned_start, task.planned_end),
    `${span(task.started_at, task.ended_at)}${late}`,
    task.waits_for.map(({ code, message }) => `${code}: ${message}`).join('; ') || '-',
  ];
}

/** A table below an empty line; nothing if the table has no rows. */
function section(header: string[], rows: string[][]): string[] {
  return rows.length === 0 ? [] : ['', ...table([header, ...rows])];
}

/** A time as `09:31:00.1`, with the date before it if its day is not that of `at`. Times are UTC. */
function timeOfDay(iso: string, at: string): string {
  const [date = '', time = ''] = iso.split('T');
  return at.startsWith(date) ? time.slice(0, 10) : `${date} ${time.slice(0, 10)}`;
}
