import type { AnyEvent, AnyRequest, BodyOf, Envelope, ReplyOf, RequestOf, Tokens } from '@lab/contracts';
import type { Log } from '@lab/ports';

/** The names in the subject of a definition, each with its value. */
export type TokensFor<D extends { readonly subject: string }> = Tokens<D['subject']>;

export interface RequestOptions {
  /** How long to wait, in milliseconds. Default: what the definition says. */
  timeoutMs?: number;
  /** Ends the wait. It does not stop work that has begun. */
  signal?: AbortSignal;
  epoch?: number;
  inc?: number;
  /** Fence per device, `<lab>.<device>` to number. */
  fence?: Record<string, number>;
  /** Number of the newest heartbeat that the sender has heard from the agent. */
  fresh?: number | undefined;
  /** W3C trace context. */
  trace?: string;
  /** Id of the HTTP request that the message belongs to. Default: the answer of `requestId` of the bus. */
  request?: string | undefined;
  /** Id of the message. Default: a random UUID. */
  id?: string;
}

/** What a handler knows about a message besides its body. */
export interface MessageContext<D extends { readonly subject: string }> {
  readonly tokens: TokensFor<D>;
  readonly envelope: Envelope;
  /**
   * True once the time of the caller is over, by the clock of this process since the arrival of the message. Work that
   * has not begun by then must not begin. Always false for events.
   */
  expired(): boolean;
}

export type RequestHandler<D extends AnyRequest> = (
  body: RequestOf<D>,
  context: MessageContext<D>,
) => Promise<ReplyOf<D>> | ReplyOf<D>;

export type EventHandler<D extends AnyEvent> = (
  body: BodyOf<D>,
  context: MessageContext<D>,
) => Promise<void> | void;

/** Signs the act of a person. @returns the statement with its signature */
export type SignAct = (act: { kind: string; id: string; body: unknown }) => string;

export interface ServeOptions {
  /** Most handlers that may run at once. Further requests wait in the order of arrival. Default: no limit. */
  maxInFlight?: number;
  /** Of all servers of a subject with the same queue name, one gets each request. Default: every server gets it. */
  queue?: string;
  /** Called before each request. False: this process never answers it, because another process must. */
  when?: () => boolean;
  /** Called before the handler of each request. A ServiceError that it throws is the answer. */
  admit?: (definition: AnyRequest, envelope: Envelope) => void;
}

export interface Subscription {
  /**
   * Resolves when no message arrives any more and all that arrived were handled. It does not wait for handlers that run
   * longer than `drainMs` of the bus. May be called again.
   */
  unsubscribe(): Promise<void>;
}

/** `closed` is final; the others follow each other. */
export type BusStatus = 'connected' | 'disconnected' | 'closed';

/** The typed way to send and serve the messages of the catalogue. */
export interface Bus {
  /**
   * Sends a request and waits for its one reply. Delivery is at most once: the bus never repeats a request, and keeps
   * none while disconnected. The server checks the body; the caller checks the reply.
   *
   * @throws ServiceError the error of the handler; or with effect none: `bad_request` (body or tokens do not fit the
   *   definition), `payload_too_large`, `service_unavailable` (nobody serves the subject), `disconnected` (nothing was
   *   sent), `forbidden` (the broker refuses it from this process), `aborted` (before it was sent); with effect maybe: `disconnected` (lost before the reply),
   *   `deadline_exceeded`, `aborted`; or `internal`: the reply does not fit the definition
   */
  request<D extends AnyRequest>(
    definition: D,
    tokens: TokensFor<D>,
    body: RequestOf<D>,
    options?: RequestOptions,
  ): Promise<ReplyOf<D>>;

  /**
   * Answers a request. Every subscriber of a subject gets every request, unless the subscribers name a queue. An
   * absent token stands for any value. A {@link ServiceError} of the handler travels as it is; any other error is
   * logged and becomes `internal` (effect maybe). The bus itself answers `bad_request` to a malformed request, and
   * `deadline_exceeded` (effect none) to one whose caller no longer waits.
   *
   * @returns once the broker delivers; while disconnected at once
   * @throws ServiceError `forbidden` when the broker does not let this process hear the subject
   */
  serve<D extends AnyRequest>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: RequestHandler<D>,
    options?: ServeOptions,
  ): Promise<Subscription>;

  /**
   * Publishes an event to all present subscribers, which check it. While disconnected the bus drops it.
   *
   * @throws ServiceError `bad_request` (a missing token, or a body that is no JSON), `payload_too_large`
   */
  publish<D extends AnyEvent>(definition: D, tokens: TokensFor<D>, body: BodyOf<D>): void;

  /**
   * Listens to an event, in the order of arrival. An absent token stands for any value. The bus logs malformed events
   * and errors of the handler, and does not wait for its promise.
   */
  subscribe<D extends AnyEvent>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: EventHandler<D>,
  ): Promise<Subscription>;

  readonly connected: boolean;
  /** Number of messages and subscriptions that the broker has refused. */
  readonly refusals: number;
  /** Reports every change from now on, after it has failed the pending requests. The returned function ends this. */
  onStatus(listener: (status: BusStatus) => void): () => void;
  /** Resolves when the broker has received all messages. @throws ServiceError `disconnected`, also meanwhile */
  flush(): Promise<void>;
  /**
   * Takes no more requests, waits for running handlers (at most `drainMs`), fails pending requests with `disconnected`
   * (effect maybe), and closes the connection. May be called again.
   */
  close(): Promise<void>;
}

/** Where the bus reports what it cannot report as an error. */
export type BusLog = Pick<Log, 'debug' | 'info' | 'warn' | 'error'> & {
  /** Whether lines of the level are written. Default: they are. */
  enabled?(level: 'debug'): boolean;
};
