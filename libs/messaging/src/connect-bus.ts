import { randomBytes } from 'node:crypto';
import { decodeToken, encodeToken, isServiceError, ServiceError } from '@lab/contracts';
import { loginOf } from '@lab/trust/nkeys';
import { errors, type ConnectionOptions, type NatsConnection } from '@nats-io/nats-core';
import { brokerAddresses, demandEncryption } from './broker-address.js';
import { connectBy, type BrokerWay } from './broker-transport.js';
import type { Bus, BusLog, SignAct } from './bus.js';
import { MessageBus } from './message-bus.js';
import { NatsWire } from './nats-wire.js';
import { serverInTurn } from './next-server.js';
import { ReconnectPace } from './reconnect-pace.js';
import { systemBusTimers, type BusTimers } from './timers.js';

export interface BusIdentity {
  /** Role of the process, for example `gateway`. */
  role: string;
  /** Name of the process: of the computer for an agent. */
  name: string;
  log?: BusLog;
  /** Returns the id of the HTTP request that is being answered. Messages carry it. */
  requestId?: () => string | undefined;
  /** Signs the acts of people that this process sends. */
  signAct?: SignAct | undefined;
  /** Default: real time. */
  timers?: BusTimers;
  /** Milliseconds for which the end of a subscription waits for running handlers. Default 5 000. */
  drainMs?: number;
}

/** A broker, and how to get to it. */
export interface BrokerAccess {
  /**
   * `nats://host:port`, `tls://host:port` or `wss://host/path`, several with commas between them. With `user:password@` or
   * `token@` before the host if the broker requires that.
   */
  url: string;
  /**
   * PEM certificates of the authorities that may certify the broker or gateway. Default: those that Node knows. A function gives
   * those of this moment for each connection.
   */
  authorities?: string | (() => string | undefined) | undefined;
  /** Whether `nats://` may lead to another computer. Everybody on the way can read and change everything then. */
  plain?: boolean;
  /** See {@link BrokerWay.pass}. */
  pass?: (() => string) | undefined;
  /** See {@link BrokerWay.proxy}. */
  proxy?: string | undefined;
}

export interface ConnectOptions extends BusIdentity, BrokerAccess {
  /**
   * Text of a credentials file, read again for each connection. The broker gives the process the permissions of the role and
   * name in it. Undefined: the address has the credentials, or the broker requires none.
   */
  credentials?: string | (() => string) | undefined;
  /** Milliseconds for which to retry while the broker does not answer. Default 10 000. */
  connectTimeoutMs?: number;
}

/** How a client of the broker keeps its connection, in milliseconds. The fault simulator uses the same times. */
export const connectionTimings = {
  /** A connection is lost when two pings in a row have no answer. */
  pingMs: 2_000,
  missedPings: 2,
  /**
   * The same between servers of a service with several brokers. They are near each other, and another broker is there to go to. An
   * agent may be far away, where packets get lost and come again after a second.
   */
  clusterPingMs: 500,
  /** Pause before a client connects again, and how much longer it may be by chance. */
  reconnectMs: 250,
  reconnectJitterMs: 250,
} as const;

export const defaultDrainMs = 5_000;

const ignore = (): void => undefined;
export const silentLog: BusLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const defaultConnectMs = 10_000;
const retryMs = 100;
const attemptTimeoutMs = 2_000;

/**
 * Connects to a NATS server. The bus notices a lost connection within 6 s, even when no side closes it, and reconnects without a
 * time limit. A process that is no agent and knows several brokers notices it within 1.5 s.
 *
 * @throws ServiceError `bad_request`: the address is invalid, or the credentials are of another process; `unauthorized`: the broker refuses the credentials;
 *   `service_unavailable`: the broker did not answer within `connectTimeoutMs`
 */
export async function connectBus(options: ConnectOptions): Promise<Bus> {
  const { role, name, log = silentLog, requestId, signAct } = options;
  const { timers = systemBusTimers, drainMs = defaultDrainMs } = options;
  const given = options.credentials;
  const credentials = typeof given === 'string' ? () => given : given;
  const { way: direct, login } = wayTo(options);
  const pace = new ReconnectPace(connectionTimings.reconnectMs, connectionTimings.reconnectJitterMs, log);
  const identity = credentials === undefined ? undefined : identityIn(credentials());
  const named = identity ?? encodeToken(name);
  if (role === 'agent' && named !== encodeToken(name)) {
    const owner = decodeToken(named);
    throw new ServiceError(
      'bad_request',
      `the credentials for the broker are those of ${owner}, not of ${name}`,
    );
  }
  const prefix = `_INBOX.${role}.${named}`;
  const way = { ...direct, onRefused: (reason: string) => pace.refused(reason) };
  const connection = await firstConnection(
    way,
    {
      ...login,
      ...(credentials === undefined
        ? {}
        : { authenticator: (nonce?: string) => loginOf(credentials(), nonce) }),
      name: `${role}/${name}`,
      inboxPrefix: prefix,
      pingInterval:
        role !== 'agent' && way.addresses.length > 1
          ? connectionTimings.clusterPingMs
          : connectionTimings.pingMs,
      maxPingOut: connectionTimings.missedPings,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: () => pace.next(),
      reconnectToServer: serverInTurn(),
      ignoreAuthErrorAbort: true,
      noAsyncTraces: true,
    },
    options.connectTimeoutMs ?? defaultConnectMs,
    timers,
  );
  const wire = new NatsWire(connection, `${prefix}.${randomBytes(8).toString('hex')}`, pace, log);
  return new MessageBus({ wire, src: `${role}/${name}`, requestId, signAct, timers, log, drainMs });
}

