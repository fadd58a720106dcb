import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts one of the processes of the bare chain. @returns the port of the process `http` */
export async function startFloor(name: 'agent' | 'http', natsUrl: string) {
  const child = fork(fileURLToPath(new URL(`${name}.js`, import.meta.url)), {
    env: { ...process.env, FLOOR_NATS_URL: natsUrl },
  });
  const [{ port }] = (await once(child, 'message')) as [{ port?: number }];
  return {
    port,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
