import type { LoggerService } from '@nestjs/common';
import type { Log } from '../ports.js';

/** What Nest itself has to say, in our log; its account of every route at start is left out. */
export function nestLogger(log: Log): LoggerService {
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
