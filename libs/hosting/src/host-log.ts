import type { Log } from '@lab/runtime';

/** The part of a log that hosting writes to. */
export type HostLog = Pick<Log, 'debug' | 'info' | 'warn' | 'error'>;
