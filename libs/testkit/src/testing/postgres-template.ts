import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@lab/persistence';
import { createDatabase, startPostgres } from '@lab/persistence/embedded';

/** Database with all migrations applied and without rows. */
export const templateName = 'fresh';

/** A PostgreSQL server with the database `templateName`. */
export interface Template {
  /** `postgresql://` address of the server, with the password. */
  url: string;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts a real PostgreSQL server in a temporary folder. It is not safe against power loss, but it does survive SIGKILL.
 *
 * @throws Error in one sentence when it cannot; nothing is left behind then
 */
export async function startTemplate(): Promise<Template> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-pg-'));
  const clean = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const password = randomBytes(18).toString('base64url');
    const server = await startPostgres({ dataDir: join(folder, 'data'), durable: false, password });
    const endWithUs = (): void => void process.kill(server.pid, 'SIGQUIT');
    process.once('exit', endWithUs);
    void server.exited.then(() => process.off('exit', endWithUs));
    const stop = async (): Promise<void> => {
      await server.stop();
      await clean();
    };
    try {
      await (await openStore({ url: await createDatabase(server.url, templateName) })).close();
      return { url: server.url, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await clean();
    throw error;
  }
}
