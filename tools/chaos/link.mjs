import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A wire between two processes that can be made slow, silent in one or both directions, or be cut. Bytes are never lost
 * or reordered within a connection, as TCP promises; a silence ends in their late arrival or in a reset.
 */
export class Link {
  #server;
  #pairs = new Set();
  #target;
  #delayMs = 0;
  #silent = new Set();
  #closed = false;

  /** @param target port on 127.0.0.1 */
  static async open(target) {
    const link = new Link(target);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  constructor(target) {
    this.#target = target;
    this.#server = createServer((client) => this.#carry(client));
  }

  get port() {
    return this.#server.address().port;
  }

  /** The other end has moved. */
  retarget(port) {
    this.#target = port;
  }

  /** Every piece is this late, in milliseconds. */
  delay(ms) {
    this.#delayMs = ms;
  }

  /** @param directions `up` (to the target), `down`, or both: nothing passes there */
  silence(...directions) {
    for (const direction of directions) this.#silent.add(direction);
    for (const pair of this.#pairs) pair.apply(this.#silent);
  }

  /** As it was: what was held back arrives, unless the connection is cut. */
  heal({ reset = false } = {}) {
    this.#delayMs = 0;
    this.#silent.clear();
    if (reset) this.cut();
    else for (const pair of this.#pairs) pair.apply(this.#silent);
  }

  /** Ends all connections with a reset. */
  cut() {
    for (const pair of this.#pairs) pair.end();
  }

  async close() {
    this.#closed = true;
    this.cut();
    this.#server.close();
  }

  #carry(client) {
    if (this.#closed) {
      client.destroy();
      return;
    }
    const upstream = connect(this.#target, '127.0.0.1');
    const sides = [
      { from: client, to: upstream, direction: 'up' },
      { from: upstream, to: client, direction: 'down' },
    ];
    const pair = {
      apply: (silent) => {
        for (const { from, direction } of sides)
          if (silent.has(direction)) from.pause();
          else from.resume();
      },
      end: () => {
        for (const socket of [client, upstream]) socket.resetAndDestroy();
      },
    };
    this.#pairs.add(pair);
    for (const { from, to, direction } of sides) {
      from.setNoDelay(true);
      from.on('data', (bytes) => {
        if (this.#delayMs === 0) to.write(bytes);
        else setTimeout(() => to.writable && to.write(bytes), this.#delayMs);
      });
      // Held back while silent: neither side learns that the other one is gone.
      from.on('end', () => this.#whenHeard(direction, () => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
    pair.apply(this.#silent);
  }

  #whenHeard(direction, act) {
    if (!this.#silent.has(direction)) act();
    else setTimeout(() => this.#whenHeard(direction, act), 100).unref();
  }
}
