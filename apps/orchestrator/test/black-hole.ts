import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy to a server that can be cut silently: connections stay open, but no bytes pass. */
export class BlackHole {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #open = true;

  private constructor({ hostname, port }: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(port), hostname);
      this.#join(near, far);
      this.#join(far, near);
    });
  }

  /** The address of the server through this proxy. */
  url = '';

  /** @param to `postgresql://` address of the server */
  static async before(to: string): Promise<BlackHole> {
    const target = new URL(to);
    const hole = new BlackHole(target);
    hole.#server.listen(0, '127.0.0.1');
    await once(hole.#server, 'listening');
    target.port = String((hole.#server.address() as AddressInfo).port);
    hole.url = target.href;
    return hole;
  }

  /** Discards all bytes from now on. */
  cut(): void {
    this.#open = false;
  }

  /** Lets new connections work and ends those that lost bytes. */
  mend(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    this.#open = true;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.mend();
    await closed;
  }

  #join(from: Socket, into: Socket): void {
    this.#sockets.add(from);
    from.on('error', () => into.destroy());
    from.on('close', () => into.destroy());
    from.on('data', (bytes) => {
      if (this.#open) into.write(bytes);
    });
  }
}
