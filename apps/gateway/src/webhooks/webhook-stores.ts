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

/** The webhooks that are kept, and who delivers them. Rejects with `store_unavailable` when the database does not answer. */
export abstract class WebhookStore {
  /** @returns undefined when there are `most` already */
  abstract add(webhook: NewWebhook, most: number): Promise<WebhookRow | undefined>;
  abstract byId(id: string): Promise<WebhookRow | undefined>;
  abstract change(id: string, patch: WebhookPatch): Promise<WebhookRow | undefined>;
  /** @param overlapS seconds that the secret there was signs beside the new one */
  abstract rotate(id: string, secret: string, overlapS: number): Promise<WebhookRow | undefined>;
  abstract moveTo(id: string, position: number): Promise<WebhookRow | undefined>;
  abstract remove(id: string): Promise<WebhookRow | undefined>;
  /** Takes enabled webhooks that nobody else holds, and holds on to those it has. @returns all that the holder has */
  abstract hold(holder: string, leaseS: number): Promise<WebhookRow[]>;
  abstract letGo(holder: string): Promise<void>;
  /**
   * Moves a webhook on past a page of events, and takes those that it wants into its deliveries, both or neither.
   *
   * @returns false when it is elsewhere by now, is held by somebody else, or has too much waiting
   */
  abstract take(
    webhook: Pick<WebhookRow, 'id' | 'position' | 'holder'>,
    to: number,
    events: readonly DeliverableEvent[],
    mostPending: number,
  ): Promise<boolean>;
  abstract recovered(id: string): Promise<void>;
  /** @returns whether it was disabled by this, having failed for `patienceS` seconds */
  abstract failed(id: string, reason: Reason, patienceS: number): Promise<boolean>;
}

/** What was sent to webhooks, or is to be. Rejects with `store_unavailable` when the database does not answer. */
export abstract class DeliveryStore {
  /** What is to be sent now: of each record its oldest pending event. */
  abstract due(
    webhook: Pick<WebhookRow, 'id' | 'holder'>,
    besides: readonly string[],
    limit: number,
  ): Promise<DeliveryRow[]>;
  abstract byId(webhookId: string, id: string): Promise<DeliveryRow | undefined>;
  abstract settle(delivery: Pick<DeliveryRow, 'id' | 'round'>, end: AttemptEnd): Promise<void>;
  /** Keeps one that has ended already. @returns undefined when its webhook is gone */
  abstract keep(
    delivery: Pick<DeliveryRow, 'id' | 'webhook_id' | 'type' | 'aggregate' | 'body'>,
    end: Omit<AttemptEnd, 'nextInS'>,
  ): Promise<DeliveryRow | undefined>;
  abstract askAgain(webhookId: string, id: string): Promise<DeliveryRow | undefined>;
  /** @returns how many */
  abstract forget(olderThanDays: number): Promise<number>;
}
