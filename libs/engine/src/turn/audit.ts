import type { JsonObject } from '@lab/contracts';
import type { Ids } from '@lab/ports';
import type { Turn } from './turn.js';

/** Who acts, and where the entry of the audit gets its id from. */
export interface Person {
  by: string;
  ids: Ids;
}

/**
 * Keeps an act of a person for ever, in the commit of what it did.
 *
 * @param action for example `queue.pause`
 * @param subject what it was done to, for example `halt/<id>`
 */
export function audit(
  turn: Turn,
  { by, ids }: Person,
  action: string,
  subject: string,
  detail: JsonObject = {},
): void {
  turn.emit({ op: 'audit', row: { id: ids.next(), at: turn.now, by, action, subject, detail } });
}
