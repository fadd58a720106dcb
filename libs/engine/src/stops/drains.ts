import type { DrainRow, ProtocolRunRow, TaskRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';

/** Says whether any part of the work has started. */
export function hasStarted(work: ProtocolRunRow | TaskRunRow): boolean {
  return 'attempt' in work ? work.attempt > 0 : work.startedAt !== null;
}

/** The drain that keeps a run, or an on-demand task, from beginning; undefined: none does. */
export function drainBefore(state: WorkingState, work: ProtocolRunRow | TaskRunRow): DrainRow | undefined {
  const drain = state.drainOver('campaignId' in work ? work.campaignId : null);
  return drain === undefined || hasStarted(work) ? undefined : drain;
}
