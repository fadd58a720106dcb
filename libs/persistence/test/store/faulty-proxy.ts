import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** The fault of the next commit that passes. */
export type Fault = 'none' | 'lose-request' | 'lose-reply' | 'delay-request';

/** A connection to the database that breaks at a commit on request. */
export class FaultyProxy {
  readonly url: string;
  fault: Fault = 'none';
  /** While false, new connections are refused. */
  open = true;
  #server: Server;
  #sockets = new Set<Socket>();
  #delayed: { upstream: Socket; bytes: Buffer } | undefined;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    const url = new URL(target.href);
    url.port = String(address.port);
    this.url = url.href;
    server.on('connection', (client) => this.#carry(client, Number(target.port)));
  }

  static async start(target: string): Promise<FaultyProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, new URL(target));
  }

  /** Delivers the request that was delayed and resolves when the database has answered it. */
  async deliver(): Promise<Buffer> {
    const delayed = this.#delayed;
    if (delayed === undefined) throw new Error('nothing was delayed');
    const answer = once(delayed.upstream, 'data') as Promise<[Buffer]>;
    delayed.upstream.write(delayed.bytes);
    return (await answer)[0];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #carry(client: Socket, port: number): void {
    if (!this.open) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // A reset is the purpose of these tests. Closing the other side reports it.
      socket.on('error', () => socket.destroy());
    }
    let losing = false;
    let kept = false;
    client.on('data', (bytes) => {
      if (!bytes.includes('commit_changes') || this.fault === 'none') {
        upstream.write(bytes);
        return;
      }
      const { fault } = this;
      this.fault = 'none';
      if (fault === 'lose-reply') {
        losing = true;
        upstream.write(bytes);
      } else {
        if (fault === 'delay-request') {
          this.#delayed = { upstream, bytes };
          kept = true;
        } else {
          upstream.destroy();
        }
        client.destroy();
      }
    });
    upstream.on('data', (bytes) => {
      if (!losing) {
        client.write(bytes);
        return;
      }
      client.destroy();
      upstream.destroy();
    });
    client.on('close', () => {
      if (!kept) upstream.end();
    });
    upstream.on('close', () => client.end());
  }
}
