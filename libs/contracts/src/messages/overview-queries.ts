import { z } from 'zod';
import { DeviceRecord } from '../rest/devices.js';
import { zodOf } from '../rest/fields/field.js';
import { longestPage } from '../rest/pages.js';
import { codeRuntime } from '../rest/work/code-runtime.js';
import { usageKinds } from '../rest/work/usage.js';
import { longestSchedule } from '../rest/schedule.js';
import { labRights } from './lab-rights.js';

const startPosition = z.object({ start: z.number(), id: z.string() });
/** Which part of the schedule is asked for. All criteria apply together; a name that does not exist selects nothing. */
export const scheduleQuery = z.object({
  /** Only tasks, devices and resources that belong to no labs but those that the caller may see. */
  rights: labRights,
  /** Name of a protocol run: its tasks, and the units that its tasks have, will get or wait for. */
  run: z.string().optional(),
  /** `<lab>.<device>`: this device, and the tasks that have it, will get it or wait for it. */
  device: z.string().optional(),
  /** Name of a laboratory: its devices, and the tasks that have one of them, will get one or wait for one. */
  lab: z.string().optional(),
  /**
   * Most tasks to list: first those that run, then those that wait, in the order of their planned starts or else of the
   * queue, then those that have ended, the latest first.
   */
  limit: z.number().int().min(1).max(longestSchedule),
  /**
   * Only tasks whose actual or planned time touches the window, by their starts and then by id. Times are milliseconds
   * since 1970; the window ends before `to`. `after`: start and id of the last task of the page before; null: none.
   */
  window: z.object({ from: z.number(), to: z.number(), after: startPosition.nullable() }).optional(),
});
export type ScheduleQuery = z.infer<typeof scheduleQuery>;

export const listPosition = z.object({ value: z.union([z.string(), z.number()]), id: z.string() });

/** Which part of the queue is asked for. All criteria apply together; a name that does not exist selects nothing. */
export const queueQuery = z.object({
  /** Only tasks that belong to no labs but those that the caller may see. Positions count all tasks. */
  rights: labRights,
  protocol_run: z.string().optional(),
  campaign: z.string().optional(),
  owner: z.string().optional(),
  /** `<lab>.<device>`: tasks that are planned on this device, or could get it. */
  device: z.string().optional(),
  /** Name of a laboratory: tasks that are planned on one of its devices, or could get one. */
  lab: z.string().optional(),
  /** Most tasks to answer. The answer has fewer when more do not fit into one message. */
  limit: z.number().int().min(1).max(longestPage),
  /** True: from the end of the queue. */
  descending: z.boolean(),
  /** The last task of the page before, with its position then; null: the first page. */
  after: listPosition.nullable(),
});
export type QueueQuery = z.infer<typeof queueQuery>;

/** Which part of the usage is asked for. */
export const usageQuery = z.object({
  /** Laboratories of the caller: only usage of these laboratories. */
  rights: labRights,
  /** Only usage of this owner; null: of every owner. */
  owner: z.string().nullable(),
  kind: z.array(z.enum(usageKinds)).optional(),
  name: z.string().optional(),
  /** Most records to answer. */
  limit: z.number().int().min(1).max(longestPage),
  sort: z.enum(['share', 'name', 'records', 'files', 'bytes']),
  descending: z.boolean(),
  /** The last record of the page before; null: the first page. */
  after: listPosition.nullable(),
});
export type UsageQuery = z.infer<typeof usageQuery>;

/** A device as it is now. An orchestrator of the release before says nothing of what executes its code. */
export const deviceRecord = zodOf(DeviceRecord).extend({
  runtime: codeRuntime.zod().nullable().default(null),
  debugger: z.string().nullable().default(null),
});
