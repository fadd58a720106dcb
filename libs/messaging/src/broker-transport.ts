import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { NodeTransport } from '@nats-io/transport-node/lib/node_transport.js';
import {
  errors,
  NatsConnectionImpl,
  setTransportFactory,
  type ConnectionOptions,
  type NatsConnection,
  type ServerInfo,
} from '@nats-io/nats-core/internal';
import type { BrokerAddress } from './broker-address.js';

/** How a connection gets to the broker. */
export interface BrokerWay {
  readonly addresses: readonly [BrokerAddress, ...BrokerAddress[]];
  /** PEM certificates. Only servers with a certificate of one of these authorities are accepted. Default: those of Node. */
  readonly authorities?: (() => string | undefined) | undefined;
  /** Proves to a gateway who asks for a connection: the text of an `authorization` header. Asked for each connection. */
  readonly pass?: (() => string) | undefined;
  /** Address of an HTTP proxy for `wss` connections. Undefined: there is none. */
  readonly proxy?: string | undefined;
  /** Told when a gateway refuses the pass. */
  readonly onRefused?: ((reason: string) => void) | undefined;
}

type Options = ConnectionOptions & { way: BrokerWay };

/** Milliseconds for a gateway to accept a connection. */
const upgradeMs = 5_000;
/** Most characters of the reason that a gateway gives. */
const longestReason = 300;

/**
 * Connects to a broker in one of three ways: plain, with TLS, or through a gateway. With `tls://`, TLS begins before any
 * credential is sent, whatever the server says: an attacker in the middle can change its first line, which is not encrypted.
 *
 * @param options `timeout`: milliseconds for each attempt to connect
 * @throws errors of NATS
 */
export async function connectBy(
  way: BrokerWay,
  options: ConnectionOptions & { timeout: number },
): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new BrokerTransport() });
  const servers = way.addresses.map(({ host, port }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
  );
  const full: Options = {
    ...options,
    way,
    servers,
    // Servers that a broker names cannot be reached by somebody who needs a gateway.
    ignoreClusterUpdates: way.addresses.some(({ scheme }) => scheme === 'wss'),
  };
  const connection = await NatsConnectionImpl.connect(full);
  // The client forgets a server that did not answer before its first connection. It may be up when it is needed.
  const known = connection.getServers().map(({ listen }) => listen);
  if (servers.some((each) => !known.includes(each)))
    connection.setServers([...new Set([...servers, ...known])]);
  return connection;
}

interface Host {
  hostname: string;
  port: number;
  tlsName: string;
}

class BrokerTransport extends NodeTransport {
  #way: BrokerWay | undefined;
  #address: BrokerAddress | undefined;
  #host = '';

  override async connect(host: Host, options: ConnectionOptions): Promise<void> {
    const { way } = options as Options;
    this.#way = way;
    this.#host = host.tlsName || host.hostname;
    // A server that the broker has named is treated like the first address.
    this.#address =
      way.addresses.find((each) => each.host === this.#host && each.port === host.port) ?? way.addresses[0];
    // NATS leaves a connection open that is not made in time. A server that never answers would get one more with each attempt.
    const deadline = setTimeout(() => this.socket?.destroy(), options.timeout);
    try {
      await super.connect(host, options);
    } finally {
      clearTimeout(deadline);
    }
  }

  override dial(host: Host): Promise<Socket> {
    return this.#address?.scheme === 'wss' ? this.#throughGateway(this.#address.url) : super.dial(host);
  }

  override async peekInfo(): Promise<ServerInfo> {
    const info = await super.peekInfo();
    // The server may have said otherwise, or somebody in its name.
    return this.#address?.scheme === 'tls' ? { ...info, tls_required: true } : info;
  }

  override startTLS(): Promise<TLSSocket> {
    const { promise, resolve, reject } = promiseParts<TLSSocket>();
    const secure = connectTls({
      socket: this.socket,
      host: this.#host,
      // A server name must not be an IP address (RFC 6066, section 3). The certificate is compared with `host` then.
      ...(/^[\d.]+$|:/.test(this.#host) ? {} : { servername: this.#host }),
      ...this.#trusted(),
    });
    outliveListeners(secure);
    secure.once('secureConnect', () => {
      secure.removeAllListeners();
      resolve(secure);
    });
    secure.once('error', (error) => reject(new errors.ConnectionError(error.message, { cause: error })));
    secure.once('close', () =>
      reject(new errors.ConnectionError('the server closed the connection during TLS')),
    );
    return promise;
  }

  #trusted(): { ca?: string } {
    const ca = this.#way?.authorities?.();
    return ca === undefined ? {} : { ca };
  }

  async #throughGateway(url: string): Promise<Socket> {
    const [{ WebSocket, createWebSocketStream }, agent] = await Promise.all([
      import('ws'),
      proxyAgent(this.#way?.proxy),
    ]);
    const pass = this.#way?.pass?.();
    const socket = new WebSocket(url, {
      ...(pass === undefined ? {} : { headers: { authorization: pass } }),
      ...this.#trusted(),
      ...(agent === undefined ? {} : { agent }),
      handshakeTimeout: upgradeMs,
      perMessageDeflate: false,
    });
    const { promise, resolve, reject } = promiseParts<Duplex>();
    socket.once('unexpected-response', (request, response) => {
      const { statusCode } = response;
      void shortTextOf(response).then((said) => {
        request.destroy();
        const refusal = `the gateway at ${url} answers ${statusCode}: ${said}`;
        if (statusCode !== 401 && statusCode !== 403) return reject(new errors.ConnectionError(refusal));
        this.#way?.onRefused?.(said);
        reject(new errors.AuthorizationError(refusal));
      });
    });
    socket.once('error', (error) => reject(new errors.ConnectionError(error.message, { cause: error })));
    const stream = createWebSocketStream(socket);
    socket.once('open', () => resolve(stream));
    // An error of the socket destroys the stream, which has no other listener yet.
    stream.on('error', () => undefined);
    // A stream over a WebSocket that broke off does not close by itself.
    socket.once('close', () => stream.destroy());
    // NATS uses nothing of a socket that a stream does not have.
    return (await promise) as Socket;
  }
}

/**
 * NATS removes all listeners of a connection that has closed. TLS over another stream, as through a gateway, reports the writes
 * that it cancelled only after that, and an error without a listener would end this process.
 */
function outliveListeners(socket: TLSSocket): void {
  const remove = socket.removeAllListeners.bind(socket);
  socket.removeAllListeners = (...events) => remove(...events).on('error', () => undefined);
}

/** The beginning of a body as one line. */
async function shortTextOf(response: Readable): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response) if (text.length < longestReason) text += String(chunk);
  } catch {
    // What has arrived says enough.
  }
  return text.slice(0, longestReason).trim().replace(/\s+/g, ' ');
}

async function proxyAgent(proxy: string | undefined) {
  if (proxy === undefined) return undefined;
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  return new HttpsProxyAgent(proxy);
}

function promiseParts<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((...parts) => ([resolve, reject] = parts));
  return { promise, resolve, reject };
}
