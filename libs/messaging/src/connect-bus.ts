import { randomBytes } from 'node:crypto';
import { encodeToken, ServiceError } from '@lab/contracts';
import { connect, errors, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Bus, BusLog } from './bus.js';
import { MessageBus } from './message-bus.js';
import { NatsWire } from './nats-wire.js';
import { systemBusTimers, type BusTimers } from './timers.js';

export interface BusIdentity {
  /** What the process is, for example `gateway`. */
  role: string;
  /** Which one of its kind, unique among those that are connected. */
  name: string;
  log?: BusLog;
  /** Id of the request over HTTP that is being answered where this is asked; it goes along with what is sent. */
  requestId?: () => string | undefined;
  /** Default: real time. */
  timers?: BusTimers;
  /** How long the end of a subscription waits for running handlers, in milliseconds. Default 5 000. */
  drainMs?: number;
}

export interface ConnectOptions extends BusIdentity {
  /** `nats://host:port`, with `user:password@` or `token@` before the host where the broker asks for it. */
  url: string;
  /** How long to go on trying to reach a broker that does not answer yet, in milliseconds. Default 10 000. */
  connectTimeoutMs?: number;
}

export const defaultDrainMs = 5_000;

export const silentLog: BusLog = { debug: () => undefined, warn: () => undefined, error: () => undefined };

const retryMs = 100;
const attemptTimeoutMs = 2_000;

/**
 * Connects to a NATS server. Once connected it stays so by itself: a lost connection is noticed within about 5 s even
 * when nothing closes it, and made again for ever.
 *
 * @throws ServiceError `bad_request`: the address is not one; `unauthorized`: the broker refuses the credentials;
 *   `service_unavailable`: it did not answer within `connectTimeoutMs`
 */
export async function connectBus(options: ConnectOptions): Promise<Bus> {
  const { role, name, log = silentLog, requestId } = options;
  const { timers = systemBusTimers, drainMs = defaultDrainMs } = options;
  const address = parseAddress(options.url);
  const prefix = `_INBOX.${encodeToken(role)}.${encodeToken(name)}`;
  const connection = await firstConnection(
    {
      ...address,
      name: `${role}/${name}`,
      inboxPrefix: prefix,
      pingInterval: 2_000,
      maxPingOut: 2,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      ignoreAuthErrorAbort: true,
      noAsyncTraces: true,
      timeout: attemptTimeoutMs,
    },
    options.connectTimeoutMs ?? 10_000,
    timers,
  );
  const wire = new NatsWire(connection, `${prefix}.${randomBytes(8).toString('hex')}`, log);
  return new MessageBus({ wire, src: `${role}/${name}`, requestId, timers, log, drainMs });
}

async function firstConnection(
  options: NodeConnectionOptions,
  withinMs: number,
  timers: BusTimers,
): Promise<NatsConnection> {
  const giveUpAt = timers.now() + withinMs;
  for (;;) {
    try {
      return await connect(options);
    } catch (cause) {
      const at = String(options.servers);
      if (cause instanceof errors.AuthorizationError) {
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

/** The client takes credentials as options only; messages then never show them. */
function parseAddress(url: string): NodeConnectionOptions {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'nats:' || parsed.hostname === '') {
    throw new ServiceError('bad_request', 'the address of the broker must look like nats://host:4222');
  }
  const servers = `${parsed.hostname}:${parsed.port === '' ? '4222' : parsed.port}`;
  const user = decodeURIComponent(parsed.username);
  if (user === '') return { servers };
  if (parsed.password === '') return { servers, token: user };
  return { servers, user, pass: decodeURIComponent(parsed.password) };
}
