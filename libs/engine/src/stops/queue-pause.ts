import { isWaiting, isWithAgent, type QueueRecord } from '@lab/contracts';
import type { TaskRunRow } from '../rows/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';

/** Pauses and resumes the queue. A pause survives restarts. Each promise resolves after the commit. */
export class QueuePause {
  constructor(
    private readonly loop: TurnLoop,
    private readonly person: (by: string) => Person,
  ) {}

  /** From now on no queued task starts. Running tasks continue to their end. Idempotent. */
  pause(by: string): Promise<QueueRecord> {
    return this.loop.submit('pause of the queue', (turn) => pauseQueue(turn, this.person(by)));
  }

  /** Queued tasks may start again. Idempotent. */
  resume(by: string): Promise<QueueRecord> {
    return this.loop.submit('resume of the queue', (turn) => resumeQueue(turn, this.person(by)));
  }
}

function pauseQueue(turn: Turn, person: Person): QueueRecord {
  if (turn.state.queuePause() === undefined) {
    const id = person.ids.next();
    const row = { id, by: person.by, at: turn.now, resumedAt: null, resumedBy: null };
    turn.emit({ op: 'putQueuePause', row });
    audit(turn, person, 'queue.pause', `halt/${id}`);
  }
  return queueState(turn.state);
}

function resumeQueue(turn: Turn, person: Person): QueueRecord {
  const pause = turn.state.queuePause();
  if (pause !== undefined) {
    turn.emit({ op: 'putQueuePause', row: { ...pause, resumedAt: turn.now, resumedBy: person.by } });
    audit(turn, person, 'queue.resume', `halt/${pause.id}`);
  }
  return queueState(turn.state);
}

/**
 * The queue as people read it: whether it is paused, by whom, and how many tasks wait and run.
 *
 * @param isCounted which tasks count; by default all
 */
export function queueState(
  state: WorkingState,
  isCounted: (task: TaskRunRow) => boolean = () => true,
): QueueRecord {
  const pause = state.queuePause();
  const drain = state.drainOf(null);
  const tasks = [...state.rows.taskRuns.values()].filter(isCounted);
  let running = 0;
  for (const id of state.rows.liveAttempts.keys()) {
    const task = state.rows.taskRuns.get(id);
    if (task !== undefined && isWithAgent(task.state) && isCounted(task)) running += 1;
  }
  return {
    paused: pause !== undefined,
    paused_by: pause?.by ?? null,
    paused_at: pause === undefined ? null : new Date(pause.at).toISOString(),
    waiting: tasks.filter((task) => isWaiting(task.state)).length,
    drained_by: drain?.by ?? null,
    drained_at: drain === undefined ? null : new Date(drain.at).toISOString(),
    queued: tasks.filter(({ id }) => state.queued.has(id)).length,
    running,
  };
}
