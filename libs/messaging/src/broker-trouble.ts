import { connect } from 'node:net';
import { brokerAddresses } from './broker-address.js';
import type { Bus } from './bus.js';

const silence = 'accepts connections and does not answer: it is stopped, frozen or overloaded';

/**
 * Says in words why the broker cannot be used at present.
 *
 * @param url address of the broker; its credentials are not shown
 * @param withinMs longest time for an answer of the broker, in milliseconds
 * @returns undefined: it can be used
 */
export async function brokerTrouble(
  bus: Pick<Bus, 'connected' | 'flush'>,
  url: string,
  withinMs: number,
): Promise<string | undefined> {
  const [{ host, port }] = brokerAddresses(url).all;
  const at = `${host}:${port}`;
  if (bus.connected) {
    const answers = await settles(
      bus.flush().then(() => true),
      withinMs,
    );
    if (answers === true) return undefined;
    if (bus.connected) return `nats-server at ${at} ${silence}`;
  }
  const found = await settles(greeting(host, port, withinMs), withinMs + 100);
  if (found === 'greets') return `not connected to nats-server at ${at} yet, although it answers`;
  if (found === 'silent') return `nats-server at ${at} ${silence}`;
  return `nats-server at ${at} cannot be reached`;
}

/** The value; undefined after an error, or when there is none in time. */
async function settles<Value>(value: Promise<Value>, withinMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), withinMs);
  });
  try {
    return await Promise.race([value.catch((_error: unknown) => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Connects and waits for the first bytes, which a NATS server sends unasked. */
function greeting(
  host: string,
  port: number,
  withinMs: number,
): Promise<'greets' | 'silent' | 'unreachable'> {
  return new Promise((resolve) => {
    let connected = false;
    const socket = connect({ host, port });
    const end = (found: 'greets' | 'silent' | 'unreachable'): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(withinMs, () => end(connected ? 'silent' : 'unreachable'));
    socket.once('connect', () => (connected = true));
    socket.once('data', () => end('greets'));
    socket.once('close', () => end(connected ? 'silent' : 'unreachable'));
    socket.once('error', () => end(connected ? 'silent' : 'unreachable'));
  });
}
