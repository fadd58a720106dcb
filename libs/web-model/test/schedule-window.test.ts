import type { ScheduledTask } from '@lab/api-client';
import { describe, expect, it } from 'vitest';
import { joinedWindow, partToRead, type ScheduleWindow } from '../src/schedule-window.js';

const minute = 60_000;
const iso = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
const task = (id: string, start?: number, end?: number): ScheduledTask =>
  ({ id, started_at: iso(start), ended_at: iso(end) }) as ScheduledTask;

/** Read after an hour: one task ended, one runs, one is planned. */
const known: ScheduleWindow = {
  window: { start: 0, end: 80 * minute },
  at: 60 * minute,
  tasks: [task('ended', 5 * minute, 10 * minute), task('runs', 50 * minute), task('planned')],
  truncated: false,
};
const moved = { start: 2 * minute, end: 82 * minute };
const part = (...tasks: ScheduledTask[]): ScheduleWindow => ({
  ...{ window: partToRead(known, moved), at: 62 * minute, tasks, truncated: false },
});

describe('the part of a window that is read again', () => {
  it.each<[string, ScheduleWindow | undefined, { start: number; end: number }, number]>([
    ['all when nothing is known', undefined, moved, 2],
    ['all when not all is known', { ...known, truncated: true }, moved, 2],
    ['all when the window begins earlier', known, { start: -minute, end: 80 * minute }, -1],
    ['what can have changed when the window moves on', known, moved, 59.5],
    ['what is new when the window moves far', known, { start: 70 * minute, end: 150 * minute }, 70],
    ['all of a window that is over', known, { start: 2 * minute, end: 9 * minute }, 2],
    [
      'from the end of a known window that was over',
      { ...known, window: { start: 0, end: 20 * minute } },
      { start: 10 * minute, end: 30 * minute },
      20,
    ],
  ])('is %s', (_, before, wanted, minutes) => {
    expect(partToRead(before, wanted)).toEqual({ start: minutes * minute, end: wanted.end });
  });
});

describe('a window of what is known and of a part', () => {
  it('keeps what ended, and takes the rest from the part', () => {
    const ran = task('runs', 50 * minute, 61 * minute);
    const next = task('next', 61 * minute);
    const joined = joinedWindow(known, moved, part(ran, next));
    expect(joined?.tasks).toEqual([known.tasks[0], ran, next]);
    expect(joined).toMatchObject({ window: moved, at: 62 * minute, truncated: false });
  });

  it('leaves out what ended before the window, and what is no longer planned', () => {
    const later = { start: 11 * minute, end: 91 * minute };
    expect(joinedWindow(known, later, part(task('runs', 50 * minute)))?.tasks.map(({ id }) => id)).toEqual([
      'runs',
    ]);
  });

  it('must be read in full when a task that ran is not in the part', () => {
    expect(joinedWindow(known, moved, part())).toBeUndefined();
  });

  it('is the answer when all was read', () => {
    const all = { ...part(task('other', minute)), window: moved };
    expect(joinedWindow(known, moved, all)).toEqual(all);
  });
});
