import { sql, type Kysely, type RawBuilder } from 'kysely';
import { answered, rowsOf } from '../connection/index.js';
import type { Database, DeliveryRow, WebhookRow } from '../schema/index.js';

/** The outcome of an attempt to deliver. */
export interface AttemptEnd extends Pick<
  DeliveryRow,
  'state' | 'status' | 'duration_ms' | 'error' | 'answer'
> {
  /** Seconds until the next attempt, for a delivery that stays pending. */
  nextInS: number;
}

/** Deliveries of webhooks. Rejects with ServiceError `store_unavailable` without the database. */
export class WebhookDeliveries {
  constructor(private readonly db: Kysely<Database>) {}

  /**
   * The due deliveries, oldest event first. Only the oldest pending event of a record is due, because its events are
   * sent in order.
   *
   * @param besides ids of deliveries that are being sent
   */
  async due(
    { id, holder }: Pick<WebhookRow, 'id' | 'holder'>,
    besides: readonly string[],
    limit: number,
  ): Promise<DeliveryRow[]> {
    return this.#all(sql`
      select d.* from webhook_delivery d join webhook w on w.id = d.webhook_id
      where d.webhook_id = ${id} and w.enabled and w.holder = ${holder} and w.held_until > now()
        and d.state = 'pending' and d.next_attempt_at <= now() and d.id <> all(${besides}::text[])
        and not exists (
          select from webhook_delivery before
          where before.webhook_id = d.webhook_id and before.state = 'pending' and before.aggregate = d.aggregate
            and before.event_id < d.event_id)
      order by d.event_id limit ${limit}`);
  }

  async byId(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.#all(
      sql`select * from webhook_delivery where id = ${id} and webhook_id = ${webhookId}`,
    );
    return row;
  }

  /** Stores the outcome of an attempt, unless the delivery was requested again meanwhile. */
  async settle({ id, round }: Pick<DeliveryRow, 'id' | 'round'>, end: AttemptEnd): Promise<void> {
    const { state, status, duration_ms: duration, error, answer, nextInS } = end;
    await answered(
      sql`
        update webhook_delivery set
          state = ${state}, attempts = attempts + 1, attempted_at = now(),
          next_attempt_at = case when ${state}::text = 'pending' then now() + make_interval(secs => ${nextInS}) end,
          status = ${status}, duration_ms = ${duration}, error = ${error}, answer = ${answer}
        where id = ${id} and round = ${round} and state = 'pending'`.execute(this.db),
    );
  }

  /** Stores a delivery that has ended already: a ping. @returns undefined when the webhook no longer exists */
  async keep(
    delivery: Pick<DeliveryRow, 'id' | 'webhook_id' | 'type' | 'aggregate' | 'body'>,
    { state, status, duration_ms: duration, error, answer }: Omit<AttemptEnd, 'nextInS'>,
  ): Promise<DeliveryRow | undefined> {
    const { id, webhook_id: webhook, type, aggregate, body } = delivery;
    const [row] = await this.#all(sql`
      insert into webhook_delivery (id, webhook_id, type, aggregate, body, state, attempts, created_at, attempted_at,
        status, duration_ms, error, answer)
      select ${id}, w.id, ${type}, ${aggregate}, ${body}, ${state}, 1, now(), now(), ${status}::int, ${duration}::int,
        ${error}, ${answer}
      from webhook w where w.id = ${webhook} for key share returning *`);
    return row;
  }

  /** Requests that an ended delivery is sent again, or that a pending one is tried at once. */
  async askAgain(webhookId: string, id: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.#all(sql`
      update webhook_delivery set
        round = round + case when state = 'pending' then 0 else 1 end,
        attempts = case when state = 'pending' then attempts else 0 end,
        state = 'pending', next_attempt_at = now()
      where id = ${id} and webhook_id = ${webhookId} and event_id is not null returning *`);
    return row;
  }

  /** Removes some of the ended deliveries that are older than this. @returns how many */
  async forget(olderThanDays: number): Promise<number> {
    const { numAffectedRows } = await answered(
      sql`
        delete from webhook_delivery where ctid = any(array(
          select ctid from webhook_delivery
          where state <> 'pending' and created_at < now() - make_interval(days => ${olderThanDays}) limit 2000))`.execute(
        this.db,
      ),
    );
    return Number(numAffectedRows ?? 0);
  }

  async #all(query: RawBuilder<unknown>): Promise<DeliveryRow[]> {
    return rowsOf(this.db, query as RawBuilder<DeliveryRow>);
  }
}
