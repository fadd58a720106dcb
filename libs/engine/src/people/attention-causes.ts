import {
  awaitsAgent,
  isAttentionWarning,
  type AttentionKind,
  type DeviceStatus,
  type JsonObject,
  type Reason,
} from '@lab/contracts';
import { mayHaveMoved } from '../agents/index.js';
import { deviceKey } from '../labs/index.js';
import type { AttemptRow, AttentionRow, TaskRunRow } from '../rows/index.js';
import type { Turn, WorkingState } from '../turn/index.js';

/** A cause for an attention item: a decision that only a person can make, or a warning. */
export interface Cause {
  kind: AttentionKind;
  taskRunId: string | null;
  attemptId: string | null;
  device: string | null;
  computer: string | null;
  reason: Reason;
  /** Facts for the person, collected when an item is opened; undefined: none beyond those of the open item. */
  known: () => JsonObject | undefined;
  /** Null unless the cause is about a device. */
  doubtId: string | null;
}

const nothing = { taskRunId: null, attemptId: null, device: null, doubtId: null };

/** What an item or cause is about. There is at most one open item for each. */
export function keyOf({ kind, taskRunId, device, computer, reason }: AttentionRow | Cause): string {
  const subject = (kind === 'task' ? taskRunId : kind === 'device' ? device : computer) ?? '';
  return `${kind}:${subject}:${isAttentionWarning(reason.code) ? reason.code : ''}`;
}

/** Warnings whose message is the thing itself: another message is another item. */
const told: ReadonlySet<string> = new Set(['deployment_failed', 'device_asks']);

/** Says whether the cause of an open item has changed. A warning stays as it was opened, unless it tells something else now. */
export function differs({ reason, attemptId, doubtId }: Cause, item: AttentionRow): boolean {
  if (attemptId !== null && attemptId !== item.attemptId) return true;
  if (isAttentionWarning(item.reason.code))
    return told.has(reason.code) && reason.message !== item.reason.message;
  return (
    reason.code !== item.reason.code ||
    reason.message !== item.reason.message ||
    (item.kind === 'device' && doubtId !== item.known['doubt_id'])
  );
}

/** @returns the decision that a task in the state `needs_attention` requires */
export function aboutTask(turn: Turn, task: TaskRunRow): Cause {
  const { rows } = turn.state;
  const live = rows.attempts.get(rows.liveAttempts.get(task.id) ?? '');
  const attempt = live ?? latestAttempt(turn.state, task);
  const reason = task.reason ?? { code: 'outcome_unknown', message: 'it is not known how it ended' };
  return {
    kind: 'task',
    ...nothing,
    taskRunId: task.id,
    attemptId: attempt?.id ?? null,
    computer: task.computer,
    reason,
    known: () => taskKnown(task, attempt),
  };
}

function taskKnown(task: TaskRunRow, attempt: AttemptRow | undefined): JsonObject | undefined {
  if (attempt === undefined && task.attempt > 0) return undefined;
  const { startedAt } = task;
  const endedAt = attempt?.endedAt ?? null;
  return {
    devices: Object.entries(task.devices).map(([slot, device]) => ({
      slot,
      device: deviceKey(device.lab_name, device.name),
      computer: attempt?.devices[slot]?.computer ?? null,
    })),
    resources: Object.entries(task.resources).map(([slot, { name, type, meta }]) => ({
      slot,
      name,
      type,
      meta,
    })),
    last_confirmed: attempt?.calls?.last_confirmed ?? null,
    in_doubt: attempt?.calls?.in_doubt ?? null,
    effects: attempt?.calls?.effects ?? null,
    started_at: startedAt === null ? null : new Date(startedAt).toISOString(),
    // Null: nobody knows when its process ended.
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    ran_for_s: startedAt === null || endedAt === null ? null : (endedAt - startedAt) / 1000,
  };
}

/** Called only when an item is opened. The attempt has just ended then and is still in memory. */
function latestAttempt(state: WorkingState, task: TaskRunRow): AttemptRow | undefined {
  for (const attempt of state.rows.attempts.values())
    if (attempt.taskRunId === task.id && attempt.number === task.attempt) return attempt;
  return undefined;
}

/**
 * @param key `<lab>.<device>`
 * @returns the decision that a device requires
 */
export function aboutDevice(state: WorkingState, computer: string, key: string, status: DeviceStatus): Cause {
  const holder = state.allocation('device', key)?.taskRunId ?? null;
  const task = holder === null ? undefined : state.rows.taskRuns.get(holder);
  const { doubt } = status;
  return {
    kind: 'device',
    ...nothing,
    device: key,
    computer,
    reason: mayHaveMoved(status)
      ? { code: 'device_uncertain', message: status.detail ?? 'it may be in the middle of a call' }
      : { code: 'device_faulted', message: status.detail ?? 'it does not start' },
    doubtId: doubt?.id ?? null,
    known: () => ({
      doubt_id: doubt?.id ?? null,
      in_doubt: doubt === undefined ? [] : (structuredClone(doubt.in_doubt) as unknown as JsonObject[]),
      last_confirmed: doubt?.last_confirmed ?? null,
      held_by: task === undefined ? null : state.labelOf(task),
    }),
  };
}

/**
 * @param since milliseconds since 1970
 * @returns the decision that a silent computer requires
 */
export function aboutAgent(state: WorkingState, computer: string, since: number): Cause {
  const attempts = (): AttemptRow[] =>
    [...state.rows.attempts.values()].filter(
      (attempt) => attempt.computer === computer && awaitsAgent(attempt.state),
    );
  return {
    kind: 'agent',
    ...nothing,
    computer,
    reason: {
      code: 'agent_silent',
      message: `computer ${computer} is silent while it has work; the work continues by itself when the computer is heard again`,
    },
    known: () => ({
      silent_since: new Date(since).toISOString(),
      tasks: attempts().map(({ taskRunId }) => {
        const task = state.rows.taskRuns.get(taskRunId);
        return task === undefined ? taskRunId : state.labelOf(task);
      }),
      devices: attempts().flatMap(({ devices }) =>
        Object.values(devices).map(({ lab, name }) => deviceKey(lab, name)),
      ),
    }),
  };
}
