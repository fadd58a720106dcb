import { pino, type DestinationStream, type Logger } from 'pino';
import type { Log as LogPort } from '@lab/ports';
import { redacted, withoutCredentials } from './redaction.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevelName = (typeof logLevels)[number];

export type LogFields = Record<string, unknown>;

/** Structured log. */
export interface Log extends LogPort {
  /** A log whose every line carries the fields. */
  child(fields: LogFields): Log;
  /** Whether lines of the level are written. Ask before you compute costly fields. */
  enabled(level: LogLevelName): boolean;
}

export interface LogOptions {
  /** Name of the process, the `service` field of every line. */
  service: string;
  level?: LogLevelName;
  /** Where lines go; default: standard output, written at once so that no line is lost at an exit. */
  destination?: DestinationStream;
}

/**
 * A log that writes one JSON object a line: `level` (text), `time` (ISO 8601), `service`, `pid`, `msg` and the fields.
 * Fields that look secret and the credentials in addresses are concealed; an error in a field is written in full.
 */
export function createLog({ service, level = 'info', destination }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? standardOutput(),
  );
  return wrap(logger);
}

/** Characters of lines that wait until a full disk has room again. Further lines are lost. */
const keptLength = 1024 * 1024;
/** Errors of a write that must not end the process. After EPIPE nobody reads the lines any more. */
const bearable = ['ENOSPC', 'EDQUOT', 'EPIPE'];

/** Standard output, which may be a file on a disk that is full: the lines wait, and follow the next one that fits. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: keptLength });
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (!bearable.includes(error.code ?? '')) throw error;
  });
  return output;
}

function wrap(logger: Logger): Log {
  const write =
    (level: LogLevelName) =>
    (message: string, fields?: LogFields): void => {
      if (!logger.isLevelEnabled(level)) return;
      const text = withoutCredentials(message);
      if (fields === undefined) logger[level](text);
      else logger[level](redacted(fields) as object, text);
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(logger.child(redacted(fields) as LogFields)),
    enabled: (level) => logger.isLevelEnabled(level),
  };
}
