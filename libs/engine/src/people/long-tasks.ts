import { awaitsAgent } from '@lab/contracts';
import type { AttemptRow, TaskRunRow } from '../rows/index.js';
import type { WorkingState } from '../turn/index.js';
import type { Durations } from '../work/index.js';

export interface LongTaskLimits {
  /** A task without a timeout of its own is long after this many times its longest attempt so far. */
  times: number;
  /** The same for a task without enough earlier attempts, in milliseconds; 0: no task is ever long. */
  withoutHistoryMs: number;
}

/** A task is not long before this time, however short its earlier attempts were, in milliseconds. */
const shortestMs = 60_000;

/** An attempt that runs for longer than its task usually takes. */
export interface LongTask {
  task: TaskRunRow;
  attempt: AttemptRow;
  limitMs: number;
  /** What earlier attempts took; null: too few of them are known. */
  earlier: { ms: number; attempts: number } | null;
}

type Watch = Pick<LongTask, 'limitMs' | 'earlier'> & { askAt: number };

/**
 * Running attempts that take much longer than earlier ones of the same task. A task with a timeout of its own is never
 * among them. What a person decided is kept in memory only, so a new leader asks again.
 */
export class LongTasks {
  /** By attempt. */
  readonly #watched = new Map<string, Watch>();

  constructor(
    private readonly durations: Durations,
    private readonly limits: LongTaskLimits,
  ) {}

  /** The attempts that are long at the moment `now`, in milliseconds since 1970. */
  *at(state: WorkingState, now: number): Iterable<LongTask> {
    const { attempts, liveAttempts, taskRuns } = state.rows;
    for (const [taskId, attemptId] of liveAttempts) {
      const task = taskRuns.get(taskId);
      const attempt = attempts.get(attemptId);
      if (task === undefined || attempt === undefined) continue;
      const watch = this.#watch(state, attempt, task);
      if (watch !== undefined && watch.askAt <= now) yield { task, attempt, ...watch };
    }
    if (this.#watched.size > liveAttempts.size) this.#forgetAllBut(new Set(liveAttempts.values()));
  }

  /** When the next attempt becomes long after `now`, in milliseconds since 1970. */
  next(now: number): number | undefined {
    let next: number | undefined;
    for (const { askAt } of this.#watched.values())
      if (askAt > now && (next === undefined || askAt < next)) next = askAt;
    return next;
  }

  /** A person has decided: the attempt is long again only after its limit has passed once more. */
  postpone(attemptId: string, now: number): void {
    const watch = this.#watched.get(attemptId);
    if (watch !== undefined) watch.askAt = now + watch.limitMs;
  }

  #forgetAllBut(live: ReadonlySet<string>): void {
    for (const id of this.#watched.keys()) if (!live.has(id)) this.#watched.delete(id);
  }

  #watch(state: WorkingState, attempt: AttemptRow, task: TaskRunRow): Watch | undefined {
    const { withoutHistoryMs, times } = this.limits;
    if (withoutHistoryMs === 0 || attempt.deadlineAt !== null || !awaitsAgent(attempt.state))
      return undefined;
    const known = this.#watched.get(attempt.id);
    if (known !== undefined) return known;
    const run = task.runId === null ? undefined : state.rows.protocolRuns.get(task.runId);
    const earlier =
      run === undefined
        ? this.durations.longestOf(null, task.type)
        : this.durations.longestOf(run.type, task.name);
    const limitMs = earlier === null ? withoutHistoryMs : Math.max(shortestMs, times * earlier.ms);
    const watch = { limitMs, earlier, askAt: attempt.createdAt + limitMs };
    this.#watched.set(attempt.id, watch);
    return watch;
  }
}
