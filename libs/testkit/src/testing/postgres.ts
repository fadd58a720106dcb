import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase, type DatabaseRole } from '@lab/persistence/embedded';
import { startTemplate, templateName } from './postgres-template.js';
import { sharedServer } from './shared-server.js';

/** The address of a test database for a role of the service. On the test server all roles have one password. */
export function asRole(url: string, role: DatabaseRole): string {
  const address = new URL(url);
  address.username = `lab_${role}`;
  return address.href;
}

/** A database of one test. */
export interface TestDatabase {
  /** `postgresql://` address with the password. */
  url: string;
  /** Ends its sessions and removes it. */
  drop(): Promise<void>;
}

export interface TestPostgres {
  /** Address of an empty, migrated database that all tests of the file share. */
  url: string;
  /** A new database with all migrations applied, copied from a template in some 30 ms. */
  freshDatabase(): Promise<TestDatabase>;
  /** Removes the databases that were made here, and the server unless other tests use it. */
  stop(): Promise<void>;
}

/**
 * Databases for one test file, on the PostgreSQL server of the test run, else on a server of its own. Sessions of other
 * tests may be on the same server: a test that ends sessions names its database.
 *
 * @throws Error in one sentence when the server does not start; nothing is left behind then
 */
export async function testPostgres(): Promise<TestPostgres> {
  const shared = await sharedServer('postgres');
  const own = shared === undefined ? await startTemplate() : undefined;
  const server = shared ?? own?.url ?? '';
  const made = new Set<string>();
  const freshDatabase = async (): Promise<TestDatabase> => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    const url = await createDatabase(server, name, templateName);
    made.add(name);
    const drop = async (): Promise<void> => {
      await dropDatabase(server, name);
      made.delete(name);
    };
    return { url, drop };
  };
  const { url } = await freshDatabase();
  return {
    url,
    freshDatabase,
    async stop() {
      if (own !== undefined) return own.stop();
      for (const name of made) await dropDatabase(server, name);
      made.clear();
    },
  };
}
