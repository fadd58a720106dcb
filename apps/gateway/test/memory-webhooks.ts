import { Outbound } from '@lab/runtime';
import type { Log } from '@lab/ports';
import type { DeliveryRow, NewWebhook, WebhookPatch, WebhookRow } from '@lab/persistence';
import type { DeliveryStore, WebhookStore } from '../src/ports/stores.js';

const at = '2026-11-20T09:30:00.000Z';

/** Stores webhooks. It delivers nothing. */
export class MemoryWebhooks implements WebhookStore {
  readonly kept: WebhookRow[] = [];

  async add(webhook: NewWebhook, most: number): Promise<WebhookRow | undefined> {
    if (this.kept.length >= most) return undefined;
    const row: WebhookRow = {
      ...webhook,
      reason: null,
      failing_since: null,
      previous_secret: null,
      previous_secret_until: null,
      created_at: at,
      changed_at: at,
      holder: '',
      held_until: at,
    };
    this.kept.push(row);
    return row;
  }

  async byId(id: string): Promise<WebhookRow | undefined> {
    return this.kept.find((webhook) => webhook.id === id);
  }

  async change(id: string, patch: WebhookPatch): Promise<WebhookRow | undefined> {
    const row = await this.byId(id);
    return row === undefined ? undefined : Object.assign(row, patch);
  }

  async rotate(id: string, secret: string, overlapS: number): Promise<WebhookRow | undefined> {
    const row = await this.byId(id);
    if (row === undefined) return undefined;
    const until = overlapS > 0 ? new Date(Date.now() + overlapS * 1_000).toISOString() : null;
    return Object.assign(row, {
      secret,
      previous_secret: until === null ? null : row.secret,
      previous_secret_until: until,
    });
  }

  async moveTo(id: string, position: number): Promise<WebhookRow | undefined> {
    const row = await this.byId(id);
    return row === undefined ? undefined : Object.assign(row, { position });
  }

  async remove(id: string): Promise<WebhookRow | undefined> {
    const index = this.kept.findIndex((webhook) => webhook.id === id);
    return index === -1 ? undefined : this.kept.splice(index, 1)[0];
  }

  async hold(): Promise<WebhookRow[]> {
    return [];
  }

  async letGo(): Promise<void> {
    // Nothing is held.
  }

  async take(): Promise<boolean> {
    return false;
  }

  async recovered(): Promise<void> {
    // Nothing is sent.
  }

  async failed(): Promise<boolean> {
    return false;
  }
}

/** Stored deliveries: those of pings, and those that a test adds. */
export class MemoryDeliveries implements DeliveryStore {
  readonly kept: DeliveryRow[] = [];

  async due(): Promise<DeliveryRow[]> {
    return [];
  }

  async byId(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    return this.kept.find((each) => each.id === id && each.webhook_id === webhookId);
  }

  async settle(): Promise<void> {
    // Nothing is sent.
  }

  async keep(
    delivery: Parameters<DeliveryStore['keep']>[0],
    end: Parameters<DeliveryStore['keep']>[1],
  ): Promise<DeliveryRow> {
    const row: DeliveryRow = {
      ...delivery,
      ...end,
      event_id: null,
      round: 1,
      attempts: 1,
      created_at: at,
      attempted_at: at,
      next_attempt_at: null,
    };
    this.kept.push(row);
    return row;
  }

  async askAgain(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    const row = await this.byId(webhookId, id);
    return row === undefined ? undefined : Object.assign(row, { state: 'pending', next_attempt_at: at });
  }

  async forget(): Promise<number> {
    return 0;
  }
}

/** Webhooks for servers of tests about other matters: nothing is delivered. */
export const idleWebhooks = (log: Log) => ({
  webhooks: new MemoryWebhooks(),
  deliveries: new MemoryDeliveries(),
  deliverer: { log, keptDays: 7 },
  outbound: new Outbound({ allow: [], http: false, ports: [443] }),
});
