import type { BusStatus } from './bus.js';

/** A message as the broker carries it. */
export interface WireMessage {
  readonly subject: string;
  /** Where to answer; empty for what expects no answer. */
  readonly reply: string;
  readonly data: Uint8Array;
  /** The broker's own answer to a request that nobody serves. */
  readonly noResponders: boolean;
}

export interface WireSubscription {
  /** Resolves when nothing is delivered any more; what was on its way has been delivered. Never rejects. */
  drain(): Promise<void>;
}

/** One connection to a broker: subjects and bytes, no more. What the NATS client and its in-memory twin have in common. */
export interface Wire {
  readonly connected: boolean;
  /** The largest message the broker takes, in bytes. */
  readonly maxPayload: number;
  /** A subject prefix of this connection alone, for replies. */
  readonly inbox: string;
  /** Sends now. Only to be called while connected, and with at most `maxPayload` bytes. */
  publish(subject: string, data: Uint8Array, reply?: string): void;
  /**
   * Delivers until drained, also after a reconnect.
   *
   * @param queue of the subscriptions under the same name, one gets each message
   */
  subscribe(subject: string, onMessage: (message: WireMessage) => void, queue?: string): WireSubscription;
  /** The one listener to changes of the connection. */
  listen(onStatus: (status: BusStatus) => void): void;
  /** A round trip to the broker; rejects when the connection is lost. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
