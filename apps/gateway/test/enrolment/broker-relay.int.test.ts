import { request } from 'node:https';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agentEvents } from '@lab/contracts';
import { connectBus, demandClosedBroker, type Bus } from '@lab/messaging';
import { startSecuredNats, type SecuredNats } from '@lab/testkit';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import { certifyServer, makeCertificateAuthority, type CertifiedKey } from '@lab/trust/certificates';
import { makePass } from '@lab/trust/pass';
import { MemoryEnrolments } from '../memory-enrolments.js';
import { startHarness, type Harness } from '../twins.js';

let nats: SecuredNats;
let folder: string;
let authority: CertifiedKey;
let gateway: Harness;
let store: MemoryEnrolments;
const opened: Bus[] = [];

const certify = async (): Promise<void> => {
  const { certificate, key } = await certifyServer(authority, ['127.0.0.1'], Date.now(), 1);
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'certificate.pem'), certificate);
};

beforeAll(async () => {
  [nats, authority] = await Promise.all([startSecuredNats(), makeCertificateAuthority('test', Date.now())]);
  folder = await mkdtemp(join(tmpdir(), 'lab-relay-'));
  await certify();
  store = new MemoryEnrolments();
  gateway = await startHarness(served(), undefined, undefined, admitting());
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
});
afterAll(async () => {
  await gateway.server.close();
  await nats.stop();
  await rm(folder, { recursive: true });
});

