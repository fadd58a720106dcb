import { ServiceError, workWords, type HoldKind, type LegalHoldRecord, type WorkKind } from '@lab/contracts';
import { type DeletionRow, type LegalHoldRow, type NamedWork, type Store, conflict } from '../rows/index.js';
import { refusedField } from '../stops/index.js';
import { type Person, type Turn, type TurnLoop, type WorkingState, audit } from '../turn/index.js';
import { end } from './plan.js';

const words: Readonly<Record<HoldKind, string>> = { ...workWords, owner: 'owner', lab: 'laboratory' };

/** What a person asks to hold. */
interface HoldAsked {
  kind: HoldKind;
  name: string;
  reason: string;
  by: string;
}

/** Legal holds: people forbid the deletion of work. Each promise resolves after the commit. */
export class LegalHolds {
  constructor(
    private readonly loop: TurnLoop,
    private readonly store: Pick<Store, 'named'>,
    private readonly state: WorkingState,
    private readonly person: (by: string) => Person,
  ) {}

  /**
   * Takes back the deletions of what it covers, except those that have begun.
   *
   * @throws ServiceError `not_found` for work that does not exist; `invalid` without a reason; `wrong_state` for a run of a
   *   campaign, and when the same is held already
   */
  async add(asked: HoldAsked): Promise<LegalHoldRecord> {
    const { kind, name, reason, by } = asked;
    if (reason.trim() === '')
      throw refusedField('reason', 'required', 'is missing', 'say why, for those who must not delete');
    if (isWorkKind(kind)) refusePartOf(kind, name, await this.store.named(kind, name));
    return this.loop.submit('legal hold', (turn) => {
      const person = this.person(by);
      for (const other of turn.state.rows.legalHolds.values())
        if (other.kind === kind && other.name === name)
          throw conflict(`the ${words[kind]} "${name}" is held already: ${wordsOfHold(other)}`);
      const row: LegalHoldRow = {
        ...{ id: person.ids.next(), kind, name, reason, by: person.by, at: turn.now },
        releasedAt: null,
        releasedBy: null,
      };
      turn.emit({ op: 'putLegalHold', row });
      audit(turn, person, 'legal_hold.add', `${kind}/${name}`, { id: row.id, reason });
      const covered = [...turn.state.rows.deletions.values()].filter((deletion) => covers(row, deletion));
      for (const deletion of covered) if (deletion.state === 'planned') end(turn, person, deletion);
      return recordOf(
        row,
        covered.filter(({ state }) => state === 'running').map((deletion) => deletion.name),
      );
    });
  }

  /** @throws ServiceError `not_found` when no hold in force has this id */
  release({ id, by }: { id: string; by: string }): Promise<LegalHoldRecord> {
    return this.loop.submit('release of a legal hold', (turn) => {
      const person = this.person(by);
      const row = turn.state.rows.legalHolds.get(id);
      if (row === undefined)
        throw new ServiceError(
          'not_found',
          `There is no legal hold "${id}" in force. GET /api/legal-holds lists those in force.`,
        );
      const released = { ...row, releasedAt: turn.now, releasedBy: person.by };
      turn.emit({ op: 'putLegalHold', row: released });
      audit(turn, person, 'legal_hold.release', `${row.kind}/${row.name}`, { id, reason: row.reason });
      return recordOf(released);
    });
  }

  /** Those in force, by their beginning. */
  list(): LegalHoldRecord[] {
    return [...this.state.rows.legalHolds.values()]
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
      .map((row) => recordOf(row));
  }
}

/** @throws ServiceError `wrong_state` when a hold in force covers the work */
export function refuseHeld(
  turn: Turn,
  kind: WorkKind,
  work: Pick<NamedWork, 'name' | 'owner' | 'labs'>,
): void {
  const hold = holdOf(turn.state, { ...work, kind });
  if (hold !== undefined)
    throw conflict(`the ${workWords[kind]} "${work.name}" cannot be deleted: ${wordsOfHold(hold)}`);
}

/** The hold in force that covers the work; undefined: there is none. */
export function holdOf(
  state: WorkingState,
  work: Pick<DeletionRow, 'kind' | 'name' | 'owner' | 'labs'>,
): LegalHoldRow | undefined {
  for (const hold of state.rows.legalHolds.values()) if (covers(hold, work)) return hold;
  return undefined;
}

function covers(
  { kind, name }: LegalHoldRow,
  work: Pick<DeletionRow, 'kind' | 'name' | 'owner' | 'labs'>,
): boolean {
  if (kind === 'owner') return work.owner === name;
  // Without a known laboratory it may be any.
  if (kind === 'lab') return work.labs.length === 0 || work.labs.includes(name);
  return work.kind === kind && work.name === name;
}

function isWorkKind(kind: HoldKind): kind is WorkKind {
  return kind !== 'owner' && kind !== 'lab';
}

function refusePartOf(kind: WorkKind, name: string, work: NamedWork | undefined): void {
  if (work === undefined)
    throw new ServiceError('not_found', `there is no ${workWords[kind]} named "${name}"`);
  if (work.campaign !== null)
    throw conflict(
      `the ${workWords[kind]} "${name}" is deleted with the campaign "${work.campaign}": hold the campaign`,
    );
}

function wordsOfHold({ kind, name, by, reason }: LegalHoldRow): string {
  return `${by} holds the ${words[kind]} "${name}": ${reason}`;
}

function recordOf(row: LegalHoldRow, tooLate: string[] = []): LegalHoldRecord {
  const { id, kind, name, reason, by, at, releasedAt, releasedBy } = row;
  return {
    ...{ id, kind, name, reason, by },
    created_at: new Date(at).toISOString(),
    released_at: releasedAt === null ? null : new Date(releasedAt).toISOString(),
    released_by: releasedBy,
    too_late: tooLate,
  };
}
