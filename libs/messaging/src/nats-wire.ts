import { errors, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { BusLog, BusStatus } from './bus.js';
import type { ReconnectPace } from './reconnect-pace.js';
import type { Refusal, Wire, WireMessage, WireSubscription } from './wire.js';

/** Status in the NATS header when no process is subscribed to the subject of the request. */
const noRespondersCode = 503;

/** A message that waits for the end of the present iteration of the event loop. */
interface Outgoing {
  subject: string;
  data: Uint8Array;
  reply: string | undefined;
}

/**
 * A connection to a NATS server. The client reconnects without a time limit and buffers no messages meanwhile.
 *
 * A write to the socket costs more than all other work on a message. So the first message in an iteration of the event loop
 * leaves at once, and those that follow in the same iteration leave together at its end.
 */
export class NatsWire implements Wire {
  /** Undefined: no message was sent in this iteration of the event loop. */
  #outgoing: Outgoing[] | undefined;
  #connected = true;
  /** Whether the client has a connection. `#connected` is false until the subscriptions are in force too. */
  #reached = true;
  #maxPayload = 0;
  /** Number of times that the connection was lost. */
  #losses = 0;
  #onStatus: (status: BusStatus) => void = () => undefined;
  #onRefusal: (refusal: Refusal) => void = () => undefined;

  constructor(
    private readonly connection: NatsConnection,
    readonly inbox: string,
    private readonly pace: ReconnectPace,
    private readonly log: BusLog,
  ) {
    this.#maxPayload = connection.info?.max_payload ?? 0;
    void this.#follow();
    void connection.closed().then((error) => {
      if (error !== undefined) log.error('connection to the broker closed', { error });
      this.#set('closed');
    });
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** While disconnected the client does not know the limit of the server, so the last limit applies. */
  get maxPayload(): number {
    this.#maxPayload = this.connection.info?.max_payload ?? this.#maxPayload;
    return this.#maxPayload;
  }

  publish(subject: string, data: Uint8Array, reply?: string): void {
    if (this.#outgoing !== undefined) {
      this.#outgoing.push({ subject, data, reply });
      return;
    }
    this.#outgoing = [];
    setImmediate(() => {
      this.#sendOutgoing();
      this.#outgoing = undefined;
    });
    this.#send({ subject, data, reply });
  }

  subscribe(subject: string, onMessage: (message: WireMessage) => void, queue?: string): WireSubscription {
    const subscription = this.connection.subscribe(subject, {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        if (error instanceof errors.PermissionViolationError) {
          this.#onRefusal({ tried: 'subscribe', subject });
          return;
        }
        if (error !== null) {
          this.log.error('subscription ended by the broker', { subject, error });
          return;
        }
        try {
          onMessage(wireMessage(message));
        } catch (cause) {
          // An error thrown into the client would end its reader and the connection.
          this.log.error('message handler failed', { subject, error: cause });
        }
      },
    });
    return { drain: () => this.#drain(subscription) };
  }

  listen(onStatus: (status: BusStatus) => void, onRefusal: (refusal: Refusal) => void): void {
    this.#onStatus = onStatus;
    this.#onRefusal = onRefusal;
  }

  flush(): Promise<void> {
    this.#sendOutgoing();
    return this.connection.flush();
  }

  async close(): Promise<void> {
    this.#sendOutgoing();
    if (!this.connection.isClosed()) await this.connection.close();
  }

  /** What waits while the connection is lost is dropped, as the client drops what it has not written. */
  #sendOutgoing(): void {
    const waiting = this.#outgoing?.splice(0) ?? [];
    // The client refuses messages as soon as it closes, some time before it reports that it is closed.
    if (!this.#connected || this.connection.isClosed()) return;
    for (const each of waiting) this.#send(each);
  }

  #send({ subject, data, reply }: Outgoing): void {
    this.connection.publish(subject, data, reply === undefined ? undefined : { reply });
  }

  async #drain(subscription: Subscription): Promise<void> {
    if (subscription.isClosed() || this.connection.isClosed()) return;
    if (this.#connected) await subscription.drain();
    else subscription.unsubscribe();
  }

  async #follow(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'staleConnection') {
        this.log.warn('the broker does not answer');
        this.#set('disconnected');
      } else if (status.type === 'disconnect') {
        // The client may say this more than once for one loss.
        if (this.#reached) this.log.warn('connection to the broker lost', { broker: status.server });
        this.#reached = false;
        this.#set('disconnected');
      } else if (status.type === 'reconnect') {
        if (!this.#reached) this.log.info('connected to the broker again', { broker: status.server });
        this.#reached = true;
        this.pace.connected();
        void this.#restored();
      } else if (status.type === 'error') this.#troubled(status.error);
    }
  }

  #troubled(error: Error): void {
    if (error instanceof errors.AuthorizationError) this.pace.refused(error.message);
    else if (error instanceof errors.UserAuthenticationExpiredError)
      this.log.debug('the broker ended the connection, because the credentials have expired');
    else if (!(error instanceof errors.PermissionViolationError))
      this.log.error('the broker reports an error', { error });
    // The callback of the subscription has reported the other kind.
    else if (error.operation === 'publish') this.#onRefusal({ tried: 'publish', subject: error.subject });
  }

  /** Reports `connected` only when the subscriptions are in force again, so that other processes reach this side. */
  async #restored(): Promise<void> {
    const losses = this.#losses;
    try {
      await this.connection.flush();
    } catch (error) {
      this.log.debug('connection to the broker lost again', { error });
      return;
    }
    if (losses === this.#losses) this.#set('connected');
  }

  #set(status: BusStatus): void {
    if (status !== 'connected') this.#losses += 1;
    const connected = status === 'connected';
    if (status !== 'closed' && connected === this.#connected) return;
    this.#connected = connected;
    this.#onStatus(status);
  }
}

function wireMessage(message: Msg): WireMessage {
  const { subject, data } = message;
  return {
    subject,
    data,
    reply: message.reply ?? '',
    noResponders: data.length === 0 && message.headers?.code === noRespondersCode,
  };
}
