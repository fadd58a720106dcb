import type { AnyEvent, AnyRequest, BodyOf, Envelope, ReplyOf, RequestOf, Tokens } from '@lab/contracts';

/** The names in the subject of a definition, each with its value. */
export type TokensFor<D extends { readonly subject: string }> = Tokens<D['subject']>;

export interface RequestOptions {
  /** How long to wait, in milliseconds. Default: what the definition says. */
  timeoutMs?: number;
  /** Gives up waiting; work that was begun is not stopped by it. */
  signal?: AbortSignal;
  epoch?: number;
  inc?: number;
  /** Fence per device, `<lab>.<device>` to number. */
  fence?: Record<string, number>;
  /** Number of the newest heartbeat that was heard of the agent. */
  fresh?: number | undefined;
  /** W3C trace context. */
  trace?: string;
  /** Id of the request over HTTP that this is done for. Default: what `requestId` of the bus says. */
  request?: string | undefined;
  /** Id of the message. Default: a random UUID. */
  id?: string;
}

/** What a handler knows of a message beside its body. */
export interface MessageContext<D extends { readonly subject: string }> {
  readonly tokens: TokensFor<D>;
  readonly envelope: Envelope;
  /**
   * True once the caller has given up by this process's own clock, counted from the arrival of the message: what did
   * not begin by then must not begin. Always false for events.
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

export interface ServeOptions {
  /** How many handlers may run at once; further requests wait in the order of arrival. Default: no limit. */
  maxInFlight?: number;
  /** Of all who serve a subject under the same name, one gets each request. Default: everybody gets every one. */
  queue?: string;
  /**
   * Asked before each request is handled. False: it is passed over and never answered, as if nobody served it here, for
   * it is somebody else's to answer.
   */
  when?: () => boolean;
}

export interface Subscription {
  /**
   * Nothing arrives any more, and what had arrived was handled, when this resolves. Handlers that run longer than the
   * bus's `drainMs` are not waited for. May be called again.
   */
  unsubscribe(): Promise<void>;
}

/** `closed` is final; the others follow each other. */
export type BusStatus = 'connected' | 'disconnected' | 'closed';

/** The typed way to send and serve the messages of the catalogue. */
export interface Bus {
  /**
   * Sends a request and waits for its one reply. Delivery is at most once: nothing is ever sent again, or kept while
   * disconnected and sent later.
   *
   * @throws ServiceError what the handler answered, rebuilt; or
   *   `bad_request` (effect none): the body does not fit the definition, with faults;
   *   `payload_too_large` (effect none): more than the broker takes;
   *   `service_unavailable` (effect none): nobody serves the subject;
   *   `disconnected` (effect none): there was no connection, nothing was sent;
   *   `disconnected` (effect maybe): the connection was lost before the reply;
   *   `deadline_exceeded` (effect maybe): no reply in time;
   *   `aborted` (effect none before, maybe after it was sent): the signal fired;
   *   `internal`: the reply does not fit the definition
   */
  request<D extends AnyRequest>(
    definition: D,
    tokens: TokensFor<D>,
    body: RequestOf<D>,
    options?: RequestOptions,
  ): Promise<ReplyOf<D>>;

  /**
   * Answers a request; every subscriber of a subject gets every request, unless they name a queue. A token that is
   * left out stands for any value. A {@link ServiceError} of the handler travels to the caller as it is; anything else
   * it throws becomes `internal` (effect maybe) and is logged here. A request that does not fit the definition is
   * answered `bad_request` and never reaches the handler; one whose caller no longer waits when its turn comes is
   * answered `deadline_exceeded` (effect none).
   *
   * @returns once the broker delivers; while disconnected at once, and delivery begins with the connection
   */
  serve<D extends AnyRequest>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: RequestHandler<D>,
    options?: ServeOptions,
  ): Promise<Subscription>;

  /**
   * Publishes an event to whoever listens now. While disconnected it is dropped: events are lossy by contract.
   *
   * @throws ServiceError `bad_request` or `payload_too_large`, both a defect of the caller
   */
  publish<D extends AnyEvent>(definition: D, tokens: TokensFor<D>, body: BodyOf<D>): void;

  /**
   * Listens to an event. A token that is left out stands for any value. Events that do not fit the definition and
   * errors of the handler are logged. Events are handed over in the order of arrival; a handler that returns a promise
   * does not hold up the next event.
   */
  subscribe<D extends AnyEvent>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: EventHandler<D>,
  ): Promise<Subscription>;

  readonly connected: boolean;
  /** Tells every change from now on, after pending requests were failed. The returned function stops it. */
  onStatus(listener: (status: BusStatus) => void): () => void;
  /**
   * Resolves when the broker has got everything sent so far.
   *
   * @throws ServiceError `disconnected` when there is no connection or it is lost meanwhile
   */
  flush(): Promise<void>;
  /**
   * Stops taking requests, lets running handlers answer (at most `drainMs`), fails requests that still wait with
   * `disconnected` (effect maybe), and closes the connection. May be called again.
   */
  close(): Promise<void>;
}

/** Where the bus tells what nobody can be told by an error. */
export interface BusLog {
  debug(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
