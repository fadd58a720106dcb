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
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#carry(client));
  }

  get port() {
    return this.#server.address().port;
  }

  /** From here on every piece is this late, in milliseconds. */
  delay(ms) {
    this.#delayMs = ms;
  }

  /** @param directions `up` (to the target), `down`, or both: nothing passes there */
  silence(...directions) {
    for (const direction of directions) this.#silent.add(direction);
    this.#apply();
  }

  /** As it was: what was held back arrives, unless the connection is cut. */
  heal({ reset = false } = {}) {
    this.#delayMs = 0;
    this.#silent.clear();
    if (reset) this.cut();
    this.#apply();
  }

  /** Ends all connections with a reset. */
  cut() {
    for (const lanes of this.#pairs) for (const lane of lanes) lane.cut();
  }

  async close() {
    this.#closed = true;
    this.cut();
    this.#server.close();
  }

  #apply() {
    for (const lanes of this.#pairs) for (const lane of lanes) lane.silence(this.#silent.has(lane.direction));
  }

  #carry(client) {
    if (this.#closed) {
      client.destroy();
      return;
    }
    const upstream = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
    const lateness = () => this.#delayMs;
    const lanes = [new Lane('up', client, upstream, lateness), new Lane('down', upstream, client, lateness)];
    this.#pairs.add(lanes);
    for (const socket of [client, upstream])
      socket.on('close', () => {
        if (client.destroyed && upstream.destroyed) this.#pairs.delete(lanes);
      });
    this.#apply();
  }
}

/** One direction of one connection: what comes in at one end leaves at the other, in order, never before it is due. */
class Lane {
  direction;
  #from;
  #to;
  #lateness;
  #waiting = [];
  #dueAt = 0;
  #timer;
  #silent = false;

  constructor(direction, from, to, lateness) {
    this.direction = direction;
    this.#from = from;
    this.#to = to;
    this.#lateness = lateness;
    from.setNoDelay(true);
    from.on('data', (bytes) => this.#take(() => this.#pass(bytes)));
    from.on('end', () => this.#take(() => to.end()));
    // The close that follows says the same; while silent neither side learns that the other one is gone.
    from.on('error', () => undefined);
    from.on('close', (failed) => this.#take(() => (failed ? to.resetAndDestroy() : to.end())));
  }

  silence(silent) {
    this.#silent = silent;
    this.#flow();
    this.#deliver();
  }

  cut() {
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#from.resetAndDestroy();
    this.#to.resetAndDestroy();
  }

  #take(deliver) {
    // Never before what came earlier, which may have been given more time.
    this.#dueAt = Math.max(this.#dueAt, performance.now() + this.#lateness());
    this.#waiting.push({ at: this.#dueAt, deliver });
    this.#deliver();
  }

  #deliver() {
    clearTimeout(this.#timer);
    while (!this.#silent && this.#waiting.length > 0) {
      const ms = this.#waiting[0].at - performance.now();
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#deliver(), Math.ceil(ms));
        return;
      }
      const { deliver } = this.#waiting.shift();
      if (!this.#to.destroyed) deliver();
    }
  }

  #pass(bytes) {
    if (!this.#to.writable || this.#to.write(bytes)) return;
    this.#flow();
    this.#to.once('drain', () => this.#flow());
  }

  /** Takes in only what can be passed on: the sender feels a slow or silent wire as it feels a real one. */
  #flow() {
    if (this.#silent || this.#to.writableNeedDrain) this.#from.pause();
    else this.#from.resume();
  }
}