/** A busy broker that did not read the credentials in time says so with the error of wrong ones. */
const isRefusal = (cause: unknown): boolean =>
  cause instanceof errors.AuthorizationError && !/authentication timeout/i.test(cause.message);

/** @throws ServiceError as {@link connectBus} */
export async function firstConnection(
  way: BrokerWay,
  options: ConnectionOptions,
  withinMs: number,
  timers: BusTimers,
): Promise<NatsConnection> {
  const giveUpAt = timers.now() + withinMs;
  for (;;) {
    try {
      return await connectBy(way, { ...options, timeout: attemptTimeoutMs });
    } catch (cause) {
      const at = way.addresses.map(({ url }) => url).join(', ');
      if (isRefusal(cause)) {
        throw new ServiceError('unauthorized', `the broker at ${at} refuses the credentials`, { cause });
      }
      if (timers.now() >= giveUpAt) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new ServiceError('service_unavailable', `no broker answers at ${at}: ${why}`, { cause });
      }
      await new Promise<void>((resolve) => timers.after(retryMs, resolve));
    }
  }
}

/**
 * Makes sure that the broker refuses a client without credentials. Otherwise anybody who reaches it can move devices. Each node of a
 * cluster is asked that answers now; at least one must.
 *
 * @throws ServiceError `forbidden`: a node accepts everybody; `service_unavailable`: none answered
 */
export async function demandClosedBroker(access: BrokerAccess): Promise<void> {
  const { way } = wayTo(access);
  const asked = await Promise.all(
    way.addresses.map(async (address) => ({
      url: address.url,
      refuses: await refusesStrangers({ ...way, addresses: [address] }, 0).catch(() => undefined),
    })),
  );
  const open = asked.find(({ refuses }) => refuses === false);
  if (open !== undefined) throw acceptsEverybody(open.url);
  if (asked.some(({ refuses }) => refuses === true)) return;
  if (!(await refusesStrangers(way, defaultConnectMs))) throw acceptsEverybody(way.addresses[0].url);
}

/** Whether a client without credentials is refused. @throws ServiceError `service_unavailable` */
async function refusesStrangers(way: BrokerWay, withinMs: number): Promise<boolean> {
  const options = { name: 'nobody', reconnect: false };
  try {
    const connection = await firstConnection(way, options, withinMs, systemBusTimers);
    await connection.close();
    return false;
  } catch (error) {
    if (isServiceError(error) && error.code === 'unauthorized') return true;
    throw error;
  }
}

function acceptsEverybody(url: string): ServiceError {
  return new ServiceError(
    'forbidden',
    `the broker at ${url} accepts everybody; give it the configuration that "svc broker config" prints`,
  );
}

/** Passes user and password to the client as options only, so that no message shows them. */
export function wayTo({ url, authorities, pass, proxy, plain = false }: BrokerAccess): {
  way: BrokerWay;
  login: ConnectionOptions;
} {
  const addresses = brokerAddresses(url);
  if (!plain) demandEncryption(addresses);
  const { all, user, password } = addresses;
  const login = user === undefined ? {} : password === undefined ? { token: user } : { user, pass: password };
  const way = {
    ...{ addresses: all, pass, proxy },
    authorities: typeof authorities === 'function' ? authorities : () => authorities,
  };
  return { way, login };
}

/**
 * The name of the process that the credentials are for.
 *
 * @throws ServiceError `bad_request` when the text holds no credentials
 */
export function ownerOf(credentials: string): string {
  return decodeToken(identityIn(credentials));
}

/**
 * The name of a process in its credentials, as a token of a subject.
 *
 * @throws ServiceError `bad_request` when the text holds no credentials
 */
function identityIn(credentials: string): string {
  const [, statement = ''] = /-----BEGIN NATS USER JWT-----\s+(\S+)\s/.exec(credentials) ?? [];
  try {
    const claims: unknown = JSON.parse(Buffer.from(statement.split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims === 'object' && claims !== null && 'name' in claims && typeof claims.name === 'string')
      return claims.name;
  } catch {
    // Reported below without the text, which is secret.
  }
  throw new ServiceError('bad_request', 'the credentials for the broker are damaged');
}
