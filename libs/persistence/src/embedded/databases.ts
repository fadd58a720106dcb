import pg from 'pg';
import { codeOf } from './binaries.js';
import { databaseName, roleName } from './cluster.js';

function addressOf(port: number, password: string, database: string): string {
  return `postgresql://${roleName}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/**
 * Creates the service's database, unless it exists.
 *
 * @returns its address, with the password
 * @throws the database's error, for example 28P01 for a wrong password
 */
export async function ensureDatabase(port: number, password: string): Promise<string> {
  const url = addressOf(port, password, databaseName);
  try {
    await withClient(url, (client) => client.query('select 1'));
  } catch (error) {
    if (codeOf(error) !== '3D000') throw error;
    await withClient(addressOf(port, password, 'postgres'), (client) =>
      client.query(`create database ${databaseName}`),
    );
  }
  return url;
}

/**
 * Creates a database beside the one of `url`.
 *
 * @param name lower-case letters, digits and "_"
 * @param template database to copy, without connections
 * @returns the address of the new database
 */
export async function createDatabase(url: string, name: string, template?: string): Promise<string> {
  for (const part of [name, template ?? name]) refuseOddName(part);
  const copied = template === undefined ? '' : ` template ${template}`;
  await withClient(withDatabase(url, 'postgres'), (client) =>
    client.query(`create database ${name}${copied}`),
  );
  return withDatabase(url, name);
}

/** Ends the sessions of a database and removes it, if it is there. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  refuseOddName(name);
  await withClient(withDatabase(url, 'postgres'), (client) =>
    client.query(`drop database if exists ${name} with (force)`),
  );
}

function refuseOddName(name: string): void {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
    throw new Error(`"${name}" cannot name a database: take lower-case letters, digits and "_".`);
}

function withDatabase(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
