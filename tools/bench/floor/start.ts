import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts one of the processes of the bare chain.
 *
 * @param databaseUrl where `http` inserts rows; undefined: it inserts none
 * @returns the port of the process `http`
 * @throws Error when the process ends before it is ready
 */
export async function startFloor(name: 'agent' | 'http', natsUrl: string, databaseUrl?: string) {
  const child = fork(fileURLToPath(new URL(`${name}.js`, import.meta.url)), {
    env: {
      ...process.env,
      FLOOR_NATS_URL: natsUrl,
      ...(databaseUrl === undefined ? {} : { FLOOR_DATABASE_URL: databaseUrl }),
    },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process ${name} of the bare chain ended with ${code} before it was ready`);
  });
  const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port?: number }];
  // It also ends when it is stopped.
  ended.catch(() => undefined);
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
