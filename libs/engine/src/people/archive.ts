import { isTerminal, ServiceError, workWords, type WorkKind } from '@lab/contracts';
import type { NamedWork } from '../rows/index.js';
import type { Accepted } from '../submission/index.js';
import { type Person, type Turn, audit, newEvent } from '../turn/index.js';

/**
 * @param what the work, for the message
 * @throws ServiceError `wrong_state` when the work is being deleted
 */
export function refuseDeletion(turn: Turn, workId: string, what: string): void {
  const deletion = turn.state.deletionOf(workId);
  if (deletion === undefined) return;
  throw new ServiceError(
    'wrong_state',
    deletion.state === 'running'
      ? `${what} is being deleted`
      : `${what} will be deleted at ${new Date(deletion.dueAt).toISOString()}: keep it first`,
  );
}

/** Finished work is not in memory. The store checks in the commit what it reported before the turn. */

/** @throws ServiceError `not_found`; `wrong_state` when the work is not over, belongs to a campaign or is archived */
export function archiveWork(
  turn: Turn,
  person: Person,
  kind: WorkKind,
  name: string,
  named: NamedWork | undefined,
): Accepted {
  const work = overByItself(turn, kind, name, named);
  if (work.archivedAt !== null) throw conflict(kind, name, 'is archived already');
  return archive(turn, person, kind, work);
}

/** Archives the given work, except what has resumed since. @returns how many entries were archived */
export function archiveAll(turn: Turn, person: Person, kind: WorkKind, works: readonly NamedWork[]): number {
  const over = works.filter((work) => isTerminal(stateOf(turn, kind, work)));
  for (const work of over) archive(turn, person, kind, work);
  return over.length;
}

/** @throws ServiceError `not_found`; `wrong_state` when the work is not archived, or its campaign is */
export function restoreWork(
  turn: Turn,
  person: Person,
  kind: WorkKind,
  name: string,
  named: NamedWork | undefined,
): Accepted {
  const work = overByItself(turn, kind, name, named);
  if (work.archivedAt === null) throw conflict(kind, name, 'is not archived');
  refuseDeletion(turn, work.id, `the ${workWords[kind]} "${name}"`);
  turn.emit({ op: 'restore', id: work.id, at: turn.now });
  return keep(turn, person, kind, work, 'restore');
}

/** @throws ServiceError `not_found`; `wrong_state` when the work is not over or belongs to a campaign */
export function overByItself(
  turn: Turn,
  kind: WorkKind,
  name: string,
  work: NamedWork | undefined,
): NamedWork {
  if (work === undefined)
    throw new ServiceError('not_found', `there is no ${workWords[kind]} named "${name}"`);
  if (work.campaign !== null)
    throw conflict(kind, name, `belongs to the campaign "${work.campaign}" and goes with it`);
  const state = stateOf(turn, kind, work);
  if (!isTerminal(state)) throw conflict(kind, name, `is ${state}: work must be over for this`);
  return work;
}

/** The state in memory if the work has resumed; else the stored state. */
function stateOf(turn: Turn, kind: WorkKind, { id, state }: NamedWork): NamedWork['state'] {
  const { campaigns, protocolRuns, taskRuns } = turn.state.rows;
  const table = { campaign: campaigns, protocol_run: protocolRuns, task_run: taskRuns }[kind];
  return table.get(id)?.state ?? state;
}

/** Hides work that is over, with the audit entry and the event. */
export function archive(turn: Turn, person: Person, kind: WorkKind, work: NamedWork): Accepted {
  const { id, name } = work;
  turn.emit({
    op: 'archive',
    row: { id, kind, name, archivedAt: turn.now, archivedBy: person.by, restoredAt: null },
  });
  return keep(turn, person, kind, work, 'archive');
}

/** Adds the audit entry and the event. */
function keep(
  turn: Turn,
  person: Person,
  kind: WorkKind,
  { id, name, owner, state, labs }: NamedWork,
  act: 'archive' | 'restore',
): Accepted {
  const body = { id, name, state, owner, labs, by: person.by };
  turn.publish(newEvent(kind, id, `${act}d`, body));
  audit(turn, person, `${kind}.${act}`, `${kind}/${name}`, { id });
  return { id, name };
}

function conflict(kind: WorkKind, name: string, what: string): ServiceError {
  return new ServiceError('wrong_state', `the ${workWords[kind]} "${name}" ${what}`);
}
