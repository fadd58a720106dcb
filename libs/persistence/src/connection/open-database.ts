import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Database } from '../schema/index.js';
import { isOfConnection, isRefusal, nameDatabase } from './database-errors.js';

export interface DatabaseOptions {
  /** `postgresql://` address. */
  url: string;
  /** Number of connections at most. Default 4. */
  poolSize?: number;
  /** Longest time one statement may take, in milliseconds. Default 5000. */
  statementTimeoutMs?: number;
  /** Called when a connection breaks. The pool replaces it at the next use. */
  onIdleError?: (error: Error) => void;
}

export interface OpenDatabase {
  db: Kysely<Database>;
  pool: pg.Pool;
}

/**
 * Settings of every session. PostgreSQL before 18 compiles a statement whose estimated cost is high, for some 300 ms. Without
 * sequential scans the estimate is high for the smallest table, and the statements of the service take milliseconds.
 */
const usual = { timezone: 'UTC', datestyle: 'ISO', jit: 'off' };

const int8 = pg.types.builtins.INT8;
const timestamptz = pg.types.builtins.TIMESTAMPTZ;

/**
 * Opens a pool; connects at the first use. `db.destroy()` closes it.
 *
 * @param applicationName for the administrator of the database
 * @param session settings of every session
 */
export function openDatabase(
  { url, poolSize = 4, statementTimeoutMs = 5_000, onIdleError }: DatabaseOptions,
  applicationName: string,
  session: Readonly<Record<string, string>> = {},
): OpenDatabase {
  nameDatabase(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    // The server ends a slow statement first. This limit is for a server that does not answer at all.
    query_timeout: statementTimeoutMs + 2_000,
    options: Object.entries({ ...usual, ...session })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: { getTypeParser: parserOf },
  });
  // Without a listener, the end of a connection would end this process. The pool also rejects the statement.
  const lost = (error: Error): void => onIdleError?.(error);
  pool.on('connect', (client) => client.on('error', lost));
  pool.on('error', () => undefined /* the client has reported it */);
  return {
    pool,
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool: new WatchedPool(pool) }) }),
  };
}

/**
 * Kysely gives every connection back as one that works. This pool closes those that cannot work any more: a connection whose
 * server has not answered in time, and one to a server that follows another one since a failover.
 */
class WatchedPool {
  constructor(private readonly pool: pg.Pool) {}

  async connect(): Promise<PostgresPoolClient> {
    const client = await this.pool.connect();
    let isUseless = false;
    const query = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
      try {
        return await client.query(text, [...values]);
      } catch (error) {
        isUseless ||= !isRefusal(error) || isOfConnection(error);
        throw error;
      }
    };
    // Kysely calls it so, unless it is given cursors.
    return { query: query as never, release: () => client.release(isUseless) };
  }

  end(): Promise<void> {
    return this.pool.end();
  }
}

/** Parses bigint as a number, because sums stay below 2^53, and times as ISO 8601 text, because they are in UTC. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (format !== 'binary' && oid === int8) return Number;
  if (format !== 'binary' && oid === timestamptz) return isoTime;
  return pg.types.getTypeParser(oid, format) as (text: string) => unknown;
}

/** A time in UTC as the database writes it: years 1 to 9999, precision of a microsecond. */
const usualTime = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00(?::00)?|Z)$/;

/**
 * Converts the database's text of a time (`2026-11-21 02:55:33.12+00`, or ISO 8601 inside JSON) to
 * `2026-11-21T02:55:33.120Z`. A list has hundreds of times; a `Date` for each would be half of its cost.
 */
export function isoTime(text: string): string {
  const [, day, time, fraction = ''] = usualTime.exec(text) ?? [];
  if (day !== undefined && time !== undefined)
    return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  return new Date(text.replace(' ', 'T').replace(/\+00(:00)?$/, 'Z')).toISOString();
}
