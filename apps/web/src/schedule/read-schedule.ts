import type { ReservationRecord, ScheduledTask } from '@lab/api-client';
import { joinedWindow, labsSeen, partToRead, type ScheduleWindow, type Span } from '@lab/web-model';
import { client, readPages, readSeen } from '../lab/index.js';

/** The most that the service gives for a window. */
export const mostTasks = 10_000;
/** Unfinished tasks that are read to say why they wait. */
export const mostUnfinished = 1_000;
/** Reservations that are read. */
export const mostHolds = 2_000;

/** What the page of the schedule shows. */
export interface ShownSchedule {
  shown: ScheduleWindow;
  waiting: ScheduledTask[];
  /** Labels of the on-demand tasks that are known. */
  onDemand: ReadonlySet<string>;
  reservations: ReservationRecord[];
  /** Lists that are longer than what was read. */
  cut: { waiting: boolean; reservations: boolean };
}

/** Reads the schedule for somebody. It keeps the last window, and then reads only the part that can have changed. */
export function scheduleReader(me: Parameters<typeof labsSeen>[0]) {
  const labs = labsSeen(me);
  let known: ScheduleWindow | undefined;

  async function readTasks(query: object, signal: AbortSignal): Promise<Omit<ScheduleWindow, 'window'>> {
    let truncated = false;
    let at = Infinity;
    const tasks = await readSeen(
      labs,
      async (lab) => {
        const part = await client.get('/api/schedule', { query: { ...query, ...lab }, signal });
        truncated ||= part.truncated;
        at = Math.min(at, Date.parse(part.at));
        return part.tasks;
      },
      ({ id }) => id,
    );
    return { tasks, at, truncated };
  }

  async function readWindow(wanted: Span, signal: AbortSignal): Promise<ScheduleWindow> {
    const read = async (window: Span): Promise<ScheduleWindow> => {
      const query = { from: iso(window.start), to: iso(window.end), limit: mostTasks };
      return { window, ...(await readTasks(query, signal)) };
    };
    const part = await read(partToRead(known, wanted));
    known = joinedWindow(known, wanted, part) ?? (await read(wanted));
    return known;
  }

  async function readReservations(signal: AbortSignal) {
    let isCut = false;
    const reservations = await readSeen(
      labs,
      async (lab) => {
        const { items, next_cursor: next } = await readPages(
          (part) => client.get('/api/reservations', { query: { ...lab, ...part }, signal }),
          mostHolds,
        );
        isCut ||= next !== null;
        return items;
      },
      ({ id }) => id,
    );
    return { reservations, isCut };
  }

  return async (wanted: Span, signal: AbortSignal): Promise<ShownSchedule> => {
    const [shown, present, { reservations, isCut }] = await Promise.all([
      readWindow(wanted, signal),
      readTasks({ limit: mostUnfinished }, signal),
      readReservations(signal),
    ]);
    return {
      ...{ shown, reservations },
      waiting: present.tasks.filter(({ started_at: begin, ended_at: end }) => begin === null && end === null),
      onDemand: new Set(
        present.tasks.flatMap(({ protocol_run: run, label }) => (run === null ? [label] : [])),
      ),
      cut: { waiting: present.truncated, reservations: isCut },
    };
  };
}

const iso = (moment: number): string => new Date(moment).toISOString();
