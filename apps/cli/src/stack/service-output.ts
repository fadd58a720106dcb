import { openLogFile, withoutCredentials } from '@lab/runtime';

export interface ServiceOutput {
  line(text: string, stream: 'stdout' | 'stderr'): void;
  close(): void;
}

/**
 * Writes the output of a process to its log file and passes warnings and errors on.
 *
 * @param passOn receives the text of each warning and error, and of each line on standard error that is not a log line
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
  const { level, msg, error, ...fields } = entry as Record<string, unknown>;
  if (level !== 'warn' && level !== 'error') return undefined;
  const cause =
    typeof error === 'object' && error !== null && 'message' in error ? `: ${String(error.message)}` : '';
  return `${level === 'error' ? 'error: ' : ''}${subjectOf(fields)}${String(msg)}${cause}`;
}

/** The fields that name what an entry is about; the first that is present is the narrowest. */
const subjects = ['device', 'task', 'computer'];

/** Names the subject of an entry, so that a person need not open the log file. */
function subjectOf(fields: Record<string, unknown>): string {
  const name = subjects.map((field) => fields[field]).find((value) => typeof value === 'string');
  return name === undefined ? '' : `${name}: `;
}

/** Passes only errors of nats-server on, because it warns of every client that disconnects. */
const natsLine = /^\[\d+\] \S+ \S+ \[(\w+)\] (.*)$/;

/** Processes of the service make sure that the broker refuses a client without credentials, which they call `nobody`. */
const ownCheck = /:nobody" - authentication error$/;

function plainWarning(text: string, stream: 'stdout' | 'stderr'): string | undefined {
  const marked = natsLine.exec(text);
  if (marked !== null) {
    const [, level, message = ''] = marked;
    return (level === 'ERR' || level === 'FTL') && !ownCheck.test(message) ? message : undefined;
  }
  return stream === 'stderr' && text.trim() !== '' ? text : undefined;
}
