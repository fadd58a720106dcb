import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '@lab/contracts';
import type { Log } from '@lab/ports';
import { createWebSocketStream, WebSocketServer, type WebSocket } from 'ws';
import { asServiceError } from '../http/index.js';
import { agentsPath } from './paths.js';
import type { Enrolments } from './enrolments.js';

/** Most connections that one gateway passes on at once. */
const mostRelayed = 1_024;
/** Milliseconds for one node of the broker to accept a connection. */
const brokerMs = 2_000;
/** Largest message of a WebSocket, in bytes. A client of NATS sends what it has buffered as one. */
const largestMessage = 64 * 1024 ** 2;

/** Where the broker listens, for a gateway. */
export interface BrokerPlace {
  host: string;
  port: number;
}

/**
 * Passes connections of agents on to the broker, so that one port of the server is enough for everything. The bytes are those
 * of NATS, unchanged: the broker decides what an agent may do. The gateway lets nobody through who does not show valid
 * credentials of an agent.
 */
export class BrokerRelay {
  readonly #sockets = new Set<WebSocket>();
  #dialled = 0;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: largestMessage,
    clientTracking: false,
  });

  /**
   * @param brokers the nodes of the broker, of which any will do
   * @param checkHost takes the header `Host` of each request, and throws for a foreign name of the server
   */
  constructor(
    private readonly enrolments: Pick<Enrolments, 'admit'>,
    private readonly brokers: readonly BrokerPlace[],
    private readonly checkHost: (header: string | undefined) => void,
    private readonly log: Log,
  ) {}

  /** Number of connections at present. */
  get size(): number {
    return this.#sockets.size;
  }

  /** Answers the requests for connections that the server gets. */
  serve(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      // A client that is gone before the answer is no failure of the gateway.
      socket.on('error', () => socket.destroy());
      void this.#open(request, socket, head).catch((error: unknown) => {
        const { code, status, message } = asServiceError(error);
        if (status >= 500) this.log.warn('an agent could not be connected to the broker', { code, message });
        refuse(socket, status, message);
      });
    });
  }

  /** Ends all connections. Agents connect again, to another gateway if they know one. */
  close(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  async #open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.checkHost(request.headers.host);
    if (new URL(request.url ?? '/', 'http://gateway').pathname !== `${agentsPath}/broker`)
      return refuse(socket, 404, 'Only /agents/broker has connections of this kind.');
    if (this.#sockets.size >= mostRelayed)
      return refuse(socket, 503, `This gateway has ${mostRelayed} connections of agents, the maximum.`);
    const { computer } = await this.enrolments.admit(request.headers.authorization);
    const broker = await this.#dial();
    this.#server.handleUpgrade(request, socket, head, (upgraded) => this.#join(upgraded, broker, computer));
    // An upgrade that the client broke off leaves the connection to the broker alone.
    socket.once('close', () => broker.destroy());
  }

  /** Connects to the first node that accepts, beginning with another one each time. */
  async #dial(): Promise<Socket> {
    let cause: unknown;
    const first = (this.#dialled += 1);
    for (let tried = 0; tried < this.brokers.length; tried += 1) {
      const place = this.brokers[(first + tried) % this.brokers.length];
      if (place === undefined) break;
      try {
        return await dial(place);
      } catch (error) {
        cause = error;
      }
    }
    throw new ServiceError('service_unavailable', 'The gateway cannot reach the broker.', { cause });
  }

  #join(agent: WebSocket, broker: Socket, computer: string): void {
    this.#sockets.add(agent);
    this.log.info('an agent is connected to the broker through this gateway', { computer });
    const stream = createWebSocketStream(agent);
    const end = (): void => {
      stream.destroy();
      broker.destroy();
      // A closing handshake would wait for a computer that may be gone.
      agent.terminate();
      this.#sockets.delete(agent);
    };
    for (const side of [stream, broker]) side.on('error', end).on('close', end);
    agent.once('close', end);
    stream.pipe(broker);
    broker.pipe(stream);
  }
}

/** @throws the error of the connection */
function dial(place: BrokerPlace): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...place, noDelay: true });
    socket.setTimeout(brokerMs, () => socket.destroy(new Error('the broker does not answer')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** @param text one line, without characters of HTTP */
function refuse(socket: Duplex, status: number, text: string): void {
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
