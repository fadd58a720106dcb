/** Limits of requests. */
export const limits = {
  /** Bytes of a JSON body. */
  bodyBytes: 1024 * 1024,
  /** Bytes of all headers and the address together. */
  headerBytes: 16 * 1024,
  /** Milliseconds until the headers of a request must be there. */
  headersMs: 10_000,
  /** Milliseconds until a JSON body must be there, and the longest pause within an upload. */
  bodyMs: 30_000,
  /** Milliseconds that an idle connection is kept. */
  keepAliveMs: 72_000,
  connections: 2_000,
  /** Bytes of a path, and of a query. Each names one or two records; a percent-encoded name has at most 1800 bytes. */
  addressBytes: 2_048,
  /** Requests per second of one client that may change something. After a pause, twice as many at once. */
  changesPerSecond: 50,
  /** The same for requests that only read. */
  readsPerSecond: 500,
  /** The same for all requests from one address, with any tokens. */
  requestsPerSecond: 1_000,
  /** Concurrent requests of one client. */
  underWayPerClient: 100,
  /** Concurrent requests of all clients. */
  underWay: 1_000,
  /** Wrong tokens from one network per minute, and at once after a pause. */
  wrongTokensPerMinute: 30,
} as const;

export type Limits = { [K in keyof typeof limits]: number };

/** The limits of requests in `limits` of `config.yml`. */
interface LimitSettings {
  max_body_bytes: number;
  changes_per_s?: number | undefined;
  reads_per_s?: number | undefined;
  requests_per_s?: number | undefined;
  requests_at_once?: number | undefined;
  wrong_tokens_per_min: number;
}

/**
 * The configured limits.
 *
 * @param local true: only people at this machine reach the server, without a token. Limits that are not configured are then
 *   off, since such a client can use the machine without the server anyway
 */
export function limitsFrom(settings: LimitSettings, local: boolean): Partial<Limits> {
  const usual = local
    ? { changes: Infinity, reads: Infinity, requests: Infinity, atOnce: Infinity }
    : {
        changes: limits.changesPerSecond,
        reads: limits.readsPerSecond,
        requests: limits.requestsPerSecond,
        atOnce: limits.underWayPerClient,
      };
  return {
    bodyBytes: settings.max_body_bytes,
    changesPerSecond: settings.changes_per_s ?? usual.changes,
    readsPerSecond: settings.reads_per_s ?? usual.reads,
    requestsPerSecond: settings.requests_per_s ?? usual.requests,
    underWayPerClient: settings.requests_at_once ?? usual.atOnce,
    wrongTokensPerMinute: settings.wrong_tokens_per_min,
  };
}
