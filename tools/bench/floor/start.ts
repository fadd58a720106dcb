import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts one of the processes of the bare chain.
 *
 * @param databaseUrl where `http` inserts rows; undefined: it inserts none
 * @returns the port of the process `http`
 */
export async function startFloor(name: 'agent' | 'http', natsUrl: string, databaseUrl?: string) {
  const child = fork(fileURLToPath(new URL(`${name}.js`, import.meta.url)), {
    env: {
      ...process.env,
      FLOOR_NATS_URL: natsUrl,
      ...(databaseUrl === undefined ? {} : { FLOOR_DATABASE_URL: databaseUrl }),
    },
  });
  const [{ port }] = (await once(child, 'message')) as [{ port?: number }];
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
