import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  agentProtocol,
  demandCommonProtocol,
  isServiceError,
  protocolText,
  spokenProtocol,
  type ProtocolRange,
} from '@lab/contracts';
import { connectBus, type BrokerAccess } from '@lab/messaging';
import { partsOf } from '@lab/trust/nkeys';
import { makePass, passToleranceMs } from '@lab/trust/pass';
import { GatewayDoor, isOfAnotherAuthority } from './gateway-door.js';

/** What lies between an agent and the service, from the outside in. */
export type Layer =
  'DNS' | 'proxy' | 'TCP' | 'TLS' | 'service' | 'clock' | 'credential' | 'broker' | 'release';

export interface Finding {
  layer: Layer;
  ok: boolean;
  /** One sentence: what was found, and for a fault what to do. */
  text: string;
}

export interface Examined {
  /** Address of the gateway. */
  gateway: string;
  /** HTTP proxy to the gateway. */
  proxy?: string | undefined;
  /** PEM certificate of the authority of the service; undefined: the computer has not joined, or the system's are used. */
  authorities?: string | undefined;
  /** Only of a computer that joined. */
  membership?: Membership;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** How long a server may take for its first answer, in milliseconds. */
  patienceMs?: number;
}

interface Membership {
  computer: string;
  credentials: string;
  broker: BrokerAccess;
  /** Release of the agent. */
  version: string;
  /** What it speaks. Default: what this release speaks. */
  protocol?: ProtocolRange;
}

const usualPatienceMs = 5_000;

/** A layer that does not work, with the sentence about it. */
class Fault extends Error {}

/**
 * Examines the way from this computer to the service, layer by layer. It stops at the first layer that does not work, because
 * the layers above it cannot work either.
 */
export async function* examine(examined: Examined): AsyncGenerator<Finding> {
  for (const [layer, look] of layersOf(examined)) {
    try {
      yield { layer, ok: true, text: await look() };
    } catch (error) {
      yield { layer, ok: false, text: error instanceof Fault ? error.message : reasonOf(error) };
      return;
    }
  }
}

function layersOf(examined: Examined): [Layer, () => Promise<string>][] {
  const url = new URL(examined.gateway);
  const proxy = examined.proxy === undefined ? undefined : new URL(examined.proxy);
  const { patienceMs = usualPatienceMs } = examined;
  const target = placeOf(url);
  const layers: [Layer, () => Promise<string>][] = [
    ['DNS', () => resolves((proxy ?? url).hostname)],
    ...(proxy === undefined
      ? [['TCP', () => reaches(target, patienceMs)] satisfies [Layer, () => Promise<string>]]
      : [['proxy', () => passes(proxy, target, patienceMs)] satisfies [Layer, () => Promise<string>]]),
  ];
  if (url.protocol === 'https:') layers.push(['TLS', () => encrypts(examined, target, proxy)]);
  layers.push(['service', () => answers(examined)], ['clock', () => agrees(examined)]);
  const { membership } = examined;
  if (membership === undefined) return layers;
  layers.push(
    ['credential', () => isAdmitted(examined, membership)],
    ['broker', () => connects(membership)],
    ['release', () => fits(examined, membership)],
  );
  return layers;
}

interface Place {
  host: string;
  port: number;
}

function placeOf(url: URL): Place {
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
  };
}

async function resolves(name: string): Promise<string> {
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return `${name} is an address`;
  try {
    const found = await lookup(name, { all: true });
    return `${name} is ${found.map(({ address }) => address).join(', ')}`;
  } catch (error) {
    throw new Fault(
      `this computer does not know the name ${name} (${codeOf(error)}); ask IT for a DNS entry, or use the address of the server`,
    );
  }
}

async function reaches(place: Place, patienceMs: number): Promise<string> {
  const socket = await dial(place, patienceMs).catch((error: unknown) => {
    const code = codeOf(error);
    throw new Fault(
      code === 'ECONNREFUSED'
        ? `nothing listens at ${textOf(place)}; is the service running, with SVC_HTTP_HOST set to an address of the network?`
        : `${textOf(place)} does not answer (${code}); a firewall must let this computer connect to that port`,
    );
  });
  socket.destroy();
  return `${textOf(place)} accepts connections`;
}

async function passes(proxy: URL, target: Place, patienceMs: number): Promise<string> {
  const socket = await tunnel(proxy, target, patienceMs);
  socket.destroy();
  return `${proxy.host} lets this computer reach ${textOf(target)}`;
}

/** A connection to the target through an HTTP proxy (RFC 9110, section 9.3.6). */
async function tunnel(proxy: URL, target: Place, patienceMs: number): Promise<Socket> {
  const { username, password } = proxy;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  );
  const request = httpRequest({
    ...placeOf(proxy),
    ...{ method: 'CONNECT', path: textOf(target), timeout: patienceMs },
    headers: {
      host: textOf(target),
      ...(username === '' ? {} : { 'proxy-authorization': `Basic ${login}` }),
    },
  });
  request.once('timeout', () => request.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
  request.end();
  try {
    const [response, socket] = (await once(request, 'connect')) as [{ statusCode?: number }, Socket];
    if (response.statusCode === 200) return socket;
    socket.destroy();
    const hint =
      response.statusCode === 407
        ? 'it wants a user and a password: http://user:password@proxy:3128'
        : 'ask IT to allow it';
    throw new Fault(
      `the proxy ${proxy.host} refuses a connection to ${textOf(target)} with status ${response.statusCode}; ${hint}`,
    );
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(`the proxy ${proxy.host} does not answer (${codeOf(error)})`);
  }
}

