/** What one client may ask of the server. */
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
  /** Bytes of a path, and of a query: each names a record or two, and a name has at most 1800 bytes percent-encoded. */
  addressBytes: 2_048,
  /** Requests that change something, a second, by one client; twice as many at once after a rest. */
  changesPerSecond: 50,
  /** The same of requests that read. */
  readsPerSecond: 500,
  /** The same of all requests from one address, whatever tokens they bring. */
  requestsPerSecond: 1_000,
  /** Requests of one client under way at once. */
  underWayPerClient: 100,
  /** Requests of all clients under way at once. */
  underWay: 1_000,
} as const;

export type Limits = { [K in keyof typeof limits]: number };

/** What `limits` of `config.yml` says of requests. */
interface LimitSettings {
  max_body_bytes: number;
  changes_per_s?: number | undefined;
  reads_per_s?: number | undefined;
  requests_per_s?: number | undefined;
  requests_at_once?: number | undefined;
}

/**
 * The limits as they are set.
 *
 * @param local only whoever works at this machine reaches the server, and needs no token: what is not set is then not
 *   limited, since such a client can take the machine's time without asking the server
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
  };
}
