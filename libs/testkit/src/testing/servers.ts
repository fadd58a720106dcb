import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAccounts, type Accounts } from './nats-accounts.js';
import { startTemplate, type Template } from './postgres-template.js';

export interface SharedServers {
  /** Path of a Unix socket, which the test workers find in the environment variable `serversVariable`. */
  socket: string;
  /** Stops what was started and removes its files. */
  close(): Promise<void>;
}

/**
 * Offers one PostgreSQL and one nats-server to all workers of a test run. Each server starts when a test first asks
 * for it.
 */
export async function offerServers(): Promise<SharedServers> {
  const folder = await mkdtemp(join(tmpdir(), 'lab-servers-'));
  const socket = join(folder, 'ask');
  let postgres: Promise<Template> | undefined;
  let nats: Promise<Accounts> | undefined;
  const answers: Record<string, () => Promise<string>> = {
    '/postgres': async () => (await (postgres ??= startTemplate())).url,
    '/nats': async () => (await (nats ??= startAccounts())).next(),
  };
  const server = createServer((asked, reply) => {
    const answer = answers[asked.url ?? ''] ?? (() => Promise.reject(new Error(`no server ${asked.url}`)));
    answer().then(
      (url) => reply.end(url),
      (error: unknown) => reply.writeHead(500).end(String(error)),
    );
  });
  server.listen(socket);
  await once(server, 'listening');
  return {
    socket,
    async close() {
      await ended(server);
      const started = await Promise.allSettled([postgres, nats]);
      for (const each of started) if (each.status === 'fulfilled') await each.value?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function ended(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
