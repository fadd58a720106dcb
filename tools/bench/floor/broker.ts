import type { NodeConnectionOptions } from '@nats-io/transport-node';

/** The options of a connection to a broker. The client does not read user and password from an address. */
export function brokerAt(url: string): NodeConnectionOptions {
  const { host, username, password } = new URL(url);
  return { servers: host, ...(username === '' ? {} : { user: username, pass: password }) };
}
