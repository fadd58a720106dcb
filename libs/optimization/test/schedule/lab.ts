import type { LabSchedule, PlannedLabTask } from '@lab/contracts';

/** A task that waits for the task before it, on one of the units. */
export function task(
  name: string,
  seconds: number | null,
  units: number[],
  more: Partial<PlannedLabTask> = {},
) {
  return {
    ...{ task: name, seconds, started: null, earliest: 0, after: [] },
    slots: units.length === 0 ? [] : [{ units, like: null, kept: [] }],
    ...more,
  } satisfies PlannedLabTask;
}

export const after = (index: number, lag = 0): Partial<PlannedLabTask> => ({ after: [{ task: index, lag }] });

/** Incubators 0 and 1, and the reader 2. */
export const culture = (seconds: number | null = 100): PlannedLabTask[] => [
  task('mix.incubate', seconds, [0, 1]),
  task('mix.read', 10, [2], after(0)),
];

export const emptyLab = (next: PlannedLabTask[], concurrent = 1): LabSchedule => ({
  ...{ work: [], coming: [], next, concurrent },
});
