/** What a library takes from its surroundings, so that the same code runs on a virtual clock. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Timers {
  /** Runs `callback` once after `ms` milliseconds. The returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export interface Ids {
  /** A new unique identifier. In production it is ordered by time of creation (UUID version 7). */
  next(): string;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}
