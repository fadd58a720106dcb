import type { Reason } from '@lab/contracts';
import { sql, type Kysely, type RawBuilder, type Updateable } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { Database, WebhookRow } from '../schema/index.js';

export type NewWebhook = Pick<
  WebhookRow,
  'id' | 'url' | 'description' | 'filters' | 'include' | 'enabled' | 'position' | 'secret' | 'created_by'
>;

export type WebhookPatch = Partial<
  Pick<WebhookRow, 'url' | 'description' | 'filters' | 'include' | 'enabled'>
>;

/** An event that a webhook wants, as it will be sent. */
export interface DeliverableEvent {
  /** Id of the delivery. */
  id: string;
  event_id: number;
  type: string;
  aggregate: string;
  /** JSON text. */
  body: string;
}

/**
 * A process holds a webhook by a lease that it renews: no other process delivers meanwhile, and another one can take
 * over when the holder dies. Rejects with ServiceError `store_unavailable` without the database.
 */
export class Webhooks {
  constructor(private readonly db: Kysely<Database>) {}

  /** Adds a webhook. @returns undefined when there are `most` already */
  async add(webhook: NewWebhook, most: number): Promise<WebhookRow | undefined> {
    const { id, url, description, filters, include, enabled, position, secret, created_by: by } = webhook;
    return this.#one(sql`
      insert into webhook (id, url, description, filters, include, enabled, position, secret, created_by, created_at,
        changed_at)
      select ${id}, ${url}, ${description}, ${JSON.stringify(filters)}::jsonb, ${JSON.stringify(include)}::jsonb,
        ${enabled}::boolean, ${position}::bigint, ${secret}, ${by}, now(), now()
      where (select count(*) from webhook) < ${most}
      returning *`);
  }

  async byId(id: string): Promise<WebhookRow | undefined> {
    return this.#one(sql`select * from webhook where id = ${id}`);
  }

  /** Changes a webhook. When it is enabled, its pending deliveries are tried at once. */
  async change(id: string, { filters, include, ...patch }: WebhookPatch): Promise<WebhookRow | undefined> {
    const fields: Updateable<Database['webhook']> = patch;
    return answered(
      this.db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('webhook')
          .set({
            ...fields,
            changed_at: sql`now()`,
            ...(filters === undefined ? {} : { filters: sql`${JSON.stringify(filters)}::jsonb` }),
            ...(include === undefined ? {} : { include: sql`${JSON.stringify(include)}::jsonb` }),
            ...(patch.enabled === undefined ? {} : { reason: null, failing_since: null }),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (changed !== undefined && patch.enabled === true)
          await sql`
            update webhook_delivery set next_attempt_at = now()
            where webhook_id = ${id} and state = 'pending'`.execute(tx);
        return changed;
      }),
    );
  }

  /** Replaces the secret. The old secret also signs for some seconds. */
  async rotate(id: string, secret: string, overlapS: number): Promise<WebhookRow | undefined> {
    return this.#one(sql`
      update webhook set
        previous_secret = case when ${overlapS}::int > 0 then secret end,
        previous_secret_until = case when ${overlapS}::int > 0 then now() + make_interval(secs => ${overlapS}) end,
        secret = ${secret}, changed_at = now()
      where id = ${id} returning *`);
  }

  /** Lets the webhook continue after this event, whatever its position was. */
  async moveTo(id: string, position: number): Promise<WebhookRow | undefined> {
    return this.#one(sql`update webhook set position = ${position} where id = ${id} returning *`);
  }

  /** Removes a webhook with its deliveries. */
  async remove(id: string): Promise<WebhookRow | undefined> {
    return this.#one(sql`delete from webhook where id = ${id} returning *`);
  }

  /**
   * Takes enabled webhooks that no other process holds, and renews the own leases.
   *
   * @returns all that the caller holds
   */
  async hold(holder: string, leaseS: number): Promise<WebhookRow[]> {
    const rows = await rowsOf(
      this.db,
      sql<WebhookRow>`
        update webhook set holder = ${holder}, held_until = now() + make_interval(secs => ${leaseS})
        where enabled and (holder = ${holder} or held_until <= now()) returning *`,
    );
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Releases all webhooks of a holder. */
  async letGo(holder: string): Promise<void> {
    await answered(sql`update webhook set held_until = now() where holder = ${holder}`.execute(this.db));
  }

  /**
   * Moves the position of a webhook past a page of events and stores the deliveries of those that it wants, both or
   * neither. A delivery that exists already becomes pending again with the given body.
   *
   * @param mostPending number of deliveries that may wait
   * @returns false when the webhook has another position by now, another process holds it, or too many deliveries
   *   wait
   */
  async take(
    { id, position, holder }: Pick<WebhookRow, 'id' | 'position' | 'holder'>,
    to: number,
    events: readonly DeliverableEvent[],
    mostPending: number,
  ): Promise<boolean> {
    const rows = await rowsOf(
      this.db,
      sql<{ moved: boolean }>`
        with moved as (
          update webhook set position = ${to}
          where id = ${id} and position = ${position} and holder = ${holder} and held_until > now() and enabled
            and (select count(*) from webhook_delivery where webhook_id = ${id} and state = 'pending') < ${mostPending}
          returning id),
        taken as (
          insert into webhook_delivery as d
            (id, webhook_id, event_id, type, aggregate, body, state, created_at, next_attempt_at)
          select e.id, moved.id, e.event_id, e.type, e.aggregate, e.body, 'pending', now(), now()
          from moved, jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
            as e(id text, event_id bigint, type text, aggregate text, body text)
          on conflict (webhook_id, event_id) do update set
            body = excluded.body, state = 'pending', round = d.round + 1, attempts = 0, next_attempt_at = now())
        select exists (select from moved) as moved`,
    );
    return rows[0]?.moved === true;
  }

  /** Notes that the receiver accepted the last attempt. */
  async recovered(id: string): Promise<void> {
    await answered(
      sql`update webhook set failing_since = null, reason = null where id = ${id} and failing_since is not null`.execute(
        this.db,
      ),
    );
  }

  /**
   * Notes that the receiver did not accept the last attempt.
   *
   * @param patienceS seconds of failure after which the webhook is disabled; 0: now
   * @returns whether this call disabled it
   */
  async failed(id: string, reason: Reason, patienceS: number): Promise<boolean> {
    const row = await this.#one(sql`
      update webhook set failing_since = coalesce(failing_since, now()), reason = ${JSON.stringify(reason)}::jsonb,
        enabled = coalesce(failing_since, now()) + make_interval(secs => ${patienceS}) > now()
      where id = ${id} and enabled returning *`);
    return row?.enabled === false;
  }

  async #one(query: RawBuilder<unknown>): Promise<WebhookRow | undefined> {
    return (await rowsOf(this.db, query as RawBuilder<WebhookRow>))[0];
  }
}
