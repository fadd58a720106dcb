import type { LoggerService } from '@nestjs/common';
import type { BusLog } from './bus.js';

/** What Nest itself has to say, in the log of the service; its account of every route at start is left out. */
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