async function encrypts(
  { authorities, patienceMs = usualPatienceMs }: Examined,
  target: Place,
  proxy: URL | undefined,
): Promise<string> {
  const below =
    proxy === undefined ? await dial(target, patienceMs) : await tunnel(proxy, target, patienceMs);
  const socket = connectTls({
    ...{ socket: below, host: target.host, ...(isIP(target.host) === 0 ? { servername: target.host } : {}) },
    ...(authorities === undefined ? {} : { ca: authorities }),
  });
  socket.setTimeout(patienceMs, () =>
    socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
  );
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol() ?? 'TLS'}, certificate valid until ${new Date(socket.getPeerCertificate().valid_to).toISOString()}`;
  } catch (error) {
    throw new Fault(certificateFault(codeOf(error), target, authorities !== undefined));
  } finally {
    socket.destroy();
  }
}

function certificateFault(code: string, { host }: Place, joined: boolean): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `the certificate of the server is not for ${host}; add ${host} to https.names on the server, or use a name that it has`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `the certificate of the server is not valid at the time of this computer (${code}); compare the clocks, then renew it on the server`;
  if (isOfAnotherAuthority({ code }))
    return joined
      ? `another authority than that of the service has certified ${host}; somebody may be in between. If the service has replaced its authority, an agent that runs takes the new one by itself within a minute; if it was set up anew, join again`
      : `this computer does not trust the authority of the service, which is so until it has joined`;
  return `no encrypted connection to ${host} (${code}); does the address lead to the HTTPS port of the service?`;
}

async function answers(examined: Examined): Promise<string> {
  // Before it has joined, a computer knows no authority, and asks nothing secret.
  const unverified = examined.authorities === undefined && examined.membership === undefined;
  const { authorities, proxy } = examined;
  try {
    await new GatewayDoor(examined.gateway, { authorities, proxy, unverified }).get('/health/live');
    return `the gateway answers at ${examined.gateway}`;
  } catch (error) {
    throw new Fault(`what answers at ${examined.gateway} is not the service: ${reasonOf(error)}`);
  }
}

async function agrees(examined: Examined): Promise<string> {
  const unverified = examined.authorities === undefined && examined.membership === undefined;
  const { authorities, proxy, now = Date.now } = examined;
  const before = now();
  const theirs = await new GatewayDoor(examined.gateway, { authorities, proxy, unverified }).time();
  // The header has whole seconds.
  const aheadMs = (before + now()) / 2 - (theirs + 500);
  const text = `${Math.abs(aheadMs / 1_000).toFixed(0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the service`;
  if (Math.abs(aheadMs) <= passToleranceMs / 2) return text;
  throw new Fault(`the clock of this computer is ${text}; switch on time synchronisation (NTP)`);
}

async function isAdmitted(examined: Examined, { credentials, computer }: Membership): Promise<string> {
  const { now = Date.now } = examined;
  const [, payload = ''] = partsOf(credentials).statement.split('.');
  const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: number };
  const until = exp === undefined ? 'without end' : `until ${new Date(exp * 1_000).toISOString()}`;
  if (exp !== undefined && exp * 1_000 < now())
    throw new Fault(
      `the credentials of ${computer} ended at ${new Date(exp * 1_000).toISOString()}; a running agent renews them, otherwise join again`,
    );
  await check(examined, credentials);
  return `${computer} is admitted ${until}`;
}

/** What the gateway answers to an agent that it admits. */
async function check(
  { gateway, authorities, proxy, now = Date.now }: Examined,
  credentials: string,
): Promise<{ protocol?: ProtocolRange }> {
  const pass = makePass(credentials, 'check', now());
  const { answer } = await new GatewayDoor(gateway, { authorities, proxy }).post('/agents/check', { pass });
  return answer as { protocol?: ProtocolRange };
}

/** The gateway and the orchestrator are of one release. */
async function fits(examined: Examined, { credentials, ...agent }: Membership): Promise<string> {
  const service = spokenProtocol((await check(examined, credentials)).protocol);
  const { computer, version, protocol = agentProtocol } = agent;
  demandCommonProtocol({ computer, version, protocol }, service);
  return `this agent speaks version ${protocolText(protocol)} of the protocol, and the service version ${protocolText(service)}`;
}

async function connects({ computer, credentials, broker }: Membership): Promise<string> {
  try {
    const bus = await connectBus({
      ...broker,
      credentials,
      role: 'agent',
      name: computer,
      connectTimeoutMs: 1,
    });
    try {
      await bus.flush();
    } finally {
      await bus.close();
    }
    return 'the broker accepts this agent';
  } catch (error) {
    throw new Fault(
      isServiceError(error) && error.code === 'unauthorized'
        ? `the broker refuses this agent: ${error.message}`
        : reasonOf(error),
    );
  }
}

function dial(place: Place, patienceMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(place);
    socket.setTimeout(patienceMs, () =>
      socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

const textOf = ({ host, port }: Place): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code ?? reasonOf(error);
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
