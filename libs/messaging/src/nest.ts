import {
  ServiceError,
  toServiceError,
  type AnyEvent,
  type AnyRequest,
  type BodyOf,
  type Envelope,
  type ReplyOf,
  type RequestOf,
} from '@lab/contracts';
import { Catch, UseFilters, type LoggerService, type RpcExceptionFilter } from '@nestjs/common';
import {
  BaseRpcContext,
  ClientProxy,
  Ctx,
  EventPattern,
  MessagePattern,
  Payload,
  Server,
  type CustomTransportStrategy,
  type MessageHandler,
  type ReadPacket,
  type WritePacket,
} from '@nestjs/microservices';
import { lastValueFrom, throwError, type Observable } from 'rxjs';
import type {
  Bus,
  BusLog,
  MessageContext,
  RequestOptions,
  ServeOptions,
  Subscription,
  TokensFor,
} from './bus.js';

/** The bus as a transport of Nest: controllers serve the catalogue, and clients send it. */

const definitionKey = 'definition';

/**
 * Lets every error reach the bus as it was thrown. Nest's own filter would make `{status: 'error', message}` of it and
 * lose code, effect and faults. `Handles` and `HandlesEvent` put it on their methods; nobody needs to register it.
 */
export class UnchangedErrors implements RpcExceptionFilter<unknown> {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
Catch()(UnchangedErrors);

type HandlerOf<D extends AnyRequest> = (
  body: RequestOf<D>,
  context: BusContext,
) => Promise<ReplyOf<D>> | ReplyOf<D>;

type EventHandlerOf<D extends AnyEvent> = (body: BodyOf<D>, context: BusContext) => Promise<void> | void;

type Decorates<H> = <M extends H>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** The method of a controller answers this request: it gets the checked body and a {@link BusContext}. */
export function Handles<D extends AnyRequest>(definition: D): Decorates<HandlerOf<D>> {
  return (target, key, descriptor) => {
    MessagePattern(definition.name, { [definitionKey]: definition })(target, key, descriptor);
    UseFilters(UnchangedErrors)(target, key, descriptor);
    passBodyAndContext(target, key);
  };
}

/** The method of a controller hears this event. Several methods may hear the same. */
export function HandlesEvent<D extends AnyEvent>(definition: D): Decorates<EventHandlerOf<D>> {
  return (target, key, descriptor) => {
    const decorate = EventPattern(definition.name, { [definitionKey]: definition }) as MethodDecorator;
    decorate(target, key, descriptor);
    UseFilters(UnchangedErrors)(target, key, descriptor);
    passBodyAndContext(target, key);
  };
}

/** Nest hands over the body alone unless the parameters say what they are. */
function passBodyAndContext(target: object, key: string | symbol): void {
  Payload()(target, key, 0);
  Ctx()(target, key, 1);
}

/** What a handler of a controller knows of a message beside its body. */
export class BusContext extends BaseRpcContext<[MessageContext<AnyRequest | AnyEvent>]> {
  constructor(private readonly message: MessageContext<AnyRequest | AnyEvent>) {
    super([message]);
  }

  get envelope(): Envelope {
    return this.message.envelope;
  }

  /**
   * The value of a token of the subject.
   *
   * @throws Error when the subject of the definition has no such token
   */
  token(name: string): string {
    const value = (this.message.tokens as Record<string, string | undefined>)[name];
    if (value === undefined) throw new Error(`the subject of ${this.envelope.kind} has no token ${name}`);
    return value;
  }

  /** See {@link MessageContext.expired}. */
  expired(): boolean {
    return this.message.expired();
  }
}

/** A request or an event of the catalogue, as controllers name it. */
type Definition = AnyRequest | AnyEvent;

/** Serves every `@Handles` and `@HandlesEvent` method of an application over a bus that somebody else closes. */
export class BusServer extends Server implements CustomTransportStrategy {
  /** Errors of event handlers are logged by the bus. */
  override readonly propagatesEventHandlerErrors = true;
  #subscriptions: Subscription[] = [];

  /** @param options for every request that is served */
  constructor(
    private readonly bus: Bus,
    private readonly options: ServeOptions = {},
  ) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    this.#serveAll().then(
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

  async #serveAll(): Promise<void> {
    for (const [pattern, handler] of this.getHandlers()) {
      this.#subscriptions.push(await this.#serve(pattern, handler));
    }
  }

  #serve(pattern: string, handler: MessageHandler): Promise<Subscription> {
    const definition = handler.extras?.[definitionKey] as Definition | undefined;
    if (definition === undefined) {
      throw new Error(
        `the handler of ${pattern} names no message of the catalogue: use @Handles or @HandlesEvent`,
      );
    }
    const run = async (body: unknown, context: MessageContext<Definition>): Promise<unknown> => {
      const outcome: unknown = await handler(body, new BusContext(context));
      return lastValueFrom(this.transformToObservable(outcome), { defaultValue: undefined });
    };
    if (definition.kind === 'request') return this.bus.serve(definition, {}, run, this.options);
    return this.bus.subscribe(definition, {}, async (body, context) => void (await run(body, context)));
  }
}

/** What `send` and `emit` take as a pattern: the definition alone, or with tokens and options. */
export type BusPattern<D extends Definition> =
  D | { definition: D; tokens?: Record<string, string>; options?: RequestOptions };

/** Nest's client over a bus that somebody else closes. Errors are the {@link ServiceError} of {@link Bus.request}. */
export class BusClient extends ClientProxy {
  constructor(private readonly bus: Bus) {
    super();
  }

  /** The shortest way to {@link Bus.request}: no observable in between. */
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
    // The bus belongs to who connected it.
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

/** What Nest itself has to say, in our log; its account of every route and module at start is left out. */
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
