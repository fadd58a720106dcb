import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerLock, SilaClient } from '../libs/sila/src/client/index.js';
import { libraries, Peer, python, type Library } from '../libs/sila/test/peers.js';
import { eventually, isOver } from './api.js';
import { startLab, type Lab } from './lab.js';

/** SiLA servers as devices of a service: tasks lock them, calls are recorded, and an agent that is killed leaves no lock. */

const files = (ports: Record<Library, number>): Record<string, string> => ({
  'package.json': JSON.stringify({ name: 'sila_lab', version: '1.0.0', type: 'module' }),
  'devices/sila_server/device.yml': `type: sila_server
desc: Any SiLA 2 server
init_parameters: { address: '', insecure: true, lock_timeout: 60, lock_retry_delay: 0.2, lock_max_retries: 20 }
`,
  'devices/sila_server/device.ts': `import { SilaDevice } from '@lab/sila';
export default class SilaServer extends SilaDevice {}
`,
  'tasks/use_bench/task.yml': `type: use_bench
desc: Moves and heats
devices:
  bench:
    type: sila_server
input_parameters:
  seconds:
    type: float
    unit: s
    desc: How long it heats
output_parameters:
  reached:
    type: float
    unit: n/a
    desc: The temperature
`,
  'tasks/use_bench/task.ts': `import { BaseTask, type TaskResult } from '@lab/sdk';
import { connect } from '@lab/sila';
import type SilaServer from '../../devices/sila_server/device.js';
export default class UseBench extends BaseTask<{ bench: SilaServer }, { seconds: number }> {
  async _execute({ bench }: this['devices'], { seconds }: { seconds: number }): Promise<TaskResult> {
    const session = await connect(bench, { lock_timeout: 30 });
    await session.run('Bench', 'Move', { To: 5, Seconds: 0 });
    const { Reached } = await session.run('Bench', 'Heat', { Seconds: seconds, Fail: false });
    return [{ reached: Number(Reached) }, {}, {}];
  }
}
`,
  'laboratories/sila_lab/lab.yml': `name: sila_lab
desc: Two SiLA servers
computers:
  sila_pc:
    desc: The computer of the instruments
    ip: 10.77.0.3
devices:
${libraries
  .map(
    (library) => `  ${library}:
    desc: A server
    type: sila_server
    computer: sila_pc
    init_parameters: { address: '127.0.0.1:${ports[library]}' }
`,
  )
  .join('')}`,
});

describe.skipIf(python === undefined)('SiLA servers as devices', () => {
  const peers = new Map<Library, Peer>();
  let userDir = '';
  let lab: Lab;
  let agent: Awaited<ReturnType<Lab['withAgent']>>;

  beforeAll(async () => {
    for (const library of libraries) peers.set(library, await Peer.start(library, { lock: true }));
    userDir = await mkdtemp(join(tmpdir(), 'svc-sila-'));
    const ports = Object.fromEntries([...peers].map(([name, { port }]) => [name, port])) as Record<
      Library,
      number
    >;
    for (const [name, text] of Object.entries(files(ports))) {
      const path = join(userDir, 'sila_lab', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    lab = await startLab(['sila_lab'], { userDir, idle: false, readyMs: 180_000 });
    agent = await lab.withAgent('sila_pc');
  });
  afterAll(async () => {
    await lab?.stack.dispose();
    await Promise.all([...peers.values()].map((peer) => peer.kill()));
    await rm(userDir, { recursive: true, force: true });
  });

  const submit = (name: string, device: Library, seconds: number) =>
    lab.api.submit('tasks', {
      name,
      type: 'use_bench',
      devices: { bench: { lab_name: 'sila_lab', name: device } },
      input_parameters: { seconds },
    });

  const isLocked = async (library: Library): Promise<boolean | undefined> => {
    const client = await SilaClient.connect(peers.get(library)?.address ?? { host: '', port: 0 }, {
      insecure: true,
    });
    const lock = await ServerLock.of(client);
    const locked = await lock?.isLocked();
    client.close();
    return locked;
  };

  it.each(libraries)('lock the server of %s for a task, and record what the task does', async (library) => {
    expect((await submit(`plain_${library}`, library, 0.5)).status).toBe(201);
    const done = await eventually(() => lab.api.task(`plain_${library}`), isOver);
    expect(done).toMatchObject({ state: 'completed', output_parameters: { reached: 37.5 } });
    await expect.poll(() => isLocked(library), { timeout: 10_000 }).toBe(false);
    const { body } = await lab.api.call<{ items: { function: string; state: string }[] }>(
      'GET',
      `/api/effects?lab=sila_lab&device=${library}`,
    );
    expect(body.items.map((each) => each.function).sort()).toEqual(['Bench_Heat', 'Bench_Move', 'lock']);
  });

  it.each(libraries)(
    'let in the next agent after one was killed in the middle of an effect, with %s',
    async (library) => {
      await submit(`cut_${library}`, library, 6);
      await eventually(
        async () => (await lab.api.device(library)).doing?.function,
        (name) => name === 'Bench_Heat',
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
      agent.kill('SIGKILL');
      // The instrument may still move, so nobody else gets it.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await isLocked(library)).toBe(true);
      agent = await lab.withAgent('sila_pc');
      // The server has said that the command ended, so only a person has to decide about the task.
      expect(await eventually(() => lab.api.task(`cut_${library}`), isOver)).toMatchObject({
        state: 'needs_attention',
      });
      await eventually(
        () => lab.api.device(library),
        ({ state }) => state === 'idle',
      );
      const item = (await lab.api.attention()).find(({ actions }) => actions.includes('failed'));
      expect((await lab.api.resolve(item?.id ?? '', { action: 'failed', by: 'ada' })).status).toBe(200);
      await submit(`next_${library}`, library, 0.1);
      expect(await eventually(() => lab.api.task(`next_${library}`), isOver)).toMatchObject({
        state: 'completed',
      });
    },
  );
});
