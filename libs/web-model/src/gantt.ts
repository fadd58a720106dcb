import type { AgentRecord, DeviceRecord, ReservationRecord, ScheduledTask } from '@lab/api-client';

/** By what the rows of a chart are. */
export const groupings = ['device', 'resource', 'computer', 'run'] as const;
export type Grouping = (typeof groupings)[number];

/** A task in a row. Times in milliseconds since 1970. */
export interface GanttBar {
  task: ScheduledTask;
  /** Actual start, or else the planned one. */
  start: number;
  /** Actual end, or else the expected one; undefined: nobody knows. */
  end: number | undefined;
  /** False: the task has not started. */
  isActual: boolean;
  /** What was planned first, and last before the start. */
  first: Span | undefined;
  last: Span | undefined;
}

export interface Span {
  start: number;
  end: number;
}

export interface GanttRow {
  name: string;
  /** In the order of their starts. */
  bars: GanttBar[];
}

const at = (text: string | null): number | undefined => (text === null ? undefined : Date.parse(text));
const spanOf = (plan: { start: string; end: string } | null): Span | undefined =>
  plan === null ? undefined : { start: Date.parse(plan.start), end: Date.parse(plan.end) };

/** Bars that were made, because thousands of tasks are asked for again and again. */
const made = new WeakMap<ScheduledTask, { bar: GanttBar | undefined }>();

/** The bar of a task, always the same one; undefined for a task that has not started and is not planned. */
export function barOf(task: ScheduledTask): GanttBar | undefined {
  let known = made.get(task);
  if (known === undefined) made.set(task, (known = { bar: makeBar(task) }));
  return known.bar;
}

function makeBar(task: ScheduledTask): GanttBar | undefined {
  const started = at(task.started_at);
  const start = started ?? at(task.planned_start);
  if (start === undefined) return undefined;
  const end = at(task.ended_at) ?? at(task.planned_end);
  return {
    ...{ task, start, isActual: started !== undefined },
    end: end === undefined ? undefined : Math.max(start, end),
    first: spanOf(task.first_plan),
    last: spanOf(task.last_plan),
  };
}

/**
 * The rows of a chart.
 *
 * @param computers computer of each device, by `<lab>.<device>`
 * @param units devices or resources that have a row in any case, so that one without work is seen as well
 * @returns in the order of their names; a task is in the row of each of its units
 */
export function rowsOf(
  tasks: readonly ScheduledTask[],
  grouping: Grouping,
  computers: ReadonlyMap<string, string>,
  units: readonly string[] = [],
): GanttRow[] {
  const rows = new Map<string, GanttBar[]>(units.map((name) => [name, []]));
  for (const task of tasks) {
    const bar = barOf(task);
    if (bar === undefined) continue;
    for (const name of namesOf(task, grouping, computers)) {
      const bars = rows.get(name);
      if (bars === undefined) rows.set(name, [bar]);
      else bars.push(bar);
    }
  }
  return [...rows]
    .map(([name, bars]) => ({ name, bars: bars.sort((a, b) => a.start - b.start) }))
    .sort((a, b) => byName.compare(a.name, b.name));
}

const byName = new Intl.Collator('en', { numeric: true });

function namesOf(
  task: ScheduledTask,
  grouping: Grouping,
  computers: ReadonlyMap<string, string>,
): Iterable<string> {
  const devices = Object.values(task.devices);
  switch (grouping) {
    case 'device':
      return new Set(devices);
    case 'resource':
      return new Set(Object.values(task.resources));
    case 'computer':
      return new Set(devices.map((device) => computers.get(device) ?? '?'));
    case 'run':
      return [task.protocol_run ?? task.label];
  }
}

/** Milliseconds by which a task started later than its first plan; negative: earlier. undefined: it was not planned, or has not started. */
export function latenessOf({ task, start, isActual }: GanttBar): number | undefined {
  const first = spanOf(task.first_plan);
  return first === undefined || !isActual ? undefined : start - first.start;
}

/** Moments for the axis of a window, about `count`, at round steps of the clock. */
export function ticksOf({ start, end }: Span, count: number): number[] {
  const step = steps.find((each) => (end - start) / each <= count) ?? day;
  const ticks: number[] = [];
  for (let tick = Math.ceil(start / step) * step; tick < end; tick += step) ticks.push(tick);
  return ticks;
}

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
const steps = [
  ...[1, 5, 15, 30].map((count) => count * second),
  ...[1, 5, 15, 30].map((count) => count * minute),
  ...[1, 3, 6, 12].map((count) => count * hour),
  day,
];

/**
 * The bar at a moment of a row: that which is drawn last there.
 *
 * @param now end of a bar whose end nobody knows
 * @param slack milliseconds beside a bar that still hit it, so that a finger hits a short one
 */
export function barAt(row: GanttRow, moment: number, now: number, slack: number): GanttBar | undefined {
  return row.bars.findLast(
    ({ start, end = Math.max(start, now) }) => moment >= start - slack && moment <= end + slack,
  );
}

/** A time in which a device or resource takes no task, or those of one person alone. */
export interface Hold {
  /** `<lab>.<device>`, or the name of a resource or a computer. */
  unit: string;
  /** Names of the rows that it is drawn in: of a computer, also those of its devices. */
  rows: readonly string[];
  /** Milliseconds since 1970. */
  start: number;
  /** undefined: until a person ends it. */
  end: number | undefined;
  kind: 'reserved' | 'out_of_service' | 'drained';
  reason: string;
  by: string;
}

/** What people hold, by its beginning. */
export function holdsOf(
  reservations: readonly ReservationRecord[],
  devices: readonly Pick<DeviceRecord, 'lab_name' | 'name' | 'computer' | 'out_of_service'>[],
  agents: readonly Pick<AgentRecord, 'computer' | 'drain'>[],
): Hold[] {
  const nameOf = ({ lab_name: lab, name }: (typeof devices)[number]): string => `${lab}.${name}`;
  return [
    ...reservations.map(({ lab, device, resource, from, to, reason, by }): Hold => {
      const unit = resource ?? `${lab}.${device}`;
      const time = { start: Date.parse(from), end: Date.parse(to) };
      return { unit, rows: [unit], ...time, kind: 'reserved', reason, by };
    }),
    ...devices.flatMap((device): Hold[] => {
      const { out_of_service: outage } = device;
      const unit = nameOf(device);
      return outage === null ? [] : [{ ...lasting(outage), unit, rows: [unit], kind: 'out_of_service' }];
    }),
    ...agents.flatMap(({ computer, drain }): Hold[] => {
      if (drain === null) return [];
      const own = devices.filter((device) => device.computer === computer).map(nameOf);
      return [{ ...lasting(drain), unit: computer, rows: [computer, ...own], kind: 'drained' }];
    }),
  ].sort((a, b) => a.start - b.start);
}

const lasting = ({
  since,
  until,
  reason,
  by,
}: {
  since: string;
  until: string | null;
  reason: string;
  by: string;
}): Pick<Hold, 'start' | 'end' | 'reason' | 'by'> => ({
  start: Date.parse(since),
  end: at(until),
  reason,
  by,
});
