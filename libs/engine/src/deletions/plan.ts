import type { DeletionRecord, RemovedCounts } from '@lab/contracts';
import type { DeletionRow } from '../rows/index.js';
import { type Person, type Turn, audit } from '../turn/index.js';

/** Takes a deletion back that has not begun. */
export function end(turn: Turn, person: Person, row: DeletionRow): DeletionRecord {
  const ended: DeletionRow = { ...row, state: 'cancelled', endedAt: turn.now, endedBy: person.by };
  turn.emit({ op: 'putDeletion', row: ended });
  audit(turn, person, `${row.kind}.keep`, `${row.kind}/${row.name}`, { id: row.workId, deletion: row.id });
  return recordOf(ended);
}

/** Records that everything is removed. */
export function finish(turn: Turn, person: Person, row: DeletionRow, removed: RemovedCounts): void {
  turn.emit({ op: 'putDeletion', row: { ...row, state: 'done', endedAt: turn.now, removed } });
  audit(turn, person, `${row.kind}.deleted`, `${row.kind}/${row.name}`, {
    ...{ id: row.workId, deletion: row.id, what: row.what, asked_by: row.by, reason: row.reason },
    ...removed,
  });
}

export function recordOf(row: DeletionRow): DeletionRecord {
  const {
    id,
    kind,
    name,
    workId,
    owner,
    labs,
    what,
    state,
    reason,
    by,
    at,
    dueAt,
    endedAt,
    endedBy,
    removed,
  } = row;
  return {
    ...{ id, kind, name, work_id: workId, owner, labs, what, state, reason, by },
    created_at: new Date(at).toISOString(),
    due_at: new Date(dueAt).toISOString(),
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    ended_by: endedBy,
    removed,
  };
}