const served = () => ({
  // The first node is down: nothing listens there.
  brokers: [
    { host: '127.0.0.1', port: 1 },
    { host: '127.0.0.1', port: Number(new URL(nats.url).port) },
  ],
  https: { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') },
});

const admitting = () => ({
  enrolments: store,
  enrolment: {
    issuer: agentIssuerKey(nats.keys),
    authorities: { certificates: () => authority.certificate, signedList: () => undefined },
    ...{ publicUrl: 'https://127.0.0.1', brokers: undefined },
  },
});

/** Credentials of an agent that joined. */
async function member(
  computer: string,
  issuer = new AgentIssuer(agentIssuerKey(nats.keys)),
): Promise<string> {
  const key = makeAgentKey();
  await store.invite({ id: computer, computer, uses: 1, created_by: 'root' } as never);
  await store.join(computer, { key: key.publicKey, computer, address: '', version: '' }, true, '');
  return agentCredentials(
    key,
    await issuer.statement(key.publicKey, computer, Date.now() + 60_000),
    issuer.authority,
  );
}

const way = (credentials: string | undefined) => ({
  url: `${gateway.url.replace('https:', 'wss:')}/agents/broker`,
  authorities: authority.certificate,
  pass: credentials === undefined ? undefined : () => makePass(credentials, 'broker', Date.now()),
});

async function connecting(name: string, credentials: string, more: object = {}): Promise<Bus> {
  const bus = await connectBus({
    ...{ ...way(credentials), credentials, role: 'agent', name, connectTimeoutMs: 1, ...more },
  });
  opened.push(bus);
  return bus;
}

/** Errors that nobody handles, while some work goes on. They would end a process of the service. */
async function unhandledDuring(work: () => Promise<void>): Promise<unknown[]> {
  const found: unknown[] = [];
  const note = (error: unknown): void => void found.push(error);
  const others = process.rawListeners('uncaughtException') as NodeJS.UncaughtExceptionListener[];
  process.removeAllListeners('uncaughtException').on('uncaughtException', note);
  try {
    await work();
  } finally {
    process.off('uncaughtException', note);
    for (const other of others) process.on('uncaughtException', other);
  }
  return found;
}

describe('the connection of an agent through the gateway', () => {
  it('to a broker with TLS breaks in the middle of messages without an error that ends the agent', async () => {
    const secure = await startSecuredNats({ tls: true });
    const brokers = [{ host: '127.0.0.1', port: Number(new URL(secure.url).port) }];
    const admits = admitting();
    const own = { ...admits, enrolment: { ...admits.enrolment, issuer: agentIssuerKey(secure.keys) } };
    const relay = await startHarness({ ...served(), brokers }, undefined, undefined, own);
    // Whether a write is under way at this moment is chance, so there are several agents.
    const agents = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => {
        const name = `bench_t${number}`;
        const credentials = await member(name, new AgentIssuer(agentIssuerKey(secure.keys)));
        const bus = await connecting(name, credentials, {
          url: `${relay.url.replace('https:', 'wss:')}/agents/broker`,
          authorities: `${authority.certificate}${secure.authority}`,
        });
        return { name, bus };
      }),
    );
    const session = 'x'.repeat(500_000);
    const unhandled = await unhandledDuring(async () => {
      const sending = setInterval(() => {
        for (const { name, bus } of agents)
          bus.publish(agentEvents.leaving, { computer: name }, { inc: 1, session });
      }, 5);
      await delay(300);
      await relay.server.close();
      await delay(300);
      clearInterval(sending);
    });
    await Promise.all(agents.map(({ bus }) => bus.close()));
    await secure.stop();
    expect(unhandled).toEqual([]);
  });

  it('carries messages, large ones too', async () => {
    const credentials = await member('bench_a');
    const bus = await connecting('bench_a', credentials);
    const observer = await connectBus({
      ...{
        url: nats.url,
        credentials: await nats.credentials('orchestrator', 'o'),
        role: 'orchestrator',
        name: 'o',
      },
    });
    opened.push(observer);
    const large = 'x'.repeat(800_000);
    const heard: string[] = [];
    await observer.subscribe(
      agentEvents.leaving,
      { computer: 'bench_a' },
      (body) => void heard.push(body.session),
    );
    await observer.flush();
    bus.publish(agentEvents.leaving, { computer: 'bench_a' }, { inc: 7, session: large });
    await bus.flush();
    await expect.poll(() => heard.map((text) => text === large)).toEqual([true]);
    await demandClosedBroker(way(credentials));
  });

  it('is refused without valid credentials of an agent of this service, with the reason', async () => {
    const foreign = new AgentIssuer(agentIssuerKey((await import('@lab/trust')).makeKeys()));
    const stranger = await member('stranger', foreign);
    await expect(connecting('stranger', stranger)).rejects.toMatchObject({ code: 'unauthorized' });
    const gatewayOnly = await nats.credentials('gateway', 'bench_b');
    await expect(connecting('bench_b', gatewayOnly)).rejects.toMatchObject({ code: 'unauthorized' });
    const good = await member('bench_c');
    await expect(connecting('bench_c', good, { pass: undefined })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    const late = { pass: () => makePass(good, 'broker', Date.now() - 600_000) };
    await expect(connecting('bench_c', good, late)).rejects.toMatchObject({
      code: 'unauthorized',
      cause: { message: expect.stringContaining('The clock of the computer differs too much') },
    });
  });

  it('is refused to a revoked agent', async () => {
    const credentials = await member('bench_d');
    await store.revoke('bench_d', { by: 'root', reason: '', at: new Date().toISOString() });
    await expect(connecting('bench_d', credentials)).rejects.toMatchObject({
      code: 'unauthorized',
      cause: { message: expect.stringContaining('The agent of bench_d was revoked') },
    });
  });

  it('is refused under a foreign name of the gateway', async () => {
    const { hostname, port } = new URL(gateway.url);
    const status = await new Promise((resolve, reject) => {
      const headers = {
        ...{ host: 'evil.example.com', connection: 'Upgrade', upgrade: 'websocket' },
        ...{ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
      };
      const trust = { ca: authority.certificate, checkServerIdentity: () => undefined };
      request({ hostname, port, path: '/agents/broker', headers, agent: false, ...trust })
        .on('error', reject)
        .on('response', (response) => resolve(response.resume().statusCode))
        .end();
    });
    expect(status).toBe(421);
  });

  it('needs a gateway that the authority has certified', async () => {
    const credentials = await member('bench_e');
    const other = (await makeCertificateAuthority('other', Date.now())).certificate;
    for (const authorities of [other, undefined])
      await expect(connecting('bench_e', credentials, { authorities })).rejects.toMatchObject({
        code: 'service_unavailable',
      });
  });

  it('comes back by itself after the broker was away, also with a renewed certificate of the gateway', async () => {
    const bus = await connecting('bench_f', await member('bench_f'));
    await certify();
    await expect
      .poll(() => gateway.log.lines.map(({ message }) => message), { timeout: 15_000 })
      .toContain('the certificate of HTTPS was renewed');
    await nats.restart();
    await expect.poll(() => bus.connected, { timeout: 10_000 }).toBe(true);
    await bus.flush();
  });
});

it('the gateway answers other upgrades with 404', async () => {
  const url = `${gateway.url.replace('https:', 'wss:')}/elsewhere`;
  await expect(connecting('bench_g', await member('bench_g'), { url })).rejects.toMatchObject({
    message: expect.stringContaining('answers 404'),
  });
});

it('a gateway that does not reach the broker says so, and one that ends lets its agents go', async () => {
  const credentials = await member('bench_h');
  const lonely = await startHarness(
    { ...served(), brokers: [{ host: '127.0.0.1', port: 1 }] },
    undefined,
    undefined,
    admitting(),
  );
  const second = await startHarness(served(), undefined, undefined, admitting());
  const at = ({ url }: Harness): string => `${url.replace('https:', 'wss:')}/agents/broker`;
  try {
    await expect(connecting('bench_h', credentials, { url: at(lonely) })).rejects.toMatchObject({
      message: expect.stringContaining('answers 503: The gateway cannot reach the broker.'),
    });
    const bus = await connecting('bench_h', credentials, { url: `${at(second)},${way(credentials).url}` });
    await second.server.close();
    // The agent may not have noticed yet that its connection is gone, and may lose it while it sends.
    const flushed = (): Promise<string> => bus.flush().then(() => 'flushed', String);
    await expect.poll(flushed, { timeout: 10_000 }).toBe('flushed');
  } finally {
    await Promise.all([lonely.server.close(), second.server.close()]);
  }
});
