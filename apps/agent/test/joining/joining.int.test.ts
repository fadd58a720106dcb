import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import type { Log, Timers } from '@lab/ports';
import { issueCredentials, readKeys } from '@lab/trust';
import { makeCertificateAuthority } from '@lab/trust/certificates';
import { codeKeyIn, codeKeyOf } from '@lab/trust/code-manifest';
import { makePass } from '@lab/trust/pass';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentCredentials, examine, join, type Examined, type Finding } from '../../src/joining/index.js';
import { JoinableService, startProxy } from './service.js';

let service: JoinableService;
let folder: string;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => void (service = await JoinableService.start()));
beforeEach(() => void (folder = mkdtempSync(pathOf(tmpdir(), 'lab-join-'))));
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all(closing.splice(0).map((close) => close()));
});
afterAll(() => service.stack.dispose());

const joining = (token: string, more: object = {}) =>
  join({ url: service.url, token, dataDir: folder, version: '1.2.3', pollMs: 50, ...more });
const file = (name: string): string => readFileSync(pathOf(folder, name), 'utf8');

describe('join', () => {
  it('writes what the agent needs, for this user alone, and keeps nothing of an earlier service', async () => {
    writeFileSync(pathOf(folder, 'ca-list'), 'of the service that it left');
    const joined = await joining(await service.invite('bench_a'));
    expect(joined.computer).toBe('bench_a');
    expect(Date.parse(joined.validUntil) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    expect(JSON.parse(file('joined.json'))).toEqual({
      version: 1,
      computer: 'bench_a',
      env: {
        SVC_NATS_URL: `${service.url.replace('https', 'wss')}/agents/broker`,
        SVC_NATS_CREDENTIALS_FILE: 'agent.creds',
        SVC_GATEWAY_URL: service.url,
        SVC_TLS_CA_FILE: 'ca.pem',
      },
    });
    expect(file('ca.pem')).toBe(service.authority);
    const keys = readKeys(readFileSync(pathOf(service.stack.dataDir, 'secrets', 'broker-keys'), 'utf8'));
    expect(codeKeyIn(file('agent.creds'))).toBe(codeKeyOf(keys.authority.x));
    for (const name of readdirSync(folder)) expect(statSync(pathOf(folder, name)).mode & 0o077, name).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['agent.creds', 'ca.pem', 'joined.json']);
  });

  it('takes the name that the invitation leaves open', async () => {
    const token = await service.invite('shelf_*', { uses: 2 });
    await expect(joining(token)).rejects.toThrow('--computer');
    await expect(joining(token, { computer: 'bench_z' })).rejects.toThrow('shelf_*');
    expect(await joining(token, { computer: 'shelf_1' })).toMatchObject({ computer: 'shelf_1' });
  });

  it('waits until an administrator approves the computer, and says so once', async () => {
    const token = await service.invite('bench_b', { approval: true });
    let told = 0;
    const joined = joining(token, { onWaiting: () => (told += 1) });
    await expect.poll(() => told).toBe(1);
    expect(existsSync(pathOf(folder, 'joined.json'))).toBe(false);
    await service.approve('bench_b');
    expect(await joined).toMatchObject({ computer: 'bench_b' });
    expect(told).toBe(1);
  });

  it.each([
    ['a damaged token', () => 'svc_join_half', 'The token is damaged'],
    ['a token of nobody', () => `${prefix()}.AAAAAAAAAAAA.${'A'.repeat(43)}`, 'made no such token'],
    [
      'a token of a service with another authority',
      () => `svc_join_${'B'.repeat(43)}.AAAAAAAAAAAA.${'A'.repeat(43)}`,
      'Somebody may be in between',
    ],
  ])('refuses %s and writes nothing', async (_what, token, reason) => {
    await expect(joining(token())).rejects.toThrow(reason);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a token that was used', async () => {
    const token = await service.invite('bench_c');
    await joining(token);
    await expect(joining(token)).rejects.toThrow('This token was used already');
  });

  it.each([
    ['http://lab-server:8443', 'must begin with https://'],
    ['lab-server', 'must begin with https://'],
    ['https://127.0.0.1:1', 'svc-agent doctor https://127.0.0.1:1'],
  ])('says what is wrong with the address %s', async (url, reason) => {
    const token = `${prefix()}.AAAAAAAAAAAA.${'A'.repeat(43)}`;
    await expect(joining(token, { url })).rejects.toThrow(reason);
  });

  it('goes through a proxy, which the agent then uses too', async () => {
    const proxy = await startProxy();
    closing.push(proxy.stop);
    await joining(await service.invite('bench_d'), { proxy: proxy.url });
    expect(proxy.targets).toContain(new URL(service.url).host);
    expect(JSON.parse(file('joined.json'))).toMatchObject({ env: { SVC_HTTPS_PROXY: proxy.url } });
  });
});

