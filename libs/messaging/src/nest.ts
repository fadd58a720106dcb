import {
  ServiceError,
  toServiceError,
  type AnyEvent,
  type AnyRequest,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import { Module, type LoggerService } from '@nestjs/common';
import {
  ClientProxy,
  Server,
  type CustomTransportStrategy,
  type ReadPacket,
  type WritePacket,
} from '@nestjs/microservices';
import type { Bus, BusLog, RequestOptions, ServeOptions, Subscription, TokensFor } from './bus.js';
import { serveAll, type Handled } from './handlers.js';

/** The bus as a transport of Nest. A microservice serves a map of handlers; a client sends requests and events. */

/** A request or an event of the catalogue. */
type Definition = AnyRequest | AnyEvent;

/** The root module of a microservice that has a map of handlers and no controllers. */
export class BusModule {}
Module({})(BusModule);

/** Nest's transport over a bus. It serves a map of handlers. The caller closes the bus. */
export class BusServer extends Server implements CustomTransportStrategy {
  #subscriptions: Subscription[] = [];

  /** @param options for every request that is served */
  constructor(
    private readonly bus: Bus,
    private readonly handled: readonly Handled[],
    private readonly options: ServeOptions = {},
  ) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    this.#serve().then(
      () => callback(),
      (error: unknown) => callback(error),
    );
  }

  /** Takes no more messages; running handlers may answer. */
  async close(): Promise<void> {
    const subscriptions = this.#subscriptions;
    this.#subscriptions = [];
    await Promise.all(subscriptions.map((subscription) => subscription.unsubscribe()));
  }

  override on(event: string): never {
    throw new Error(`the bus has no event ${event}; use Bus.onStatus`);
  }

  override unwrap<T>(): T {
    return this.bus as T;
  }

  /** @throws Error when a controller has handlers, because they would never get a message */
  async #serve(): Promise<void> {
    const [pattern] = this.getHandlers().keys();
    if (pattern !== undefined)
      throw new Error(
        `the handler of ${pattern} names no message of the catalogue: put it into the map of handlers`,
      );
    this.#subscriptions = await serveAll(this.bus, this.handled, this.options);
  }
}

/** Nest's client over a bus. Errors are the {@link ServiceError} of {@link Bus.request}. The caller closes the bus. */
export class BusClient extends ClientProxy {
  constructor(private readonly bus: Bus) {
    super();
  }

  /** {@link Bus.request} without an observable. */
  call<D extends AnyRequest>(
    definition: D,
    tokens: TokensFor<D>,
    body: RequestOf<D>,
    options?: RequestOptions,
  ): Promise<ReplyOf<D>> {
    return this.bus.request(definition, tokens, body, options);
  }

  override connect(): Promise<Bus> {
    return Promise.resolve(this.bus);
  }

  override close(): void {
    // The caller that connected the bus closes it.
  }

  override unwrap<T>(): T {
    return this.bus as T;
  }

  protected override publish(packet: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const unsubscribed = new AbortController();
    const { definition, tokens, options } = parsePattern(packet.pattern, 'request');
    const signals = options.signal === undefined ? [] : [options.signal];
    const signal = AbortSignal.any([unsubscribed.signal, ...signals]);
    this.bus.request(definition, tokens, packet.data, { ...options, signal }).then(
      (response: unknown) => callback({ response, isDisposed: true }),
      (error: unknown) => callback({ err: toServiceError(error), isDisposed: true }),
    );
    return () => unsubscribed.abort();
  }

  protected override dispatchEvent<T>(packet: ReadPacket): Promise<T> {
    const { definition, tokens } = parsePattern(packet.pattern, 'event');
    this.bus.publish(definition, tokens, packet.data);
    return Promise.resolve(undefined as T);
  }
}

type OfKind<K extends Definition['kind']> = Extract<Definition, { kind: K }>;

function parsePattern<K extends Definition['kind']>(
  pattern: unknown,
  kind: K,
): { definition: OfKind<K>; tokens: Record<string, string>; options: RequestOptions } {
  const given = (typeof pattern === 'object' && pattern !== null ? pattern : {}) as Partial<OfKind<K>> & {
    definition?: OfKind<K>;
    tokens?: Record<string, string>;
    options?: RequestOptions;
  };
  const definition = given.kind === kind ? (given as OfKind<K>) : given.definition;
  if (definition?.kind !== kind) {
    throw new ServiceError(
      'bad_request',
      `the pattern must be a ${kind} of the catalogue, or hold it as definition`,
    );
  }
  return { definition, tokens: given.tokens ?? {}, options: given.options ?? {} };
}

/** Writes the warnings and errors of Nest to our log. It leaves out the list of routes and modules at start. */
export function nestLogger(log: BusLog): LoggerService {
  const fields = (rest: unknown[]): Record<string, unknown> => ({ context: rest.at(-1) });
  return {
    log: () => undefined,
    debug: () => undefined,
    verbose: () => undefined,
    warn: (message: unknown, ...rest: unknown[]) => log.warn(String(message), fields(rest)),
    error: (message: unknown, ...rest: unknown[]) => log.error(String(message), fields(rest)),
    fatal: (message: unknown, ...rest: unknown[]) => log.error(String(message), fields(rest)),
  };
}
