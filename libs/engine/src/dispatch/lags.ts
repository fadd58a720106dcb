import { isTerminal } from '@lab/contracts';
import type { TaskRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import { lagOf } from './protocol-plan.js';

/** The times at which a task may start because of its dependencies, in milliseconds since 1970. */
export interface StartWindow {
  /** Undefined: no earliest time. */
  notBefore?: number;
  /** Undefined: no latest time. */
  notAfter?: number;
}

const anyTime: StartWindow = {};

/** The start window of a task of a run, by the ends of its completed dependencies. */
export function startWindow(state: WorkingState, task: TaskRunRow): StartWindow {
  const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
  const entry =
    run === undefined
      ? undefined
      : state.protocolOf(run)?.protocol.tasks.find((each) => each.name === task.name);
  if (run === undefined || entry?.lags === undefined) return anyTime;
  let notBefore = -Infinity;
  let notAfter = Infinity;
  for (const name of Object.keys(entry.lags)) {
    const before = state.taskOf(run.id, name);
    if (before === undefined || before.endedAt === null || !isTerminal(before.state)) continue;
    const { minLagMs, maxLagMs } = lagOf(entry, name);
    notBefore = Math.max(notBefore, before.endedAt + minLagMs);
    if (maxLagMs !== null) notAfter = Math.min(notAfter, before.endedAt + maxLagMs);
  }
  return {
    ...(notBefore === -Infinity ? {} : { notBefore }),
    ...(notAfter === Infinity ? {} : { notAfter }),
  };
}
