import { setTimeout as delay } from 'node:timers/promises';
import { eventSchema, type ServiceEvent } from '@lab/contracts';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase, rowsOf, type DatabaseOptions, type OpenDatabase } from '../connection/index.js';
import { eventChannel, isStorable } from '../schema/index.js';

/** A page of events in the order of their commits. */
export interface EventPage {
  /** Events up to this id may have been removed; 0: none was. */
  pruned: number;
  events: ServiceEvent[];
}

const applicationName = 'lab-events';
/** Milliseconds between two tries to listen again. */
const relistenMs = 1_000;

type StoredEvent = Omit<ServiceEvent, 'schema'>;

/** Opens the event log. It connects at the first read. One more connection than `poolSize` (default 2) listens. */
export function openEventLog(options: DatabaseOptions): EventLog {
  const session = { default_transaction_read_only: 'on' };
  return new EventLog(options, openDatabase({ poolSize: 2, ...options }, applicationName, session));
}

/**
 * The committed events. Whoever sees an event also sees all events with smaller ids, so a reader that continues after
 * its last id misses none. Every read throws ServiceError `store_unavailable` without the database.
 */
export class EventLog {
  readonly #closing = new AbortController();
  readonly #listening = new Set<Promise<void>>();
  readonly #ears = new Map<() => void, pg.Client>();

  constructor(
    private readonly options: DatabaseOptions,
    private readonly database: OpenDatabase,
  ) {}

  /** Id of the latest event (0 before the first), and the id up to which events may have been removed. */
  async extent(): Promise<{ latest: number; pruned: number }> {
    const rows = await rowsOf(
      this.database.db,
      sql<{ latest: number; pruned: number }>`
        select coalesce((select max(id) from outbox), 0) as latest, pruned_through as pruned from outbox_horizon`,
    );
    return rows[0] ?? { latest: 0, pruned: 0 };
  }

  /**
   * The first events after an id.
   *
   * @param id 0: from the beginning
   * @param limit number of events at most, from 1
   */
  async after(id: number, limit: number): Promise<EventPage> {
    const rows = await rowsOf(
      this.database.db,
      sql<{ pruned: number } & (StoredEvent | { id: null })>`
        select h.pruned_through as pruned, o.* from outbox_horizon h
        left join lateral (
          select id, aggregate, seq, type, body, at from outbox where id > ${id} order by id limit ${limit}) o on true
        order by o.id`,
    );
    return {
      pruned: rows[0]?.pruned ?? 0,
      events: rows.flatMap((row) => (row.id === null ? [] : eventOf(row))),
    };
  }

  /** The events of one record after a number, by `seq`. @param limit number of events at most, from 1 */
  async history(aggregate: string, afterSeq: number, limit: number): Promise<ServiceEvent[]> {
    if (!isStorable(aggregate)) return [];
    const rows = await rowsOf(
      this.database.db,
      sql<StoredEvent>`
        select id, aggregate, seq, type, body, at from outbox
        where aggregate = ${aggregate} and seq > ${afterSeq} order by seq limit ${limit}`,
    );
    return rows.map(eventOf);
  }

  /**
   * Calls back soon after events were committed, and after a lost connection was restored. A caller that must not miss
   * an event also looks from time to time.
   */
  listen(onEvents: () => void): void {
    const listening: Promise<void> = this.#listen(onEvents).finally(() => this.#ears.delete(onEvents));
    this.#listening.add(listening);
  }

  /** Ends listening and closes all connections. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const client of this.#ears.values())
      void client.end().catch(() => undefined /* it is broken already */);
    await Promise.all([...this.#listening, this.database.db.destroy()]);
  }

  async #listen(onEvents: () => void): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const client = new pg.Client({
        connectionString: this.options.url,
        application_name: applicationName,
        connectionTimeoutMillis: 3_000,
        keepAlive: true,
      });
      this.#ears.set(onEvents, client);
      const lost = new Promise<void>((resolve) => {
        client.once('end', () => resolve());
        client.on('error', (error) => {
          this.options.onIdleError?.(error);
          resolve();
        });
      });
      client.on('notification', onEvents);
      try {
        await client.connect();
        await client.query(`listen ${eventChannel}`);
        onEvents();
        await lost;
      } catch (error) {
        if (!signal.aborted) this.options.onIdleError?.(error as Error);
      }
      await client.end().catch(() => undefined /* it is broken already */);
      await delay(relistenMs, undefined, { signal }).catch(() => undefined /* closing */);
    }
  }
}

function eventOf({ id, aggregate, seq, type, body, at }: StoredEvent): ServiceEvent {
  return { id, type, schema: eventSchema, aggregate, seq, at, body };
}
