import { setTimeout as pause } from 'node:timers/promises';
import { NotBegun, type AuthorLog } from '@lab/sdk';
import { ExchangeError, messageOf } from '../errors/index.js';
import type { Message, OpenPort, Port, Purpose } from './port.js';

/** Milliseconds before the first attempt to connect again, and at most between two. */
const backoff = { first: 500, most: 30_000 };
/** Milliseconds that connecting, identification and preparation may take together. */
const connectMs = 20_000;

export interface KeeperOptions {
  /** The peer for messages: `opc.tcp://reactor.lab:4840`. */
  peer: string;
  open: OpenPort;
  /**
   * Checks that the peer is the right one, and prepares the connection, before calls are accepted.
   *
   * @throws Error when the peer is another one
   */
  verify: (port: Port, signal: AbortSignal) => Promise<void>;
  heard: (event: Message) => void;
  log: AuthorLog;
}

/**
 * Keeps one connection to an instrument. When it is lost, the keeper connects again with growing pauses and verifies the peer
 * before it accepts requests. It never repeats a request.
 */
export class PortKeeper {
  #port: Port | null = null;
  #since = new Date();
  #trouble = 'it was never connected';
  #failures = 0;
  readonly #end = new AbortController();
  #again: Promise<void> | null = null;

  constructor(private readonly options: KeeperOptions) {}

  /** Connects for the first time. @throws Error that says why it is not possible, and what to do */
  async start(): Promise<void> {
    await this.#connect();
  }

  /**
   * Sends a request once.
   *
   * @throws NotBegun while there is no connection
   */
  async exchange(request: Message, purpose: Purpose): Promise<Message> {
    if (this.#port === null) {
      throw new NotBegun(
        `${this.options.peer} is not connected since ${this.#since.toISOString()}: ${this.#trouble}; ` +
          'nothing was sent, and the device connects again by itself',
      );
    }
    return this.#port.exchange(request, purpose);
  }

  get isConnected(): boolean {
    return this.#port !== null;
  }

  /** The state for people. */
  report(): { connected: boolean; since: string; trouble?: string; attempts?: number } {
    const since = this.#since.toISOString();
    if (this.#port !== null) return { connected: true, since };
    return { connected: false, since, trouble: this.#trouble, attempts: this.#failures };
  }

  /** Ends the connection, and connects no more. */
  async end(): Promise<void> {
    this.#end.abort(new ExchangeError('the device is being shut down'));
    const port = this.#port;
    this.#port = null;
    await port?.close();
    await this.#again;
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController();
    const signal = AbortSignal.any([
      this.#end.signal,
      attempt.signal,
      // Of this attempt alone: an established connection does not end by it.
      AbortSignal.timeout(connectMs),
    ]);
    let port: Port | null = null;
    const lost = (reason: Error): void => {
      if (port !== null && this.#port === port) this.#lost(reason);
      else attempt.abort(reason);
    };
    try {
      port = await this.options.open({ heard: this.options.heard, lost }, signal);
      await this.options.verify(port, signal);
      signal.throwIfAborted();
    } catch (error) {
      await port?.close().catch((failure: unknown) => {
        this.options.log.debug(`closing ${this.options.peer}: ${messageOf(failure)}`);
      });
      // What the port said about its end tells more than the request that failed by it.
      if (port !== null && attempt.signal.aborted) throw attempt.signal.reason;
      throw error;
    }
    this.#port = port;
    this.#since = new Date();
    this.#failures = 0;
  }

  #lost(reason: Error): void {
    const port = this.#port;
    this.#port = null;
    this.#since = new Date();
    this.#trouble = messageOf(reason);
    this.options.log.warn(`${this.options.peer} is lost: ${this.#trouble}`);
    this.#again = this.#reconnect(port);
  }

  async #reconnect(lost: Port | null): Promise<void> {
    const { peer, log } = this.options;
    await lost?.close().catch((error: unknown) => log.debug(`closing ${peer}: ${messageOf(error)}`));
    for (;;) {
      const wait = Math.min(backoff.most, backoff.first * 2 ** this.#failures) * (0.8 + 0.4 * Math.random());
      const ended = await pause(wait, false, { signal: this.#end.signal }).catch(() => true);
      if (ended) return;
      try {
        await this.#connect();
        log.info(`${peer} is connected again`);
        return;
      } catch (error) {
        if (this.#end.signal.aborted) return;
        this.#failures += 1;
        this.#trouble = messageOf(error);
        log.warn(`${peer}: attempt ${this.#failures} to connect again failed: ${this.#trouble}`);
      }
    }
  }
}