describe('the credentials of an agent', () => {
  it('are renewed at half of their time, and kept in the data folder', async () => {
    await joining(await service.invite('bench_e'));
    const credentials = new AgentCredentials(await service.ending(file('agent.creds'), 'bench_e', 2_000));
    const { timers, next } = steps();
    const { log, lines } = keepingLog();
    const end = credentials.keepFresh(service.url, way(), { dataDir: folder, version: '2.0.0', timers, log });
    expect(await next()).toBeLessThanOrEqual(1_000);
    await expect.poll(() => lines).toEqual(['info the credentials of this agent were renewed']);
    expect(credentials.text).toBe(file('agent.creds'));
    // Timers stand still while a computer sleeps, so the agent looks at the clock at least once an hour.
    expect(await next()).toBe(3_600_000);
    expect(await next()).toBe(3_600_000);
    expect(lines).toHaveLength(1);
    end();
  });

  it('that a revoked agent has are not renewed, and it asks again later and later', async () => {
    await joining(await service.invite('bench_f'));
    const credentials = new AgentCredentials(await service.ending(file('agent.creds'), 'bench_f', 2_000));
    await service.revoke('bench_f');
    const { timers, next } = steps();
    const { log, lines } = keepingLog();
    const end = credentials.keepFresh(service.url, way(), { dataDir: folder, version: '1', timers, log });
    await next();
    await expect.poll(() => lines.length).toBe(1);
    expect(lines).toEqual(['error the credentials of this agent could not be renewed']);
    expect(await next()).toBe(60_000);
    await expect.poll(() => lines.length).toBe(2);
    expect(await next()).toBe(120_000);
    end();
  });

  it('without an end stay as they are', async () => {
    const keys = readKeys(readFileSync(pathOf(service.stack.dataDir, 'secrets', 'broker-keys'), 'utf8'));
    const credentials = await issueCredentials(keys, 'agent', 'bench_g');
    const asked: number[] = [];
    const timers = { after: (ms: number) => (asked.push(ms), () => undefined) };
    const { log } = keepingLog();
    const kept = new AgentCredentials(credentials);
    kept.keepFresh(service.url, way(), { dataDir: folder, version: '1', timers, log })();
    expect(asked).toEqual([]);
  });
});

describe('the doctor', () => {
  it('finds nothing wrong before a computer joins, nor after', async () => {
    expect(await layersOf({ gateway: service.url })).toEqual(['DNS', 'TCP', 'not TLS']);
    expect(await layersOf({ gateway: service.url, authorities: service.authority })).toEqual([
      ...['DNS', 'TCP', 'TLS', 'service', 'clock'],
    ]);
    await joining(await service.invite('bench_h'));
    expect(await layersOf(member('bench_h'))).toEqual([
      ...['DNS', 'TCP', 'TLS', 'service', 'clock', 'credential', 'broker', 'release'],
    ]);
  });

  it('goes the way of the agent, through its proxy', async () => {
    const proxy = await startProxy('ann:secret');
    closing.push(proxy.stop);
    const url = new URL(proxy.url);
    const examined = { gateway: service.url, authorities: service.authority };
    const withLogin = `http://ann:secret@${url.host}`;
    expect(await layersOf({ ...examined, proxy: withLogin })).toEqual([
      ...['DNS', 'proxy', 'TLS', 'service', 'clock'],
    ]);
    expect(await faultOf({ ...examined, proxy: proxy.url })).toMatchObject({
      layer: 'proxy',
      text: expect.stringContaining('wants a user and a password') as string,
    });
    expect(await faultOf({ ...examined, proxy: 'http://127.0.0.1:1' })).toMatchObject({
      layer: 'proxy',
      text: 'the proxy 127.0.0.1:1 does not answer (ECONNREFUSED)',
    });
  });

  it('names a name that nobody knows, and a port where nothing listens', async () => {
    const nowhere = await faultOf({ gateway: 'https://nowhere.invalid:8443' });
    expect(nowhere).toMatchObject({ layer: 'DNS' });
    expect(nowhere.text).toContain('does not know the name nowhere.invalid');
    const closed = await faultOf({ gateway: 'https://127.0.0.1:1' });
    expect(closed).toMatchObject({ layer: 'TCP' });
    expect(closed.text).toContain('nothing listens at 127.0.0.1:1');
  });

  it('names a server that another authority has certified, and one without TLS', async () => {
    const { certificate } = await makeCertificateAuthority('another', Date.now());
    const foreign = await faultOf({ gateway: service.url, authorities: certificate });
    expect(foreign).toMatchObject({ layer: 'TLS' });
    expect(foreign.text).toContain('somebody may be in between');
    const unknown = await faultOf({ gateway: service.url });
    expect(unknown.text).toContain('until it has joined');
    const port = await plainServer();
    const plain = await faultOf({ gateway: `https://127.0.0.1:${port}` });
    expect(plain).toMatchObject({ layer: 'TLS' });
    expect(plain.text).toContain('does the address lead to the HTTPS port of the service?');
  });

  it('names something that is not the service', async () => {
    const port = await plainServer();
    const { layer, text } = await faultOf({ gateway: `http://127.0.0.1:${port}` });
    expect(layer).toBe('service');
    expect(text).toContain('is not the service: the gateway answers with status 418');
  });

  it.each([
    ['behind', -3_600_000],
    ['ahead of', 3_600_000],
  ])('names a clock that is an hour %s the service', async (where, offset) => {
    const { layer, text } = await faultOf({
      gateway: service.url,
      authorities: service.authority,
      now: () => Date.now() + offset,
    });
    expect(layer).toBe('clock');
    expect(text).toMatch(new RegExp(`the clock of this computer is 3(599|600|601) s ${where} the service`));
  });

  it('names credentials that have ended, and an agent that was revoked', async () => {
    await joining(await service.invite('bench_i'));
    const examined = member('bench_i');
    const ended = await service.ending(file('agent.creds'), 'bench_i', -5_000);
    const fault = await faultOf({ ...examined, membership: { ...examined.membership, credentials: ended } });
    expect(fault).toMatchObject({ layer: 'credential' });
    expect(fault.text).toContain('otherwise join again');
    await service.revoke('bench_i');
    expect(await faultOf(examined)).toEqual({
      layer: 'credential',
      ok: false,
      text: 'The agent of bench_i was revoked. Join again with a new token.',
    });
  });

  it('names a broker that does not answer, and one that refuses the agent', async () => {
    await joining(await service.invite('bench_j'));
    const { membership, ...rest } = member('bench_j');
    const silent = await faultOf({
      ...rest,
      membership: { ...membership, broker: { url: 'nats://127.0.0.1:1' } },
    });
    expect(silent).toMatchObject({ layer: 'broker' });
    expect(silent.text).toContain('no broker answers at nats://127.0.0.1:1');
    const broker = { ...membership.broker, pass: () => 'Agent x 1 y' };
    const refused = await faultOf({ ...rest, membership: { ...membership, broker } });
    expect(refused.text).toContain('the broker refuses this agent');
  });

  it('says which side to update when the release of the agent does not fit', async () => {
    await joining(await service.invite('bench_k'));
    const { membership, ...rest } = member('bench_k');
    const old = await faultOf({ ...rest, membership: { ...membership, protocol: { min: 0, max: 0 } } });
    expect(old).toMatchObject({ layer: 'release' });
    expect(old.text).toMatch(/computer bench_k \(release 1\.2\.3\) speaks version 0 .*; update this agent/);
    const next = await faultOf({ ...rest, membership: { ...membership, protocol: { min: 8, max: 9 } } });
    expect(next.text).toContain('update the service first');
  });
});

