import { openLogFile, withoutCredentials } from '@lab/runtime';

export interface ServiceOutput {
  line(text: string, stream: 'stdout' | 'stderr'): void;
  close(): void;
}

/**
 * Keeps what a process prints in its log file and passes warnings and errors on.
 *
 * @param passOn takes the text of a warning or an error; lines on standard error that are no log lines count as such
 */
export function serviceOutput(logPath: string, passOn: (text: string) => void): ServiceOutput {
  const file = openLogFile(logPath);
  return {
    line(text, stream) {
      file.line(text);
      const warning = text.startsWith('{') ? jsonWarning(text) : plainWarning(text, stream);
      if (warning !== undefined) passOn(withoutCredentials(warning));
    },
    close: () => file.close(),
  };
}

function jsonWarning(text: string): string | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { level, msg, error } = entry as { level?: unknown; msg?: unknown; error?: unknown };
  if (level !== 'warn' && level !== 'error') return undefined;
  const cause =
    typeof error === 'object' && error !== null && 'message' in error ? `: ${String(error.message)}` : '';
  return `${level === 'error' ? 'error: ' : ''}${String(msg)}${cause}`;
}

/** nats-server marks its lines; of those only errors matter, for it warns of every client that leaves. */
const natsLine = /^\[\d+\] \S+ \S+ \[(\w+)\] (.*)$/;

function plainWarning(text: string, stream: 'stdout' | 'stderr'): string | undefined {
  const marked = natsLine.exec(text);
  if (marked !== null) return marked[1] === 'ERR' || marked[1] === 'FTL' ? marked[2] : undefined;
  return stream === 'stderr' && text.trim() !== '' ? text : undefined;
}
