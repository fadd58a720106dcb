import {
  type DeletionRecord,
  type DeletionScope,
  type RemovedCounts,
  type WorkKind,
  workWords,
} from '@lab/contracts';
import { archive, overByItself } from '../people/index.js';
import { type DeletionRow, type EndedPage, type NamedWork, type Store, conflict } from '../rows/index.js';
import { refusedField } from '../stops/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';
import { holdOf, refuseHeld } from './legal-holds.js';
import { end, finish, recordOf } from './plan.js';

/** Acts where no person does. */
const service = 'service';

/** Greatest number of deletions that run at once, so that each comes to an end. */
const mostAtOnce = 10;

/** What a person asks to delete. */
interface DeletionAsked {
  kind: WorkKind;
  name: string;
  what: DeletionScope;
  reason: string;
  by: string;
}

/**
 * Deletions of work that has ended. A deletion is planned, runs from a moment on, and ends when others have removed the files and
 * the records. Each promise resolves after the commit.
 */
export class Deletions {
  /** @param undoMs milliseconds from the request to the beginning of a deletion */
  constructor(
    private readonly loop: TurnLoop,
    private readonly store: Pick<Store, 'named' | 'deletableBefore'>,
    private readonly state: WorkingState,
    private readonly person: (by: string) => Person,
    private readonly undoMs: number,
  ) {}

  /**
   * Plans the deletion of a campaign, a run without one, or the latest on-demand task of that name. A deletion of everything
   * archives the work.
   *
   * @throws ServiceError `not_found`; `invalid` without a reason; `wrong_state` when the work is not over, belongs to a
   *   campaign, is held, or has a deletion already
   */
  async add({ kind, name, what, reason, by }: DeletionAsked): Promise<DeletionRecord> {
    if (reason.trim() === '')
      throw refusedField('reason', 'required', 'is missing', 'say why, for the audit');
    const named = await this.store.named(kind, name);
    return this.loop.submit('deletion', (turn) => {
      const work = overByItself(turn, kind, name, named);
      refuseHeld(turn, kind, work);
      const other = turn.state.deletionOf(work.id);
      if (other !== undefined)
        throw conflict(`the ${workWords[kind]} "${name}" has a deletion already, by ${other.by}`);
      return this.#plan(turn, this.person(by), { kind, what, reason }, work);
    });
  }

  /** Takes a deletion back. @throws ServiceError `not_found`; `wrong_state` when it has begun, or there is none */
  async keep(kind: WorkKind, name: string, by: string): Promise<DeletionRecord> {
    const named = await this.store.named(kind, name);
    return this.loop.submit('end of a deletion', (turn) => {
      const work = overByItself(turn, kind, name, named);
      const row = turn.state.deletionOf(work.id);
      if (row === undefined)
        throw conflict(`the ${workWords[kind]} "${name}" has no deletion that could be taken back`);
      if (row.state === 'running')
        throw conflict(`the deletion of the ${workWords[kind]} "${name}" has begun and cannot be taken back`);
      return end(turn, this.person(by), row);
    });
  }

  /**
   * Plans the deletion of a page of old work in one commit, except what is held or has resumed.
   *
   * @param days age for the reason
   * @returns the number of deletions and the id after which the next page begins; no `next`: the last page
   * @throws ServiceError `store_unavailable`
   */
  async addOld(
    kind: WorkKind,
    what: DeletionScope,
    days: number,
    page: EndedPage,
  ): Promise<{ planned: number; next?: string }> {
    const works = await this.store.deletableBefore(kind, what, page);
    const last = works.length < page.limit ? undefined : works.at(-1)?.id;
    const reason = `${what === 'files' ? 'its files are' : 'it is'} older than ${days} days`;
    const planned =
      works.length === 0
        ? 0
        : await this.loop.submit('deletion of what is old', (turn) => {
            const due = works.filter((work) => this.#mayBeDeleted(turn, kind, work));
            for (const work of due) this.#plan(turn, this.person(service), { kind, what, reason }, work);
            return due.length;
          });
    return { planned, ...(last === undefined ? {} : { next: last }) };
  }

  /** Begins the deletions that are due. @returns all that run, oldest first */
  async begin(now: number): Promise<readonly DeletionRow[]> {
    const rows = this.state.rows.deletions;
    const isDue = (row: DeletionRow): boolean => row.state === 'planned' && row.dueAt <= now;
    if ([...rows.values()].some(isDue))
      await this.loop.submit('beginning of deletions', (turn) => {
        const known = [...turn.state.rows.deletions.values()];
        const free = mostAtOnce - known.filter(({ state }) => state === 'running').length;
        for (const row of known.filter(isDue).slice(0, Math.max(0, free)))
          turn.emit({ op: 'putDeletion', row: { ...row, state: 'running' } });
      });
    return [...this.state.rows.deletions.values()].filter(({ state }) => state === 'running');
  }

  /** Records that a running deletion has removed everything. A repetition changes nothing. */
  async finish(id: string, removed: RemovedCounts): Promise<void> {
    await this.loop.submit('end of a deletion', (turn) => {
      const row = turn.state.rows.deletions.get(id);
      if (row?.state === 'running') finish(turn, this.person(service), row, removed);
    });
  }

  #mayBeDeleted(turn: Turn, kind: WorkKind, work: NamedWork): boolean {
    const { campaigns, protocolRuns, taskRuns } = turn.state.rows;
    const isOpen = campaigns.has(work.id) || protocolRuns.has(work.id) || taskRuns.has(work.id);
    return (
      !isOpen &&
      turn.state.deletionOf(work.id) === undefined &&
      holdOf(turn.state, { ...work, kind }) === undefined
    );
  }

  #plan(
    turn: Turn,
    person: Person,
    { kind, what, reason }: Pick<DeletionRow, 'kind' | 'what' | 'reason'>,
    work: NamedWork,
  ): DeletionRecord {
    const { id: workId, name, owner, labs } = work;
    if (what === 'everything' && work.archivedAt === null) archive(turn, person, kind, work);
    const row: DeletionRow = {
      ...{ id: person.ids.next(), workId, kind, name, owner, labs, what, reason },
      state: 'planned',
      by: person.by,
      at: turn.now,
      dueAt: turn.now + this.undoMs,
      endedAt: null,
      endedBy: null,
      removed: null,
    };
    turn.emit({ op: 'putDeletion', row });
    const detail = { id: workId, deletion: row.id, what, reason, due_at: new Date(row.dueAt).toISOString() };
    audit(turn, person, `${kind}.delete`, `${kind}/${name}`, detail);
    return recordOf(row);
  }
}