const prefix = (): string => `svc_join_${fingerprint}`;
let fingerprint = '';
beforeAll(async () => {
  fingerprint = /^svc_join_([^.]+)\./.exec(await service.invite('unused'))?.[1] ?? '';
});

const way = () => ({ authorities: service.authority });

/** What the doctor examines on the computer that joined into the folder. */
function member(computer: string): Examined & { membership: NonNullable<Examined['membership']> } {
  const credentials = file('agent.creds');
  const broker = {
    url: `${service.url.replace('https', 'wss')}/agents/broker`,
    authorities: service.authority,
    pass: () => makePass(credentials, 'broker', Date.now()),
  };
  return {
    gateway: service.url,
    authorities: service.authority,
    membership: { computer, credentials, broker, version: '1.2.3' },
  };
}

async function findings(examined: Examined): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of examine(examined)) found.push(finding);
  return found;
}

const layersOf = async (examined: Examined): Promise<string[]> =>
  (await findings(examined)).map(({ layer, ok }) => (ok ? layer : `not ${layer}`));

/** The last finding, after those that are good. */
async function faultOf(examined: Examined): Promise<Finding> {
  const found = await findings(examined);
  const last = found.pop();
  expect(found.map(({ ok }) => ok)).not.toContain(false);
  if (last?.ok !== false) throw new Error('the doctor found nothing wrong');
  return last;
}

/** An HTTP server that is not the service. @returns its port */
async function plainServer(): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(418).end());
  closing.push(async () => {
    server.close();
    await once(server, 'close');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Timers whose calls the test makes. `next` waits for the next one, makes it, and gives its milliseconds. */
function steps(): { timers: Timers; next: () => Promise<number> } {
  const waiting: { ms: number; call: () => void }[] = [];
  return {
    timers: {
      after(ms, call) {
        waiting.push({ ms, call });
        return () => undefined;
      },
    },
    async next() {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      const { ms, call } = waiting.shift() ?? { ms: NaN, call: () => undefined };
      // The credentials of these tests end within seconds, and the rest of the time is waited for.
      await new Promise((resolve) => setTimeout(resolve, ms < 5_000 ? ms : 0));
      call();
      return ms;
    },
  };
}

function keepingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const keep =
    (level: string) =>
    (message: string): void =>
      void lines.push(`${level} ${message}`);
  return {
    log: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') },
    lines,
  };
}
