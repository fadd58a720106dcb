import { ServiceError } from '@lab/contracts';

/** One address of a broker, without user and password. */
export interface BrokerAddress {
  /** `wss`: the gateway passes the connection on to the broker. */
  readonly scheme: 'nats' | 'tls' | 'wss';
  /** Name or address of the host. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** The whole address, for messages and for the upgrade of a `wss` connection. */
  readonly url: string;
}

export interface BrokerAddresses {
  readonly all: readonly [BrokerAddress, ...BrokerAddress[]];
  /** User, or the token when there is no password. */
  readonly user?: string;
  readonly password?: string;
}

const defaultPorts = { nats: 4222, tls: 4222, wss: 443 } as const;

/**
 * Reads one address of a broker, or several with commas between them.
 *
 * @throws ServiceError `bad_request` when one of them is no address of a broker. The text is not repeated, because it may
 *   contain a password
 */
export function brokerAddresses(text: string): BrokerAddresses {
  const urls = text.split(',').map((each) => (URL.canParse(each.trim()) ? new URL(each.trim()) : undefined));
  const [first, ...others] = urls.map(addressOf);
  const login = urls.find((url) => url?.username);
  if (first === undefined) throw malformed();
  return {
    all: [first, ...others],
    ...(login === undefined ? {} : { user: decodeURIComponent(login.username) }),
    ...(login?.password ? { password: decodeURIComponent(login.password) } : {}),
  };
}

function addressOf(url: URL | undefined): BrokerAddress {
  const scheme = url?.protocol.slice(0, -1);
  if (url === undefined || url.hostname === '' || !isScheme(scheme)) throw malformed();
  const port = url.port === '' ? defaultPorts[scheme] : Number(url.port);
  const path = scheme === 'wss' ? url.pathname : '';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { scheme, host, port, url: `${scheme}://${url.hostname}:${port}${path}` };
}

const isScheme = (text: string | undefined): text is BrokerAddress['scheme'] =>
  text !== undefined && Object.hasOwn(defaultPorts, text);

function malformed(): ServiceError {
  return new ServiceError(
    'bad_request',
    'the address of the broker must have the form nats://host:4222, tls://host:4222 or wss://host/agents/broker',
  );
}

/**
 * Makes sure that no credential and no message crosses a network readable.
 *
 * @throws ServiceError `bad_request`: an address is not encrypted and leads to another computer
 */
export function demandEncryption({ all }: BrokerAddresses): void {
  const plain = all.find(({ scheme, host }) => scheme === 'nats' && !isThisComputer(host));
  if (plain === undefined) return;
  throw new ServiceError(
    'bad_request',
    `the connection to the broker at ${plain.url} would not be encrypted; use tls:// or wss://, or set SVC_NATS_PLAIN=allowed if nobody else can reach this network`,
  );
}

const isThisComputer = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Host and port of each address of a broker. */
export function brokerPlaces(text: string): { host: string; port: number }[] {
  return brokerAddresses(text).all.map(({ host, port }) => ({ host, port }));
}
