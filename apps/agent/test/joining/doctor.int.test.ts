import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startSecuredNats, type SecuredNats } from '@lab/testkit';
import { AgentIssuer, agentIssuerKey } from '@lab/trust/agent-issuer';
import { agentCredentials, makeAgentKey } from '@lab/trust/agent-key';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { examine, type Examined, type Finding } from '../../src/joining/index.js';
import { StandIn } from './stand-in.js';

const day = 86_400_000;
let gateway: StandIn;
let nats: SecuredNats;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => void ([gateway, nats] = await Promise.all([StandIn.start(), startSecuredNats()])));
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
afterAll(() => Promise.all([gateway.stop(), nats.stop()]));

const standIn = async (options: Parameters<typeof StandIn.start>[0]): Promise<Examined> => {
  const started = await StandIn.start(options);
  closing.push(() => started.stop());
  return { gateway: started.url, authorities: started.authority.certificate };
};
const trusting = (): Examined => ({ gateway: gateway.url, authorities: gateway.authority.certificate });

async function findings(examined: Examined): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of examine(examined)) found.push(finding);
  return found;
}

/** The last finding: the layer and its sentence. */
async function last(examined: Examined): Promise<[string, string]> {
  const { layer, text } = (await findings(examined)).at(-1) ?? { layer: 'none', text: '' };
  return [layer, text];
}

/** A server that accepts connections. @param on gets each of them @returns its port */
async function accepting(server: Server, on: (socket: Socket) => void = () => undefined): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    sockets.push(socket.on('error', () => undefined /* the doctor has gone */));
    on(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    return once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** What the doctor examines on a computer that joined. */
async function member(
  forMs: number | undefined,
  broker: { url: string; plain?: boolean },
): Promise<Examined> {
  const key = makeAgentKey();
  const issuer = new AgentIssuer(agentIssuerKey(nats.keys));
  const credentials =
    forMs === undefined
      ? await nats.credentials('agent', 'bench_a')
      : agentCredentials(
          key,
          await issuer.statement(key.publicKey, 'bench_a', Date.now() + forMs),
          issuer.authority,
        );
  return { ...trusting(), membership: { computer: 'bench_a', credentials, broker, version: '1.2.3' } };
}

describe('the certificate of the server', () => {
  it('must be for the name in the address', async () => {
    const [layer, text] = await last(await standIn({ names: ['lab-server'] }));
    expect(layer).toBe('TLS');
    expect(text).toContain('is not for 127.0.0.1; add 127.0.0.1 to https.names on the server');
  });

  it.each([
    ['CERT_HAS_EXPIRED', -100 * day],
    ['CERT_NOT_YET_VALID', 100 * day],
  ])('must be valid at the time of this computer: %s', async (code, madeIn) => {
    const [layer, text] = await last(await standIn({ madeAt: Date.now() + madeIn }));
    expect(layer).toBe('TLS');
    expect(text).toContain(`not valid at the time of this computer (${code}); compare the clocks`);
  });

  it('is compared with the name also when the name is not an address', async () => {
    const examined = await standIn({ names: ['localhost'] });
    const found = await findings({
      ...examined,
      gateway: examined.gateway.replace('127.0.0.1', 'localhost'),
    });
    expect(found.map(({ layer, ok }) => [layer, ok])).toEqual(
      ['DNS', 'TCP', 'TLS', 'service', 'clock'].map((layer) => [layer, true]),
    );
    expect(found[0]?.text).toMatch(/^localhost is .*127\.0\.0\.1/);
  });
});

describe('a server that does not answer in time', () => {
  it('is named by the layer that does not answer', async () => {
    const silent = await accepting(createServer());
    const [layer, text] = await last({ gateway: `https://127.0.0.1:${silent}`, patienceMs: 50 });
    expect([layer, text]).toEqual(['TLS', expect.stringContaining('(ETIMEDOUT); does the address lead to')]);
    const proxy = `http://127.0.0.1:${silent}`;
    expect(await last({ ...trusting(), proxy, patienceMs: 50 })).toEqual([
      'proxy',
      `the proxy 127.0.0.1:${silent} does not answer (ETIMEDOUT)`,
    ]);
  });

  it('is named also when it ends the connection before it is encrypted', async () => {
    const port = await accepting(createServer(), (socket) => socket.destroy());
    const [layer, text] = await last({ gateway: `https://127.0.0.1:${port}` });
    expect(layer).toBe('TLS');
    expect(text).toMatch(/^no encrypted connection to 127\.0\.0\.1 \(.+\)/);
  });
});

it('a proxy that forbids the connection is named with what IT can do', async () => {
  const server = createHttpServer().on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
  );
  const port = await accepting(server);
  expect(await last({ ...trusting(), proxy: `http://127.0.0.1:${port}` })).toEqual([
    'proxy',
    `the proxy 127.0.0.1:${port} refuses a connection to ${new URL(gateway.url).host} with status 403; ask IT to allow it`,
  ]);
});

