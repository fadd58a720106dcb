import type { AttentionRecord, Principal } from '@lab/api-client';

/** The name that the service gives to everybody where authentication is off. */
const unnamed = 'unknown';

/** Who is deciding an attention item at this moment. Times are in milliseconds since 1970. */
export interface Claim {
  /** undefined: authentication is off, so the service knows no names. */
  by: string | undefined;
  since: number;
  until: number;
  /** Whether this person made it. Where authentication is off, everybody is the same person. */
  isMine: boolean;
}

/**
 * The claim of an item, unless it has ended since the item was read.
 *
 * @param now milliseconds since 1970, by the clock of the service
 */
export function claimOf(
  { claim }: Pick<AttentionRecord, 'claim'>,
  me: Pick<Principal, 'kind' | 'name'>,
  now: number,
): Claim | undefined {
  if (claim === null || Date.parse(claim.until) <= now) return undefined;
  return {
    by: claim.by === unnamed ? undefined : claim.by,
    since: Date.parse(claim.since),
    until: Date.parse(claim.until),
    isMine: claim.by === (me.kind === 'local' ? unnamed : me.name),
  };
}
