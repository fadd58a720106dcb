import { attentionActionsOf, attentionClaimMs, ServiceError } from '@lab/contracts';
import { type AttentionRow, conflict } from '../rows/index.js';
import { type Person, type Turn, audit, subjectOf } from '../turn/index.js';

/**
 * Claims of attention items: a person says that they are deciding. A claim informs and keeps nobody from deciding, because
 * a device must not wait for a person who left. It ends after a time, when it is released, or with the decision.
 */

/**
 * Claims an open item for a person, or renews their claim.
 *
 * @throws ServiceError `not_found`; `wrong_state` when the item takes no decision, or when another person is deciding it and
 *   the person does not take it over
 */
export function claimItem(turn: Turn, person: Person, id: string, takesOver: boolean): { id: string } {
  const item = openItem(turn, id);
  if (attentionActionsOf(item).length === 0)
    throw conflict(`the attention item "${id}" takes no decision: it closes when its cause ends`);
  const other = claimOfOther(item, person.by, turn.now);
  if (other !== undefined && !takesOver)
    throw conflict(`${wordsOf(other)}; take the claim over, or decide without a claim`);
  const claim = {
    by: person.by,
    since: (other === undefined ? claimAt(item, turn.now)?.since : undefined) ?? turn.now,
    until: turn.now + attentionClaimMs,
  };
  turn.emit({ op: 'claimAttention', row: { ...item, claim }, by: person.by });
  audit(turn, person, 'attention.claim', `attention/${id}`, {
    about: subjectOf(turn.state, item),
    until: new Date(claim.until).toISOString(),
    ...(other === undefined ? {} : { taken_over_from: other.by }),
  });
  return { id };
}

/**
 * Ends the claim of a person. Without a claim in force it changes nothing.
 *
 * @throws ServiceError `not_found`; `wrong_state` when another person is deciding the item
 */
export function releaseItem(turn: Turn, person: Person, id: string): { id: string } {
  const item = openItem(turn, id);
  const other = claimOfOther(item, person.by, turn.now);
  if (other !== undefined) throw conflict(`${wordsOf(other)}; only they release this claim`);
  if (claimAt(item, turn.now) === undefined) return { id };
  turn.emit({ op: 'claimAttention', row: { ...item, claim: null }, by: person.by });
  audit(turn, person, 'attention.release', `attention/${id}`, { about: subjectOf(turn.state, item) });
  return { id };
}

/** The claim in force of somebody else; undefined: there is none. */
export function claimOfOther(item: AttentionRow, by: string, now: number): Claim | undefined {
  const claim = claimAt(item, now);
  return claim?.by === by ? undefined : claim;
}

type Claim = NonNullable<AttentionRow['claim']>;

function claimAt({ claim }: AttentionRow, now: number): Claim | undefined {
  return claim !== null && claim.until > now ? claim : undefined;
}

function openItem(turn: Turn, id: string): AttentionRow {
  const item = turn.state.rows.attention.get(id);
  if (item?.state === 'open') return item;
  throw new ServiceError('not_found', `there is no open attention item "${id}"`);
}

function wordsOf({ by, until }: Claim): string {
  return `${by} is deciding this attention item until ${new Date(until).toISOString()}`;
}
