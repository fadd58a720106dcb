import type { DeliveryRecord, WebhookRecord } from '@lab/contracts';
import type { DeliveryRow, WebhookRow } from '../schema/index.js';

/** The record of a webhook, without its secrets. */
export function webhookRecord({
  secret: _secret,
  previous_secret: _previous,
  holder: _holder,
  held_until: _until,
  ...row
}: WebhookRow): WebhookRecord {
  const isOver = row.previous_secret_until !== null && Date.parse(row.previous_secret_until) <= Date.now();
  return {
    ...row,
    state: !row.enabled ? 'disabled' : row.failing_since === null ? 'active' : 'failing',
    previous_secret_until: isOver ? null : row.previous_secret_until,
  };
}

/** The record of a delivery, without its body. */
export function deliveryRecord({ body: _body, round: _round, ...row }: DeliveryRow): DeliveryRecord {
  return { ...row, message_id: messageIdOf(row) };
}

/** The id by which a receiver recognises a repeated message. */
export function messageIdOf({ id, event_id: event }: Pick<DeliveryRow, 'id' | 'event_id'>): string {
  return event === null ? `ping_${id}` : `event_${event}`;
}
