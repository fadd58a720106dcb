import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export type Direction = 'up' | 'down';

/**
 * A connection between two processes that can be made slow, silent in one or both directions, or be cut. As in TCP, a
 * connection never loses or reorders bytes: a silence ends in their late arrival or in a reset.
 */
export class Link {
  readonly #server: Server;
  readonly #target: number;
  readonly #connections = new Set<Lane[]>();
  readonly #silent = new Set<Direction>();
  #delayMs = 0;
  #closed = false;

  /** @param target port on 127.0.0.1 */
  static async open(target: number): Promise<Link> {
    const link = new Link(target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#carry(client));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Delays every piece of data from now on. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Stops the data in the directions. `up` leads to the target. */
  silence(...directions: Direction[]): void {
    for (const direction of directions) this.#silent.add(direction);
    this.#apply();
  }

  /** Removes delay and silence. Held data arrives, unless the connections are reset. */
  heal({ reset = false } = {}): void {
    this.#delayMs = 0;
    this.#silent.clear();
    if (reset) this.cut();
    this.#apply();
  }

  /** Ends all connections with a reset. */
  cut(): void {
    for (const lanes of this.#connections) for (const lane of lanes) lane.cut();
  }

  close(): void {
    this.#closed = true;
    this.cut();
    this.#server.close();
  }

  #apply(): void {
    for (const lanes of this.#connections)
      for (const lane of lanes) lane.silence(this.#silent.has(lane.direction));
  }

  #carry(client: Socket): void {
    if (this.#closed) {
      client.destroy();
      return;
    }
    const upstream = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
    const delayMs = (): number => this.#delayMs;
    const lanes = [new Lane('up', client, upstream, delayMs), new Lane('down', upstream, client, delayMs)];
    this.#connections.add(lanes);
    for (const socket of [client, upstream])
      socket.on('close', () => {
        if (client.destroyed && upstream.destroyed) this.#connections.delete(lanes);
      });
    this.#apply();
  }
}

/** One direction of one connection. Everything leaves in the order in which it came, and never before it is due. */
class Lane {
  readonly #waiting: { at: number; deliver: () => void }[] = [];
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #silent = false;

  constructor(
    readonly direction: Direction,
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly delayMs: () => number,
  ) {
    from.setNoDelay(true);
    from.on('data', (bytes) => this.#take(() => this.#pass(bytes)));
    from.on('end', () => this.#take(() => to.end()));
    // The event `close` follows and says the same. During a silence neither side learns that the other has gone.
    from.on('error', () => undefined);
    from.on('close', (failed) => this.#take(() => void (failed ? to.resetAndDestroy() : to.end())));
  }

  silence(silent: boolean): void {
    this.#silent = silent;
    this.#flow();
    this.#deliver();
  }

  cut(): void {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    this.from.resetAndDestroy();
    this.to.resetAndDestroy();
  }

  #take(deliver: () => void): void {
    // Never before earlier data, whose delay may have been longer.
    this.#dueAt = Math.max(this.#dueAt, performance.now() + this.delayMs());
    this.#waiting.push({ at: this.#dueAt, deliver });
    this.#deliver();
  }

  #deliver(): void {
    clearTimeout(this.#timer);
    for (let [next] = this.#waiting; !this.#silent && next !== undefined; [next] = this.#waiting) {
      const ms = next.at - performance.now();
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#deliver(), Math.ceil(ms));
        return;
      }
      this.#waiting.shift();
      if (!this.to.destroyed) next.deliver();
    }
  }

  #pass(bytes: Buffer): void {
    if (!this.to.writable || this.to.write(bytes)) return;
    this.#flow();
    this.to.once('drain', () => this.#flow());
  }

  /** Reads only what can be passed on, so that the sender notices a slow or silent connection. */
  #flow(): void {
    if (this.#silent || this.to.writableNeedDrain) this.from.pause();
    else this.from.resume();
  }
}
