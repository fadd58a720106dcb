import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database } from '../schema/index.js';

export interface DatabaseOptions {
  /** `postgresql://` address. */
  url: string;
  /** Most connections at a time. */
  poolSize: number;
  /** Name of the connections, for the administrator of the database. */
  applicationName: string;
  /** Longest time one statement may take, in milliseconds. */
  statementTimeoutMs: number;
  /** Settings of every session. */
  session?: Record<string, string>;
  /** Called when a connection breaks. The pool replaces it at the next use. */
  onIdleError?: (error: Error) => void;
}

export interface OpenDatabase {
  db: Kysely<Database>;
  pool: pg.Pool;
}

const int8 = pg.types.builtins.INT8;
const timestamptz = pg.types.builtins.TIMESTAMPTZ;

/** Opens a pool; connects at the first use. `db.destroy()` closes it. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const session = { timezone: 'UTC', datestyle: 'ISO', ...options.session };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    // The server ends a slow statement first. This limit is for a server that does not answer at all.
    query_timeout: options.statementTimeoutMs + 2_000,
    options: Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: { getTypeParser: parserOf },
  });
  // Without a listener, the end of a connection (a restart of the server, for example) would end this
  // process. The pool rejects the statement under way as well.
  const lost = (error: Error): void => options.onIdleError?.(error);
  pool.on('connect', (client) => client.on('error', lost));
  pool.on('error', () => undefined /* the client told it already */);
  return { pool, db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) };
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
