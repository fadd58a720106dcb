import { z } from 'zod';

/** Index into a list of tasks, or number of a unit, from 0. */
const index = z.number().int().min(0);

/** A task of a run. Times are in seconds from the moment of the schedule. Indexes count the tasks of its run. */
const plannedTask = z.object({
  /** Its name in the protocol; empty: it has ended and only keeps units. */
  task: z.string(),
  /** Expected duration, whatever the parameters are; null: unknown. */
  seconds: z.number().min(0).nullable(),
  /** Its start, 0 or less; null: it has not started. */
  started: z.number().nullable(),
  /** Earliest start. */
  earliest: z.number().min(0),
  /** Tasks that must end first, and the least pause in seconds after their end. */
  after: z.array(z.object({ task: index, lag: z.number().min(0) })),
  /** Requirements that one of the units fills each. */
  slots: z.array(
    z.object({
      units: z.array(index),
      /** It gets the unit of this slot; null: any of its units. */
      like: z.object({ task: index, slot: index }).nullable(),
      /** Tasks that must end before another run gets the unit. */
      kept: z.array(index),
    }),
  ),
});
export type PlannedLabTask = z.infer<typeof plannedTask>;

/**
 * The unfinished work of a laboratory at one moment, for an optimizer that chooses parameters by when their run would end.
 * Devices and resources are units, known by their number.
 */
export const labSchedule = z.object({
  /** Unfinished runs in the order in which they get units. `run`: name of a run of the campaign; null: other work. */
  work: z.array(z.object({ run: z.string().nullable(), tasks: z.array(plannedTask) })),
  /** Names of the runs of the campaign whose parameters are chosen and which have not begun, in their order. */
  coming: z.array(z.string()),
  /** Tasks of a further run of the campaign. */
  next: z.array(plannedTask),
  /** Number of runs of the campaign at the same time. */
  concurrent: z.number().int().min(1),
});
export type LabSchedule = z.infer<typeof labSchedule>;
