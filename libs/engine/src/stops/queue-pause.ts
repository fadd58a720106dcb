import { isWithAgent, type QueueRecord } from '@lab/contracts';
import { type Person, type Turn, type WorkingState, audit } from '../turn/index.js';

/** Nothing starts any more until {@link resumeQueue}; a restart changes nothing about it. Idempotent. */
export function pauseQueue(turn: Turn, person: Person): QueueRecord {
  if (turn.state.queuePause() === undefined) {
    const id = person.ids.next();
    turn.emit({
      op: 'putHalt',
      row: {
        id,
        scope: 'queue',
        by: person.by,
        reason: '',
        at: turn.now,
        releasedAt: null,
        releasedBy: null,
      },
    });
    audit(turn, person, 'queue.pause', `halt/${id}`);
  }
  return queueState(turn.state);
}

/** Idempotent. */
export function resumeQueue(turn: Turn, person: Person): QueueRecord {
  const halt = turn.state.queuePause();
  if (halt !== undefined) {
    turn.emit({ op: 'putHalt', row: { ...halt, releasedAt: turn.now, releasedBy: person.by } });
    audit(turn, person, 'queue.resume', `halt/${halt.id}`);
  }
  return queueState(turn.state);
}

export function queueState(state: WorkingState): QueueRecord {
  const pause = state.queuePause();
  let running = 0;
  for (const id of state.rows.liveAttempts.keys()) {
    const task = state.rows.taskRuns.get(id);
    if (task !== undefined && isWithAgent(task.state)) running += 1;
  }
  return {
    paused: pause !== undefined,
    paused_by: pause?.by ?? null,
    paused_at: pause === undefined ? null : new Date(pause.at).toISOString(),
    queued: state.queued.size,
    running,
  };
}
