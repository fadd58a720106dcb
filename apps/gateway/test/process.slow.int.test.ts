import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serviceRequests } from '@lab/contracts';
import { connectBus } from '@lab/messaging';
import { openStore } from '@lab/persistence';
import { testNats, testPostgres, type TestNats, type TestPostgres } from '@lab/testkit/testing';
import { actKeys } from '@lab/testkit';
import pg from 'pg';
import { startReceiver } from './receiver.js';
import { send } from './twins.js';

/** The path of the build. In tests, an import of the package would resolve to TypeScript sources. */
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const secret = 'u'.repeat(40);
const secretsKey = 'k'.repeat(40);

let nats: TestNats;
let postgres: TestPostgres;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-process-'));
  [nats, postgres] = await Promise.all([testNats(), testPostgres()]);
});

afterAll(async () => {
  await Promise.all([nats?.stop(), postgres?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  child: ChildProcess;
  output: () => string;
  /** The first message over IPC: ready, or the reason of a failure. */
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
      SVC_ACT_KEY: actKeys().SVC_ACT_KEY,
      SVC_SECRETS_KEY: secretsKey,
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

it('the gateway reports to its supervisor, answers health requests and ends cleanly on request', async () => {
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

it('a gateway whose port is in use says so in one sentence and exits with 1', async () => {
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

it('a gateway that loses its supervisor ends by itself', async () => {
  const { child, told } = start(0);
  const exit = once(child, 'exit');
  await told;
  child.disconnect();
  expect(await exit).toEqual([0, null]);
});

it('a gateway that is killed while it delivers to a webhook omits no event and keeps the order of each record', async () => {
  const receiver = await startReceiver();
  const config = join(folder, 'config.yml');
  await writeFile(config, `webhooks: { allow: [127.0.0.1], http: true, ports: [${receiver.port}] }\n`);
  await (await openStore({ url: postgres.url })).close();
  const admin = new pg.Client(postgres.url);
  await admin.connect();
  const running = [start(0)];
  try {
    const first = running[0];
    const url = await urlOf(first?.told ?? Promise.reject(new Error('it was not started')));
    const killed = once(first?.child ?? process, 'exit');
    receiver.answer = () => {
      if (receiver.received.length === 17) first?.child.kill('SIGKILL');
      return undefined;
    };
    expect((await send(url, 'POST', '/api/webhooks', { url: receiver.url })).status).toBe(201);
    await admin.query(`
      insert into outbox (aggregate, seq, type, body, at)
      select 'task_run/' || n % 5, n / 5 + 1, 'task_run.running', '{}', now() from generate_series(0, 59) n`);
    expect(await killed).toEqual([null, 'SIGKILL']);
    // The lease of the killed gateway must end before its deliveries are free.
    await admin.query('update webhook set held_until = now()');
    const second = start(0);
    running.push(second);
    await urlOf(second.told);
    const end = Date.now() + 30_000;
    const seen = (): Set<number> => new Set(receiver.received.map(({ event }) => event.id));
    while (seen().size < 60 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen().size).toBe(60);
    for (let record = 0; record < 5; record += 1) {
      const seqs = receiver.received
        .filter(({ event }) => event.aggregate === `task_run/${record}`)
        .map(({ event }) => event.seq);
      expect([...new Set(seqs)]).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    }
  } finally {
    for (const { child } of running) {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      await gone;
    }
    await admin.end();
    await receiver.close();
    await rm(config);
  }
}, 90_000);
