import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentEvents } from '@lab/contracts';
import { connectBus, updateAccount, type Bus } from '@lab/messaging';
import { freePort, startNats, type NatsFixture } from '@lab/testkit';
import { brokerIdentity, readKeys, systemCredentials } from '@lab/trust';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { svcHere } from './in-process.js';

/** Three nodes of a broker, with the certificates and configurations that `svc` prints. */

let folder: string;
let nodes: NatsFixture[] = [];
const opened: Bus[] = [];
const env = () => ({ SVC_DATA_DIR: join(folder, 'data') });
const svc = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await svcHere(args, { env: env() });
  if (code !== 0) throw new Error(err);
  return out;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cluster-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((port) => `127.0.0.1:${port}`);
  for (const [index, route] of routes.entries()) {
    const place = join(folder, String(index));
    await svc('broker', 'certificate', '127.0.0.1', '--peer', '--out', place);
    const settings = await svc(
      ...['broker', 'config', '--listen', '127.0.0.1:-1', '--tls', place],
      ...['--accounts', join(place, 'accounts'), '--cluster', 'lab', '--node', `node${index}`],
      ...['--route', route, '--routes', routes.join(', ')],
    );
    writeFileSync(join(place, 'nats.conf'), settings);
  }
  nodes = await Promise.all(
    routes.map((_, index) => startNats({ args: ['-c', join(folder, String(index), 'nats.conf')] })),
  );
});
afterAll(async () => {
  await Promise.all(opened.map((bus) => bus.close()));
  await Promise.all(nodes.map((node) => node.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const address = (index: number): string => (nodes[index]?.url ?? '').replace('nats://', 'tls://');
const everywhere = (): string => [0, 1, 2].map(address).join(',');
const authorities = (): string => readFileSync(join(folder, '0', 'ca.pem'), 'utf8');

async function open(
  url: string,
  role: 'agent' | 'orchestrator',
  name: string,
  credentials: string,
): Promise<Bus> {
  const bus = await connectBus({ url, role, name, credentials, authorities: authorities() });
  opened.push(bus);
  return bus;
}

async function eventually(look: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await look())) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** An agent that reports until the test ends, and how often a listener has heard it. */
async function reports(agent: Bus, listener: Bus): Promise<() => number> {
  let heard = 0;
  await listener.subscribe(agentEvents.leaving, { computer: 'bench' }, () => {
    heard += 1;
  });
  const tell = setInterval(() => {
    if (agent.connected) agent.publish(agentEvents.leaving, { computer: 'bench' }, { inc: 1, session: 's' });
  }, 50).unref();
  opened.push({ close: async () => clearInterval(tell) } as Bus);
  return () => heard;
}

it('carries messages between nodes, and goes on when the node of a client is lost', async () => {
  const agent = await open(
    everywhere(),
    'agent',
    'bench',
    await svc('broker', 'credentials', 'agent', 'bench'),
  );
  const listener = await open(
    address(2),
    'orchestrator',
    'g',
    await svc('broker', 'credentials', 'orchestrator', 'g'),
  );
  const heard = await reports(agent, listener);
  await eventually(() => heard() > 0);
  for (const lost of [0, 1]) {
    await nodes[lost]?.stop();
    await eventually(() => agent.connected);
    const before = heard();
    await eventually(() => heard() > before);
    await nodes[lost]?.restart();
  }
});

it('refuses a revoked agent at every node, also at one that was down when the agent was revoked', async () => {
  const credentials = await svc('broker', 'credentials', 'agent', 'thief');
  const [, statement = ''] = /USER JWT-----\s+(\S+)\s/.exec(credentials) ?? [];
  const claims = JSON.parse(Buffer.from(statement.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string;
  };
  const keys = readKeys(readFileSync(join(folder, 'data', 'secrets', 'broker-keys'), 'utf8'));
  const thief = await open(address(1), 'agent', 'thief', credentials);
  await nodes[2]?.stop();
  // Of two statements of one second, no server knows which is the newer one. The configurations are of this second, or before it.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const identity = await brokerIdentity(keys, { [claims.sub]: Math.ceil(Date.now() / 1_000) + 1 });
  const [, account = ''] = [...identity.accounts].find(([key]) => key !== identity.systemAccount) ?? [];
  const access = { url: address(0), authorities: authorities() };
  await updateAccount(access, await systemCredentials(keys), account);
  await eventually(() => !thief.connected);
  await nodes[2]?.restart();
  for (const index of [0, 1, 2])
    await eventually(async () => {
      const refused = { url: address(index), authorities: authorities(), connectTimeoutMs: 2_000 };
      const bus = await connectBus({ ...refused, role: 'agent', name: 'thief', credentials }).catch(
        ({ code }: { code?: string }) => code,
      );
      if (typeof bus === 'object') await bus.close();
      return bus === 'unauthorized';
    });
});

it.each([
  [
    'certificates',
    ['--cluster', 'lab', '--node', 'a', '--route', 'a:1', '--routes', 'a:1,b:1'],
    /needs --tls/,
  ],
  [
    'its own route',
    ['--tls', '/etc/svc/broker', '--cluster', 'lab', '--node', 'a', '--route', 'c:1', '--routes', 'a:1,b:1'],
    /must contain the route/,
  ],
  ['all options', ['--tls', '/etc/svc/broker', '--cluster', 'lab'], /needs all of/],
])('a node of a cluster needs %s', async (_, args, sentence) => {
  const { code, out, err } = await svcHere(['broker', 'config', '--listen', '0.0.0.0:4222', ...args], {
    env: env(),
  });
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(sentence);
});
