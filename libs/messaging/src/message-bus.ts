import { randomUUID } from 'node:crypto';
import {
  answererOf,
  envelopeVersion,
  ServiceError,
  subjectOf,
  tokensOf,
  toServiceError,
  type AnyEvent,
  type AnyRequest,
  type BodyOf,
  type Envelope,
  type Fault,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import type {
  Bus,
  BusLog,
  BusStatus,
  EventHandler,
  MessageContext,
  RequestHandler,
  RequestOptions,
  ServeOptions,
  SignAct,
  Subscription,
  TokensFor,
} from './bus.js';
import { decodeEnvelope, encode } from './codec.js';
import { InFlight } from './in-flight.js';
import { PendingReplies } from './pending-replies.js';
import { failureReply, performRequest } from './perform-request.js';
import type { BusTimers } from './timers.js';
import type { Refusal, Wire, WireMessage } from './wire.js';

export interface MessageBusOptions {
  wire: Wire;
  /** The sender, for example `gateway/3f2a`. */
  src: string;
  /** Returns the id of the HTTP request that is being answered. */
  requestId?: (() => string | undefined) | undefined;
  /** Undefined: this process sends no acts of people. */
  signAct?: SignAct | undefined;
  timers: BusTimers;
  log: BusLog;
  /** Milliseconds for which the end of a subscription waits for running handlers. */
  drainMs: number;
}

/** The {@link Bus} over any connection. It checks what it receives, and handles envelopes, deadlines and errors. */
export class MessageBus implements Bus {
  readonly #wire: Wire;
  readonly #timers: BusTimers;
  readonly #log: BusLog;
  readonly #pending: PendingReplies;
  readonly #subscriptions = new Set<Subscription>();
  readonly #listeners = new Set<(status: BusStatus) => void>();
  /** Subjects that the broker does not let this process hear. */
  readonly #unheard = new Set<string>();
  #refusals = 0;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(private readonly options: MessageBusOptions) {
    const { wire, timers, log } = options;
    this.#wire = wire;
    this.#timers = timers;
    this.#log = log;
    this.#pending = new PendingReplies(wire, timers);
    wire.listen(
      (status) => this.#onStatus(status),
      (refusal) => this.#onRefusal(refusal),
    );
  }

  get refusals(): number {
    return this.#refusals;
  }

  get connected(): boolean {
    return this.#wire.connected && !this.#closed;
  }

  request<D extends AnyRequest>(
    definition: D,
    tokens: TokensFor<D>,
    body: RequestOf<D>,
    options: RequestOptions = {},
  ): Promise<ReplyOf<D>> {
    return new Promise((resolve, reject) => {
      const { name } = definition;
      const { timeoutMs = definition.timeoutMs, signal } = options;
      const subject = concreteSubject(definition, tokens);
      if (signal?.aborted === true) throw new ServiceError('aborted', `the call of ${name} was aborted`);
      if (timeoutMs <= 0) throw new ServiceError('deadline_exceeded', `no time is left for ${name}`);
      if (!this.connected) throw this.#unconnected(name);
      const data = this.#sendable(
        this.#envelope(name, body, options, Math.max(1, Math.ceil(timeoutMs)), definition.act),
        name,
      );
      const reply = this.#pending.add({
        name,
        subject,
        answerer: answererOf(definition, tokens),
        timeoutMs,
        signal,
        onReply: (received) => {
          const result = definition.reply.check(received);
          if (result.ok) {
            resolve(result.value as ReplyOf<D>);
            return;
          }
          const { faults } = result;
          this.#log.error('malformed reply refused', { kind: name, faults });
          // The handler did the work; only its reply is of no use.
          reject(
            new ServiceError('internal', `the reply to ${name} is malformed`, { effect: 'done', faults }),
          );
        },
        onError: reject,
      });
      this.#wire.publish(subject, data, reply);
    });
  }

  publish<D extends AnyEvent>(definition: D, tokens: TokensFor<D>, body: BodyOf<D>): void {
    const { name } = definition;
    const subject = concreteSubject(definition, tokens);
    const data = this.#sendable(this.#envelope(name, body, {}, undefined), name);
    if (this.connected) this.#wire.publish(subject, data);
    else this.#log.debug('event dropped while disconnected', { kind: name });
  }

  serve<D extends AnyRequest>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: RequestHandler<D>,
    { maxInFlight = Infinity, when = () => true, admit, queue }: ServeOptions = {},
  ): Promise<Subscription> {
    const inFlight = new InFlight(maxInFlight);
    const onMessage = (message: WireMessage): void =>
      this.#onRequest(definition, handler, inFlight, { when, admit }, message);
    return this.#listen(definition, tokens, inFlight, onMessage, queue);
  }

  subscribe<D extends AnyEvent>(
    definition: D,
    tokens: Partial<TokensFor<D>>,
    handler: EventHandler<D>,
  ): Promise<Subscription> {
    const inFlight = new InFlight(Infinity);
    return this.#listen(definition, tokens, inFlight, (message) =>
      this.#onEvent(definition, handler, inFlight, message),
    );
  }

  onStatus(listener: (status: BusStatus) => void): () => void {
    // The wrapper lets the same function be registered twice.
    const entry = (status: BusStatus): void => listener(status);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async flush(): Promise<void> {
    if (!this.connected) throw this.#unconnected('flush');
    try {
      await this.#wire.flush();
    } catch (cause) {
      throw new ServiceError('disconnected', 'the connection to the broker was lost', {
        effect: 'maybe',
        cause,
      });
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.unsubscribe()));
    this.#closed = true;
    this.#pending.failAll('the bus was closed');
    // The answers of the last handlers may still be on their way.
    if (this.#wire.connected) await this.#withinDrain(this.#wire.flush(), 'the last replies');
    await this.#wire.close();
    this.#report('closed');
    this.#listeners.clear();
  }

  #envelope(
    kind: string,
    body: unknown,
    options: RequestOptions,
    ttlMs: number | undefined,
    isAct = false,
  ): Envelope {
    const {
      epoch,
      inc,
      fence,
      fresh,
      trace,
      request = this.options.requestId?.(),
      id = randomUUID(),
    } = options;
    // JSON leaves out undefined fields.
    const { src, signAct } = this.options;
    const act = isAct ? signAct?.({ kind, id, body }) : undefined;
    const marks = { epoch, inc, fence, fresh, act, ttl_ms: ttlMs };
    return { v: envelopeVersion, id, kind, trace, request, src, ...marks, body };
  }

  /** Encodes a message. @throws ServiceError when it is no JSON or larger than the broker allows */
  #sendable(message: Envelope, name: string): Uint8Array {
    let data: Uint8Array;
    try {
      data = encode(message);
    } catch (cause) {
      throw new ServiceError('bad_request', `the body of ${name} cannot be written as JSON`, { cause });
    }
    if (data.length > this.#wire.maxPayload) {
      throw new ServiceError(
        'payload_too_large',
        `${name} has ${data.length} bytes, the broker allows ${this.#wire.maxPayload}`,
      );
    }
    return data;
  }

  async #listen(
    definition: { readonly subject: string },
    tokens: Record<string, string | undefined>,
    inFlight: InFlight,
    onMessage: (message: WireMessage) => void,
    queue?: string,
  ): Promise<Subscription> {
    if (this.#closing !== undefined) throw new ServiceError('disconnected', 'the bus is closed');
    const subject = subjectOf(definition, tokens);
    const wireSubscription = this.#wire.subscribe(subject, onMessage, queue);
    let ended: Promise<void> | undefined;
    const subscription: Subscription = {
      unsubscribe: () => {
        ended ??= (async () => {
          await this.#withinDrain(wireSubscription.drain(), subject);
          await this.#withinDrain(inFlight.idle(), subject);
          this.#subscriptions.delete(subscription);
        })();
        return ended;
      },
    };
    this.#subscriptions.add(subscription);
    if (this.#wire.connected) {
      // If the connection is lost meanwhile, the subscription is restored with it.
      await this.#wire
        .flush()
        .catch((error: unknown) => this.#log.debug('subscribed while disconnected', { subject, error }));
    }
    if (this.#unheard.has(subject)) {
      this.#subscriptions.delete(subscription);
      throw new ServiceError('forbidden', `the broker does not let this process hear ${subject}`);
    }
    return subscription;
  }

  #onRequest<D extends AnyRequest>(
    definition: D,
    handler: RequestHandler<D>,
    inFlight: InFlight,
    { when, admit }: Pick<ServeOptions, 'admit'> & { when: () => boolean },
    message: WireMessage,
  ): void {
    const { name } = definition;
    if (message.reply === '') {
      this.#log.warn('request without a reply subject ignored', { kind: name, subject: message.subject });
      return;
    }
    if (!when()) return;
    const arrivedAt = this.#timers.now();
    const read = readMessage(message.data, name, definition.request);
    if (!read.ok) {
      const { faults } = read;
      this.#refuse(message, name, new ServiceError('bad_request', `${name} is malformed`, { faults }));
      return;
    }
    const { envelope } = read;
    try {
      admit?.(definition, envelope);
    } catch (error) {
      this.#refuse(message, name, toServiceError(error), envelope.request);
      return;
    }
    const context: MessageContext<D> = {
      tokens: tokensOf(definition, message.subject) as TokensFor<D>,
      envelope,
      expired: () => envelope.ttl_ms !== undefined && this.#timers.now() - arrivedAt >= envelope.ttl_ms,
    };
    inFlight.enter(() => {
      if (!when()) {
        inFlight.left();
        return;
      }
      if (context.expired()) {
        const error = new ServiceError('deadline_exceeded', `${name} waited longer than its caller`);
        this.#refuse(message, name, error, envelope.request);
        inFlight.left();
        return;
      }
      const reply = performRequest(definition, handler, read.value as RequestOf<D>, context, {
        log: this.#log,
        maxPayload: this.#wire.maxPayload,
      });
      void reply.then((data) => {
        this.#answer(message, name, data);
        inFlight.left();
      });
    });
  }

  #refuse(message: WireMessage, name: string, error: ServiceError, requestId?: string): void {
    const { code, faults } = error;
    this.#log.warn('request refused', { kind: name, request_id: requestId, code, faults });
    this.#answer(message, name, failureReply(error, this.#wire.maxPayload));
  }

  /** Drops the answer while disconnected: its caller has already got `disconnected`. */
  #answer(message: WireMessage, name: string, data: Uint8Array): void {
    if (this.#wire.connected) this.#wire.publish(message.reply, data);
    else this.#log.debug('reply dropped while disconnected', { kind: name });
  }

  #onEvent<D extends AnyEvent>(
    definition: D,
    handler: EventHandler<D>,
    inFlight: InFlight,
    message: WireMessage,
  ): void {
    const { name } = definition;
    const read = readMessage(message.data, name, definition.body);
    if (!read.ok) {
      this.#log.warn('malformed event ignored', { kind: name, faults: read.faults });
      return;
    }
    const context: MessageContext<D> = {
      tokens: tokensOf(definition, message.subject) as TokensFor<D>,
      envelope: read.envelope,
      expired: () => false,
    };
    inFlight.enter(() => {
      const handled = (async () => handler(read.value as BodyOf<D>, context))();
      void handled
        .catch((error: unknown) => {
          const { request } = context.envelope;
          this.#log.error('event handler failed', { kind: name, request_id: request, error });
        })
        .then(() => inFlight.left());
    });
  }

  #onStatus(status: BusStatus): void {
    if (status !== 'connected') this.#pending.failAll('the connection to the broker was lost');
    if (status === 'closed') {
      this.#closed = true;
      if (this.#closing !== undefined) return;
    }
    this.#report(status);
  }

  #onRefusal({ tried, subject }: Refusal): void {
    this.#refusals += 1;
    this.#log.error('the broker refused this process', { tried, subject });
    if (tried === 'publish') this.#pending.refuse(subject);
    else this.#unheard.add(subject);
  }

  #report(status: BusStatus): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(status);
      } catch (error) {
        this.#log.error('status listener failed', { status, error });
      }
    }
  }

  #unconnected(what: string): ServiceError {
    const why = this.#closed ? 'the bus is closed' : 'there is no connection to the broker';
    return new ServiceError('disconnected', `${what} was not sent: ${why}`, { effect: 'none' });
  }

  /** Waits for `end`, but no longer than `drainMs`. It logs a warning when that was too short. */
  #withinDrain(end: Promise<void>, what: string): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.after(this.options.drainMs, () => {
        this.#log.warn('did not end in time', { what, waitedMs: this.options.drainMs });
        resolve();
      });
      const settle = (): void => {
        cancel();
        resolve();
      };
      end.then(settle, (error: unknown) => {
        this.#log.debug('ended with the connection', { what, error });
        settle();
      });
    });
  }
}

/** The checked body of a message with its envelope, or the faults of either. */
function readMessage(
  data: Uint8Array,
  name: string,
  shape: AnyRequest['request'] | AnyEvent['body'],
): { ok: true; envelope: Envelope; value: unknown } | { ok: false; faults: readonly Fault[] } {
  const decoded = decodeEnvelope(data, name);
  if (!decoded.ok) return { ok: false, faults: [decoded.fault] };
  const checked = shape.check(decoded.envelope.body);
  return checked.ok ? { ok: true, envelope: decoded.envelope, value: checked.value } : checked;
}

/** The subject with its tokens filled in. @throws ServiceError `bad_request` when a token is missing */
function concreteSubject(
  definition: { readonly name: string; readonly subject: string },
  tokens: Record<string, string>,
): string {
  const subject = subjectOf(definition, tokens);
  if (!subject.includes('*')) return subject;
  throw new ServiceError(
    'bad_request',
    `${definition.name} needs a value for every token of ${definition.subject}`,
  );
}
