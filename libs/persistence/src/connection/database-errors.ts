import { hostname } from 'node:os';
import { isServiceError, ServiceError } from '@lab/contracts';
import type { Kysely, RawBuilder } from 'kysely';
import pg from 'pg';
import type { Database } from '../schema/index.js';

/** The SQLSTATEs that the commit function raises. */
export const staleEpoch = 'LB001';
export const wrongState = 'LB002';
export const givenUp = 'LB003';

/** True when the server itself answered that the statement failed, and so left nothing behind. */
export function isRefusal(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}

/** True when the server has ended a statement that took longer than the session allows. */
export function isTooLong(error: unknown): boolean {
  return isRefusal(error) && error.code === '57014';
}

/** True for an error that may pass without anybody's change: no room, too slow, not set up yet. */
function isPassing(code: string): boolean {
  // 42P01, 42883: the tables or the function do not exist yet. The gateway may start while the migration
  // still runs.
  return /^(08|40|53|55|57|58)/.test(code) || ['25006', '42P01', '42883'].includes(code);
}

/**
 * True for an error that stays with its connection: the server changes nothing, because it follows another one, or it is about to
 * end. A new connection may lead to the server that takes changes.
 */
export function isOfConnection(error: unknown): boolean {
  return isRefusal(error) && /^(25006|57P0[123])$/.test(error.code ?? '');
}

/**
 * Turns any error of a read, or of a write that the database refused, into a {@link ServiceError} with effect `none`.
 * The message of the database stays in the cause, because it may hold values.
 */
export function databaseError(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  if (isRefusal(error) && !isPassing(error.code ?? '')) {
    const code = error.code ?? 'unknown';
    if (code === '22021' || code === '22P05')
      return new ServiceError('invalid', 'a text holds a character that cannot be stored', { cause: error });
    return new ServiceError('internal', `the database refused a statement (SQLSTATE ${code})`, {
      effect: 'none',
      cause: error,
    });
  }
  return unavailable(error);
}

/** The database in messages. A process has one, and names its computer when it opens it. */
let database = 'the database';

/** Names the computer of the database in further messages. @param url its address, of which only the host is shown */
export function nameDatabase(url: string): void {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  const isHere = host === '' || host === 'localhost' || host === '127.0.0.1' || host === '[::1]';
  database = `the database on computer ${isHere ? hostname() : host}`;
}

const noTables = (): string =>
  `the tables of the service are not in ${database} yet, or it has those of another version`;

/** What is wrong with a database that answers, by SQLSTATE. */
const words: Readonly<Record<string, () => string>> = {
  '25006': () => `${database} accepts no changes, because it is read-only`,
  '42P01': noTables,
  '42883': noTables,
  '53100': () => `the disk of ${database} is full`,
  '53200': () => `${database} has no memory left`,
  '53300': () => `${database} takes no further connections`,
  '57P03': () => `${database} is starting or stopping`,
  '57014': () => `${database} took too long`,
};

/** The server of an address with `sslmode=verify-full` did not prove who it is. */
function isDistrust(error: unknown, code: string): boolean {
  if (/CERT|_VERIFY_|ALTNAME/.test(code)) return true;
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** The database cannot be reached or cannot work at present; nothing was applied. */
export function unavailable(error: unknown): ServiceError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const what =
    words[code]?.() ??
    (isDistrust(error, code)
      ? `${database} has no certificate that sslrootcert and the name in the address vouch for`
      : `${database} does not answer`);
  const text = code === '' ? what : `${what} (${code})`;
  return new ServiceError('store_unavailable', text, { cause: error });
}

/** Runs a query. @throws ServiceError as of {@link databaseError} */
export async function rowsOf<Row>(db: Kysely<Database>, query: RawBuilder<Row>): Promise<Row[]> {
  return (await answered(query.execute(db))).rows;
}

/** Waits for a query. @throws ServiceError as of {@link databaseError} */
export async function answered<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw databaseError(error);
  }
}
