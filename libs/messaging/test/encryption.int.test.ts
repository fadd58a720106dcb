import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Link, startNats, startSecuredNats, type SecuredNats } from '@lab/testkit';
import { brokerIdentity, systemCredentials } from '@lab/trust';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectBus, demandClosedBroker, updateAccount, type Bus } from '../src/index.js';

let nats: SecuredNats;
let credentials: string;
const opened: Bus[] = [];
const servers: Server[] = [];

beforeAll(async () => {
  nats = await startSecuredNats({ tls: true });
  credentials = await nats.credentials('gateway', 'g');
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => nats.stop());

const as = { role: 'gateway', name: 'g', connectTimeoutMs: 1 } as const;

async function opening(options: {
  url: string;
  authorities?: string | undefined;
  plain?: boolean;
}): Promise<Bus> {
  const bus = await connectBus({ ...as, credentials, ...options });
  opened.push(bus);
  return bus;
}

/** Somebody between client and broker who changes the first line of the broker. @returns port and what the client sent */
async function between(change: (info: string) => string): Promise<{ port: number; sent: () => string }> {
  let sent = '';
  const { port: behind } = new URL(nats.url);
  const server = createServer((client: Socket) => {
    const broker = connect(Number(behind), '127.0.0.1');
    let first = true;
    broker.on('data', (data) => {
      client.write(first ? change(data.toString('latin1')) : data);
      first = false;
    });
    client.on('data', (data) => {
      sent += data.toString('latin1');
      broker.write(data);
    });
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, sent: () => sent };
}

describe('a connection with tls://', () => {
  it('reaches a broker that the authority has certified, also after a restart of the broker', async () => {
    const bus = await opening({ url: nats.url, authorities: nats.authority });
    await bus.flush();
    await nats.restart();
    await expect.poll(() => bus.connected, { timeout: 10_000 }).toBe(true);
    await bus.flush();
    await demandClosedBroker({ url: nats.url, authorities: nats.authority });
  });

  it('is made over a slow network, whatever it is for', async () => {
    const link = await Link.open(Number(new URL(nats.url).port));
    try {
      link.delay(50);
      const slow = { url: `tls://127.0.0.1:${link.port}`, authorities: nats.authority };
      await (await opening(slow)).flush();
      await demandClosedBroker(slow);
      const { accounts, systemAccount } = await brokerIdentity(nats.keys);
      const statement = [...accounts].find(([key]) => key !== systemAccount)?.[1] ?? '';
      const system = await systemCredentials(nats.keys);
      for (let time = 0; time < 5; time += 1) await updateAccount(slow, system, statement);
    } finally {
      link.close();
    }
  });

  it.each([
    ['says nothing', ''],
    [
      'answers nothing to the beginning of TLS',
      'INFO {"version":"2.10.0","max_payload":1048576,"proto":1}\r\n',
    ],
  ])('leaves no connection behind to a server that %s', async (_what, first) => {
    const open = new Set<Socket>();
    const server = createServer((client) => {
      open.add(client);
      client.on('error', () => undefined /* the client gives up */).on('close', () => open.delete(client));
      client.resume().write(first);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `tls://127.0.0.1:${port}`;
    await expect(opening({ url, authorities: nats.authority })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect.poll(() => open.size).toBe(0);
  });

  it('is refused when another authority has certified the broker, or nobody this computer knows', async () => {
    const { certificate } = await makeCertificateAuthority('other', Date.now());
    for (const authorities of [certificate, undefined])
      await expect(opening({ url: nats.url, authorities })).rejects.toMatchObject({
        code: 'service_unavailable',
      });
  });

  it('sends no credential to a server that says it needs no encryption', async () => {
    const { port, sent } = await between((info) =>
      info
        .replace('"tls_required":true', '"tls_required":false')
        .replace('"tls_available":true', '"tls_available":false'),
    );
    // The broker refuses what is not encrypted, so the connection works only if TLS began.
    const bus = await opening({ url: `tls://127.0.0.1:${port}`, authorities: nats.authority });
    await bus.flush();
    expect(sent()).not.toMatch(/CONNECT|eyJ|PING/);
  });

  it('sends no credential to a broker without TLS', async () => {
    const plain = await startNats();
    try {
      await expect(
        opening({ url: plain.url.replace('nats:', 'tls:'), authorities: nats.authority }),
      ).rejects.toMatchObject({ code: 'service_unavailable' });
    } finally {
      await plain.stop();
    }
  });
});

describe('a connection without encryption', () => {
  it('leads to another computer only if that is allowed', async () => {
    const url = 'nats://broker.lab.local:4222';
    await expect(opening({ url })).rejects.toMatchObject({
      code: 'bad_request',
      message:
        'the connection to the broker at nats://broker.lab.local:4222 would not be encrypted; use tls:// or wss://, or set SVC_NATS_PLAIN=allowed if nobody else can reach this network',
    });
    await expect(opening({ url: `tls://127.0.0.1:1,${url}` })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(opening({ url: 'nats://127.0.0.1.evil.example:4222' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(opening({ url, plain: true })).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('has an address that can be read', async () => {
    for (const url of ['', 'http://127.0.0.1', 'nats://', 'tls://127.0.0.1:4222,', 'wss://'])
      await expect(opening({ url })).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(/^the address of the broker must have the form nats:/),
      });
  });
});
