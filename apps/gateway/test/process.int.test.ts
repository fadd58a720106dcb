import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceRequests } from '@lab/contracts';
import { connectBus } from '@lab/messaging';
import { startNats, startTestPostgres, type NatsFixture, type TestPostgres } from '@lab/testkit';
import { send } from './twins.js';

/** The build: here, where sources are what packages resolve to, asking for the package would give TypeScript. */
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const secret = 'u'.repeat(40);

let nats: NatsFixture;
let postgres: TestPostgres;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-process-'));
  [nats, postgres] = await Promise.all([startNats(), startTestPostgres()]);
});

afterAll(async () => {
  await Promise.all([nats?.stop(), postgres?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  child: ChildProcess;
  output: () => string;
  /** The first message over IPC: that it is ready, or why it is not. */
  told: Promise<Told>;
}

interface Told {
  type: string;
  details?: { url: string };
  message?: string;
}

function start(port: number): Running {
  const child = fork(main, [], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      SVC_HTTP_PORT: String(port),
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_NATS_URL: nats.url,
      SVC_DATABASE_URL: postgres.url,
      SVC_UPLOAD_SECRET: secret,
      SVC_LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const told = new Promise<Told>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Told));
    child.once('exit', (code) => reject(new Error(`it exited with ${code} and told nothing:\n${output}`)));
  });
  return { child, output: () => output, told };
}

async function urlOf(told: Promise<Told>): Promise<string> {
  expect(await told).toMatchObject({
    type: 'ready',
    details: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/) as string },
  });
  return (await told).details?.url ?? '';
}

it('tells its supervisor when it serves, answers for its health, and leaves cleanly when told to', async () => {
  const { child, output, told } = start(0);
  const exit = once(child, 'exit');
  try {
    const url = await urlOf(told);
    expect((await send(url, 'GET', '/api/protocols')).status).toBe(200);
    expect((await send(url, 'GET', '/docs-json')).status).toBe(200);
    const refused = await send(url, 'POST', '/api/protocols', { name: 'a', type: 'b' });
    expect(refused.body).toMatchObject({ code: 'service_unavailable', status: 503 });

    const bus = await connectBus({ url: nats.url, role: 'test', name: 'health' });
    const health = await bus.request(serviceRequests.health, { service: 'gateway' }, {});
    await bus.close();
    expect(health).toMatchObject({ service: 'gateway', status: 'ok' });
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exit).toEqual([0, null]);
  expect(output()).not.toContain(secret);
});

it('whose port is in use says so in one sentence and exits with 1', async () => {
  const first = start(0);
  const { port } = new URL(await urlOf(first.told));
  const second = start(Number(port));
  const exit = once(second.child, 'exit');
  try {
    expect(await second.told).toMatchObject({
      type: 'failed',
      message: expect.stringContaining(port) as string,
    });
    expect(await exit).toEqual([1, null]);
  } finally {
    const gone = once(first.child, 'exit');
    first.child.kill('SIGTERM');
    await gone;
  }
});

it('that loses its supervisor ends by itself', async () => {
  const { child, told } = start(0);
  const exit = once(child, 'exit');
  await told;
  child.disconnect();
  expect(await exit).toEqual([0, null]);
});
