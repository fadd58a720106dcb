import pg from 'pg';
import { codeOf } from './binaries.js';
import { databaseRoles, roleNames, rolesScript, type DatabaseRole } from '../roles/index.js';
import { databaseName, roleName } from './cluster.js';

/** The address of a database on this computer. */
export function addressOf(role: string, port: number, password: string, database = databaseName): string {
  return `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/** Errors of a connection to a server without the database, without the role, or with another password of the role. */
const notMadeYet = new Set<unknown>(['3D000', '28P01', '28000', '42501']);

/**
 * Creates the service's database and its roles, unless they exist.
 *
 * @param passwords of the roles
 * @throws the database's error, for example 28P01 for a wrong password of the superuser
 */
export async function ensureDatabase(
  port: number,
  superuserPassword: string,
  passwords: Readonly<Record<DatabaseRole, string>>,
): Promise<void> {
  try {
    await Promise.all(
      databaseRoles.map((role) =>
        withClient(addressOf(roleNames[role], port, passwords[role]), (client) => client.query('select 1')),
      ),
    );
  } catch (error) {
    if (!notMadeYet.has(codeOf(error))) throw error;
    await makeDatabase(port, superuserPassword);
    await withClient(addressOf(roleName, port, superuserPassword), async (client) => {
      await client.query(rolesScript);
      for (const role of databaseRoles)
        await client.query(`alter role ${roleNames[role]} password ${client.escapeLiteral(passwords[role])}`);
      await client.query('revoke connect on database postgres, template1 from public');
    });
  }
}

async function makeDatabase(port: number, password: string): Promise<void> {
  await withClient(addressOf(roleName, port, password, 'postgres'), async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
    if (rowCount === 0) await client.query(`create database ${databaseName}`);
  });
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