it('a name of a proxy that nobody knows is named, not the one of the server', async () => {
  const [layer, text] = await last({ ...trusting(), proxy: 'http://proxy.invalid:3128' });
  expect(layer).toBe('DNS');
  expect(text).toContain('does not know the name proxy.invalid');
});

it('a port where nothing listens is named with its address, also of IPv6', async () => {
  const [layer, text] = await last({ gateway: 'https://[::1]:1' });
  expect(layer).toBe('TCP');
  expect(text).toContain('[::1]:1');
});

it('a server that does not say what time it is cannot be compared with the clock', async () => {
  const undated = await StandIn.start();
  closing.push(() => undated.stop());
  undated.server.prependListener('request', (_request, response) => void (response.sendDate = false));
  expect(await last({ gateway: undated.url, authorities: undated.authority.certificate })).toEqual([
    'clock',
    'the gateway does not say what time it is',
  ]);
});

describe('the credentials of a computer that joined', () => {
  it('without an end are good for as long as the gateway and the broker accept them', async () => {
    gateway.answers['/agents/check'] = () => ({ body: { computer: 'bench_a' } });
    const found = await findings(await member(undefined, { url: nats.url, plain: true }));
    expect(found.slice(-3)).toEqual([
      { layer: 'credential', ok: true, text: 'bench_a is admitted without end' },
      { layer: 'broker', ok: true, text: 'the broker accepts this agent' },
      // A gateway that says nothing of the protocol speaks version 1.
      {
        ...{ layer: 'release', ok: true },
        text: 'this agent speaks version 1 of the protocol, and the service version 1',
      },
    ]);
    const pass = gateway.asked.find(([path]) => path === '/agents/check')?.[1]['pass'];
    const issuer = new AgentIssuer(agentIssuerKey(nats.keys));
    expect(issuer.holder(String(pass), 'check', Date.now())).toMatchObject({ computer: 'bench_a' });
  });

  it('are not sent anywhere after their end', async () => {
    gateway.asked.length = 0;
    const [layer, text] = await last(await member(-day, { url: nats.url, plain: true }));
    expect(layer).toBe('credential');
    expect(text).toMatch(/^the credentials of bench_a ended at .*Z; a running agent renews them/);
    expect(gateway.paths).not.toContain('/agents/check');
  });

  it('of another service are refused by the broker', async () => {
    gateway.answers['/agents/check'] = () => ({ body: { computer: 'bench_a' } });
    const other = await startSecuredNats();
    closing.push(() => other.stop());
    expect(await last(await member(day, { url: other.url, plain: true }))).toEqual([
      'broker',
      expect.stringMatching(/^the broker refuses this agent: .* refuses the credentials$/),
    ]);
  });

  it('are not sent over a connection to another computer that is not encrypted', async () => {
    gateway.answers['/agents/check'] = () => ({ body: { computer: 'bench_a' } });
    const [layer, text] = await last(await member(day, { url: 'nats://broker.invalid:4222' }));
    expect(layer).toBe('broker');
    expect(text).toContain('encrypt');
  });
});
