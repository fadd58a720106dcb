import type {
  AnswerOf,
  DryRunOf,
  InputOf,
  ItemOf,
  ListPath,
  Method,
  OperationOf,
  PathOf,
  TriedOutPath,
} from './operations.js';
import { newKey } from './key.js';
import { send, unreachable, type Sent } from './transport.js';
import { UnreachableError } from './errors.js';
import { eventsOf, type ServerEvent } from './server-events.js';

export interface ClientOptions {
  /** Access token. Without a token, requests have no `Authorization` header. */
  token?: string | undefined;
  /** Further headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sends requests. Default: `fetch` of this process. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds until the head of an answer must arrive. Default 15 000. */
  timeoutMs?: number;
  /**
   * Most repetitions of a request, where a repetition is safe. Default 3. Unless this is 0, the client also asks for up to 20 s
   * for the answer to an attempt that is in progress.
   */
  retries?: number;
}

export interface CallOptions {
  timeoutMs?: number;
  /** Most repetitions of this request; default: that of the client. */
  retries?: number;
  signal?: AbortSignal;
  /**
   * Key of a request that acts. For 24 h the service carries out a request with this key once, however often it
   * arrives. Default: a new key.
   */
  idempotencyKey?: string;
}

export interface EventOptions extends CallOptions {
  query?: Record<string, unknown>;
  /** Continues after this event. */
  lastEventId?: string;
  /** Called when a connection is open, with the event after which it continues; undefined: it began with the next event. */
  onOpen?: (after: string | undefined) => void;
  /** Called whenever the service says anything, also for a heartbeat. */
  onArrival?: () => void;
}

type Taken<O> = InputOf<O> & CallOptions;
/** The options are optional when none of their fields is required. */
type Arguments<O> = Record<never, never> extends Taken<O> ? [options?: Taken<O>] : [options: Taken<O>];

/** Sends a request of a method, and returns its JSON answer. */
type Request<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...[options]: Arguments<OperationOf<M, P>>
) => Promise<AnswerOf<OperationOf<M, P>>>;

interface AnyInput extends CallOptions {
  path?: object;
  query?: object;
  body?: unknown;
  csv?: string;
  packed?: Uint8Array<ArrayBuffer>;
}

const usualTimeoutMs = 15_000;
const usualRetries = 3;
/**
 * An emergency stop has no key: keys are in the database, and a stop must not wait for it. A second arrival does no
 * harm.
 */
const keyless = '/api/estop';

/**
 * A client of the REST interface, with the types of its OpenAPI document. Every method throws {@link ProblemError}
 * when the service refuses the request, and {@link UnreachableError} when no answer comes.
 */
export class ApiClient {
  readonly baseUrl: string;
  readonly get = this.request('get');
  readonly post = this.request('post');
  readonly put = this.request('put');
  readonly patch = this.request('patch');
  readonly delete = this.request('delete');

  /** @param baseUrl address of the service, for example `http://127.0.0.1:8070` */
  constructor(
    baseUrl: string,
    private readonly options: ClientOptions = {},
  ) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
  }

  /** Makes a dry run of a submission. The service stores nothing. */
  tryOut<P extends TriedOutPath>(
    path: P,
    ...[options]: Arguments<OperationOf<'post', P>>
  ): Promise<DryRunOf<OperationOf<'post', P>>> {
    const input: AnyInput = options ?? {};
    return this.json('post', path, { ...input, query: { ...input.query, dry_run: true } });
  }

  /** Reads all records of a list. It fetches each page when it is needed. */
  async *each<P extends ListPath>(
    path: P,
    ...[options]: Arguments<OperationOf<'get', P>>
  ): AsyncGenerator<ItemOf<OperationOf<'get', P>>, void, undefined> {
    type Page = { items: ItemOf<OperationOf<'get', P>>[]; next_cursor: string | null };
    const input: AnyInput = options ?? {};
    let cursor: string | null | undefined;
    do {
      const query = cursor === undefined ? input.query : { ...input.query, cursor };
      const page: Page = await this.json('get', path, {
        ...input,
        ...(query === undefined ? {} : { query }),
      });
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  /** Reads all records of a list at once. Use it for short lists. */
  async all<P extends ListPath>(
    path: P,
    ...options: Arguments<OperationOf<'get', P>>
  ): Promise<ItemOf<OperationOf<'get', P>>[]> {
    const found: ItemOf<OperationOf<'get', P>>[] = [];
    for await (const item of this.each(path, ...options)) found.push(item);
    return found;
  }

  /** Returns the response itself, for the bytes of files and archives. */
  async open<P extends PathOf<'get'>>(
    path: P,
    ...[options]: Arguments<OperationOf<'get', P>>
  ): Promise<Response> {
    return this.answer('get', path, options);
  }

  /**
   * Reads events of the service (`text/event-stream`) until the signal is aborted. It restores a lost connection and
   * continues after the last event.
   */
  events(path: PathOf<'get'>, options: EventOptions = {}): AsyncGenerator<ServerEvent, void, undefined> {
    const { lastEventId, onOpen, onArrival, ...input } = options;
    return eventsOf(
      async (after) => {
        const response = await this.answer('get', path, input, {
          accept: 'text/event-stream',
          ...(after === undefined ? {} : { 'last-event-id': after }),
        });
        onOpen?.(after);
        return response;
      },
      lastEventId,
      options.signal,
      onArrival,
    );
  }

  private request<M extends Method>(method: M): Request<M> {
    return (path, ...[options]) => this.json(method, path, options);
  }

  private async json<T>(method: Method, path: string, input: AnyInput = {}): Promise<T> {
    const response = await this.answer(method, path, input);
    if (response.status === 204) return undefined as T;
    try {
      return (await response.json()) as T;
    } catch (error) {
      input.signal?.throwIfAborted();
      if (!(error instanceof SyntaxError)) throw unreachable(error, response.url);
      throw new UnreachableError('foreign', `what answers at ${this.baseUrl} does not answer in JSON`, {
        cause: error,
      });
    }
  }

  private answer(
    method: Method,
    path: string,
    { path: places = {}, query = {}, timeoutMs, retries, signal, idempotencyKey, ...input }: AnyInput = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const key = method === 'get' || path === keyless ? undefined : (idempotencyKey ?? newKey());
    const content = contentOf(input);
    const { token, timeoutMs: usual = usualTimeoutMs, retries: most = usualRetries } = this.options;
    return send(
      {
        method: method.toUpperCase(),
        url: `${this.baseUrl}${placed(path, places)}${queryText(query)}`,
        headers: {
          ...this.options.headers,
          ...headers,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(content === undefined ? {} : { 'content-type': content.type }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(content === undefined ? {} : { body: content.body }),
        timeoutMs: timeoutMs ?? usual,
        fetch: this.options.fetch ?? fetch,
        ...(signal === undefined ? {} : { signal }),
      },
      retries ?? most,
    );
  }
}

/** What a request sends. */
function contentOf({
  body,
  csv,
  packed,
}: AnyInput): { type: string; body: NonNullable<Sent['body']> } | undefined {
  if (csv !== undefined) return { type: 'text/csv', body: csv };
  if (packed !== undefined) return { type: 'application/gzip', body: packed };
  return body === undefined ? undefined : { type: 'application/json', body: JSON.stringify(body) };
}

/** A path such as `/api/tasks/{task_name}` with its parameters filled in. */
function placed(path: string, places: object): string {
  return Object.entries(places).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    path,
  );
}

/** A query such as `?state=running&limit=5`. Undefined values are left out; a list gives one pair for each value. */
function queryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [[name, String(each)]])),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
