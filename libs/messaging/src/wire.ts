import type { BusStatus } from './bus.js';

/** A message as the broker carries it. */
export interface WireMessage {
  readonly subject: string;
  /** Subject for the answer; empty when the sender expects none. */
  readonly reply: string;
  readonly data: Uint8Array;
  /** True for the broker's own answer to a request that no process serves. */
  readonly noResponders: boolean;
}

/** The permissions of this process do not allow what it tried. */
export interface Refusal {
  readonly tried: 'publish' | 'subscribe';
  readonly subject: string;
}

export interface WireSubscription {
  /** Resolves when the messages on their way have been delivered and no more will be. Never rejects. */
  drain(): Promise<void>;
}

/** One connection to a broker: subjects and bytes. The NATS client and the in-memory broker both implement it. */
export interface Wire {
  readonly connected: boolean;
  /** The largest message that the broker allows, in bytes. */
  readonly maxPayload: number;
  /** A subject prefix of this connection alone, for replies. */
  readonly inbox: string;
  /** Sends at once. Call it only while connected and with at most `maxPayload` bytes. */
  publish(subject: string, data: Uint8Array, reply?: string): void;
  /**
   * Delivers messages until drained, also after a reconnect. Of the subscriptions of a queue, one gets each message.
   */
  subscribe(subject: string, onMessage: (message: WireMessage) => void, queue?: string): WireSubscription;
  /** Sets the one listener to changes of the connection, and to what the broker refuses. */
  listen(onStatus: (status: BusStatus) => void, onRefusal: (refusal: Refusal) => void): void;
  /** Makes a round trip to the broker. Rejects when the connection is lost. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
