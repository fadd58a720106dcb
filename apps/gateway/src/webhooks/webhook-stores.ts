import type { Reason } from '@lab/contracts';
import type {
  AttemptEnd,
  DeliverableEvent,
  DeliveryRow,
  NewWebhook,
  WebhookPatch,
  WebhookRow,
} from '@lab/persistence';

export type { AttemptEnd, DeliverableEvent, DeliveryRow, NewWebhook, WebhookPatch, WebhookRow };

/** Stored webhooks and their holders. Every method rejects with `store_unavailable` when the database does not answer. */
export abstract class WebhookStore {
  /** @returns undefined when `most` webhooks exist already */
  abstract add(webhook: NewWebhook, most: number): Promise<WebhookRow | undefined>;
  abstract byId(id: string): Promise<WebhookRow | undefined>;
  abstract change(id: string, patch: WebhookPatch): Promise<WebhookRow | undefined>;
  /** @param overlapS seconds for which the previous secret signs as well */
  abstract rotate(id: string, secret: string, overlapS: number): Promise<WebhookRow | undefined>;
  abstract moveTo(id: string, position: number): Promise<WebhookRow | undefined>;
  abstract remove(id: string): Promise<WebhookRow | undefined>;
  /** Takes enabled webhooks without a holder, and renews the leases of the holder. @returns all webhooks of the holder */
  abstract hold(holder: string, leaseS: number): Promise<WebhookRow[]>;
  abstract letGo(holder: string): Promise<void>;
  /**
   * Moves a webhook past a page of events and adds deliveries for the events that it wants, both or neither.
   *
   * @returns false when its position has changed, another gateway holds it, or too many deliveries wait
   */
  abstract take(
    webhook: Pick<WebhookRow, 'id' | 'position' | 'holder'>,
    to: number,
    events: readonly DeliverableEvent[],
    mostPending: number,
  ): Promise<boolean>;
  abstract recovered(id: string): Promise<void>;
  /** @returns whether this call disabled the webhook, because it failed for `patienceS` seconds */
  abstract failed(id: string, reason: Reason, patienceS: number): Promise<boolean>;
}

/** Stored deliveries of webhooks. Every method rejects with `store_unavailable` when the database does not answer. */
export abstract class DeliveryStore {
  /** The deliveries to send now: for each record its oldest pending event. */
  abstract due(
    webhook: Pick<WebhookRow, 'id' | 'holder'>,
    besides: readonly string[],
    limit: number,
  ): Promise<DeliveryRow[]>;
  abstract byId(webhookId: string, id: string): Promise<DeliveryRow | undefined>;
  abstract settle(delivery: Pick<DeliveryRow, 'id' | 'round'>, end: AttemptEnd): Promise<void>;
  /** Stores a delivery that has already ended. @returns undefined when its webhook was removed */
  abstract keep(
    delivery: Pick<DeliveryRow, 'id' | 'webhook_id' | 'type' | 'aggregate' | 'body'>,
    end: Omit<AttemptEnd, 'nextInS'>,
  ): Promise<DeliveryRow | undefined>;
  abstract askAgain(webhookId: string, id: string): Promise<DeliveryRow | undefined>;
  /** @returns the number of removed deliveries */
  abstract forget(olderThanDays: number): Promise<number>;
}
