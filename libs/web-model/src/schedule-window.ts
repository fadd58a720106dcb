import type { ScheduledTask } from '@lab/api-client';
import type { Span } from './gantt.js';

/** The tasks whose time touches a window, as the service gave them. */
export interface ScheduleWindow {
  window: Span;
  /** The moment that the answer describes, by the clock of the service, in milliseconds since 1970. */
  at: number;
  tasks: readonly ScheduledTask[];
  /** True: the service has more tasks. */
  truncated: boolean;
}

/** A task that ended is in the answers of the service at the latest this long after its end, in milliseconds. */
const lateMs = 30_000;

/**
 * The part of a window that has to be read. An ended task does not change any more, so a window that was read before is read
 * again from shortly before that moment alone: days of ended tasks are neither sent nor parsed again and again.
 */
export function partToRead(known: ScheduleWindow | undefined, wanted: Span): Span {
  if (known === undefined || known.truncated || wanted.start < known.window.start) return wanted;
  const start = Math.min(known.at - lateMs, known.window.end);
  return start < wanted.end ? { start: Math.max(start, wanted.start), end: wanted.end } : wanted;
}

/**
 * A window of what is known and of a part that was read.
 *
 * @param part what {@link partToRead} gave for the window
 * @returns undefined: all must be read, because a task that ran is not in the part. It ended before the part begins, and the
 *   service heard of it late.
 */
export function joinedWindow(
  known: ScheduleWindow | undefined,
  wanted: Span,
  part: ScheduleWindow,
): ScheduleWindow | undefined {
  if (known === undefined || part.window.start <= wanted.start) return { ...part, window: wanted };
  const read = new Set(part.tasks.map(({ id }) => id));
  const kept: ScheduledTask[] = [];
  // The times of the service are texts of one form, so that they sort as the times do.
  const begin = new Date(wanted.start).toISOString();
  for (const task of known.tasks) {
    if (read.has(task.id)) continue;
    if (task.ended_at === null) {
      if (task.started_at !== null) return undefined;
    } else if (task.ended_at >= begin) kept.push(task);
  }
  return { ...part, window: wanted, tasks: [...kept, ...part.tasks] };
}
