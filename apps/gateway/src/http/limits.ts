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
} as const;

export type Limits = { [K in keyof typeof limits]: number };
