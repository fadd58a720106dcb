import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@lab/persistence';
import { createDatabase, dropDatabase, startPostgres } from '@lab/persistence/embedded';

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
  pid: number;
  /** A new database with all migrations applied, copied from a template in some 30 ms. */
  freshDatabase(): Promise<TestDatabase>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL server for one test file, in a temporary folder. It is not safe against power loss, but it
 * does survive SIGKILL.
 *
 * @throws Error in one sentence when it cannot; nothing is left behind then
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-pg-'));
  const clean = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const server = await startPostgres({ dataDir: join(folder, 'data'), durable: false });
    const stop = async (): Promise<void> => {
      await server.stop();
      await clean();
    };
    try {
      const template = await createDatabase(server.url, 'fresh');
      await (await openStore({ url: template })).close();
      const url = await createDatabase(server.url, 'shared', 'fresh');
      return { url, pid: server.pid, freshDatabase: () => copyOf(server.url), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await clean();
    throw error;
  }
}

async function copyOf(server: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(server, name, 'fresh');
  return { url, drop: () => dropDatabase(server, name) };
}
