/** Writes lines to the log of the service. Each line has the name of its device or task. */
export interface AuthorLog {
  /** For the author of the code. Kept only if the service logs at level `debug`. */
  debug(message: string, ...details: unknown[]): void;
  /** Normal progress. */
  info(message: string, ...details: unknown[]): void;
  /** Something is unusual, but the work continues. */
  warn(message: string, ...details: unknown[]): void;
  /** Something failed. This does not fail the call or task; throw an error for that. */
  error(message: string, ...details: unknown[]): void;
}

/** The log outside of a host, for example in the unit tests of an author. */
export const consoleLog: AuthorLog = console;
