import { NotBegun, type JsonValue } from '@lab/sdk';

/** A request to the HTTP API of another system. */
export interface LinkRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the address of the system, with a leading slash. */
  path: string;
  /** Texts of the query string; undefined: left out. */
  query?: Readonly<Record<string, string | undefined>>;
  /** A body in JSON. */
  json?: JsonValue;
  /** A body of fields and files. */
  form?: FormData;
  /** How long the whole exchange may take, in milliseconds. Default: the setting of the link. */
  withinMs?: number;
  /** Largest body of the answer in bytes. Default: {@link largestAnswer}. */
  largest?: number;
  /** Ends the exchange. */
  signal?: AbortSignal | undefined;
}

/** The path of a request with its query. */
export function targetOf({ path, query = {} }: LinkRequest): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries).toString()}`;
}

/** The largest answer that is read, in bytes, unless a request says otherwise. */
export const largestAnswer = 8_000_000;

export interface LinkAnswer {
  /** HTTP status. */
  status: number;
  body: Buffer;
}

/** The way to another system: its HTTP API, or a twin in its place. */
export interface Link {
  /**
   * Makes one exchange. It never repeats a request and follows no redirection.
   *
   * @throws PeerError when there is no answer
   */
  ask(request: LinkRequest): Promise<LinkAnswer>;
}

/** An exchange with another system failed. Its message holds neither a secret of the settings nor the sent body. */
export class PeerError extends Error {
  override readonly name = 'PeerError';

  /**
   * @param reached false: the request certainly did not reach the system; true: it may have, or has
   * @param status HTTP status of the refusal; undefined: there was no answer
   */
  constructor(
    message: string,
    readonly reached: boolean,
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Whether the error says that the other system refused the request, so that it did nothing. */
export function isRefusal(error: unknown): error is PeerError {
  return error instanceof PeerError && error.status !== undefined && error.status < 500;
}

/** Whether the request of the error certainly changed nothing: it did not arrive, or was refused, or is in no recording. */
export function didNothing(error: unknown): boolean {
  return isRefusal(error) || error instanceof NotBegun || (error instanceof PeerError && !error.reached);
}

/** What a proxy answers when the system behind it gives no answer. */
const ofProxies: ReadonlySet<number> = new Set([502, 504]);

/** Whether the request of the error may have arrived, and the answer of the system was lost. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof PeerError) || !error.reached) return false;
  return error.status === undefined || ofProxies.has(error.status);
}

/**
 * Asks, and reads the answer as JSON.
 *
 * @returns the value; undefined for an empty body
 * @throws PeerError also when the status is no success, with the explanation of the system, or the body is no JSON
 */
export async function askJson(link: Link, request: LinkRequest): Promise<unknown> {
  const answer = await link.ask(request);
  const what = `${request.method} ${request.path}`;
  if (answer.status < 200 || answer.status > 299) {
    throw new PeerError(
      `${what} was refused with ${answer.status}${explanation(answer)}`,
      true,
      answer.status,
    );
  }
  if (answer.body.length === 0) return undefined;
  try {
    return JSON.parse(answer.body.toString('utf8')) as unknown;
  } catch {
    throw new PeerError(`the answer to ${what} is no JSON: is the address that of the right system?`, true);
  }
}

/** Longest explanation of another system within a message, in characters. */
const longestExplanation = 500;

/**
 * What a refusal says in the forms of FastAPI, Litestar and JSON:API. Values that were sent are left out, because some of them
 * may be secret.
 */
function explanation({ body }: LinkAnswer): string {
  let read: unknown;
  try {
    read = JSON.parse(body.toString('utf8'));
  } catch {
    return '';
  }
  const texts = textsOf(read);
  return texts.length === 0 ? '' : `: ${texts.join('; ').slice(0, longestExplanation)}`;
}

function textsOf(read: unknown): string[] {
  if (typeof read === 'string') return [read];
  if (Array.isArray(read)) return read.flatMap(textsOf);
  if (typeof read !== 'object' || read === null) return [];
  const { detail, error, errors, title, msg, loc, message } = read as Record<string, unknown>;
  if (typeof msg === 'string') return [Array.isArray(loc) ? `${loc.join('.')}: ${msg}` : msg];
  if (typeof title === 'string') return [typeof detail === 'string' ? `${title}: ${detail}` : title];
  return textsOf(detail ?? error ?? errors ?? message);
}
