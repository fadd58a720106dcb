import type { AuditEntry, JsonObject } from '@lab/contracts';
import type { Ids } from '@lab/ports';
import type { Turn } from './turn.js';

/** A person who acts, and the source of ids for audit entries. */
export interface Person {
  by: string;
  ids: Ids;
}

/**
 * Records an act for ever in the commit of its effect.
 *
 * @param action as `queue.pause`
 * @param subject as `halt/<id>`
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

/**
 * Records a request in the commit of what it makes.
 *
 * @param entry absent: the gateway records the request itself
 */
export function auditRequest(turn: Turn, entry: AuditEntry | undefined): void {
  if (entry === undefined) return;
  const { request_id: requestId, ...others } = entry;
  turn.emit({ op: 'audit', row: { ...others, requestId } });
}
