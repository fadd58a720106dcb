/** Writes lines to the log of the service, each with the name of its device or task. */
export interface AuthorLog {
  /** For the author: kept only when the service logs at `debug`. */
  debug(message: string, ...details: unknown[]): void;
  /** What a reader of the log wants to know on a good day. */
  info(message: string, ...details: unknown[]): void;
  /** Something is odd, and the work goes on. */
  warn(message: string, ...details: unknown[]): void;
  /** Something failed. It does not make the call or task fail: throw for that. */
  error(message: string, ...details: unknown[]): void;
}

/** Outside a host, as in an author's own unit tests, lines go to the console. */
export const consoleLog: AuthorLog = {
  debug: (message, ...details) => console.debug(message, ...details),
  info: (message, ...details) => console.info(message, ...details),
  warn: (message, ...details) => console.warn(message, ...details),
  error: (message, ...details) => console.error(message, ...details),
};
