import { format } from 'node:util';
import type { AuthorLog } from '../author/index.js';
import type { LogLevel } from './messages.js';

/** Longest part of an unfinished line that is kept, in characters. Without a limit, progress dots would pile up. */
const longestRest = 8_192;

type Write = (level: LogLevel, text: string) => void;

/** The log object of author code. */
export function authorLog(write: Write): AuthorLog {
  const at =
    (level: LogLevel) =>
    (...parts: unknown[]): void =>
      write(level, format(...parts));
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Turns all output of this process into log messages from now on: the methods of `console` with their level, lines on
 * `process.stdout` as `info`, lines on `process.stderr` as `error`.
 *
 * @returns a function that sends the last unfinished line; call it before the process ends
 */
export function captureConsole(write: Write): () => void {
  const log = authorLog(write);
  console.debug = log.debug;
  console.log = console.info = log.info;
  console.warn = log.warn;
  console.error = console.trace = log.error;
  const flushes = [captureStream('stdout', 'info', write), captureStream('stderr', 'error', write)];
  return () => {
    for (const flush of flushes) flush();
  };
}

/** Patches a stream on its first use, because Node opens it only then and opening takes time. */
function captureStream(name: 'stdout' | 'stderr', level: LogLevel, write: Write): () => void {
  let rest = '';
  const open = Object.getOwnPropertyDescriptor(process, name)?.get;
  let patched: NodeJS.WriteStream | undefined;
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: (): NodeJS.WriteStream | undefined => {
      if (patched === undefined && open !== undefined) {
        patched = open.call(process) as NodeJS.WriteStream;
        patched.write = capture as typeof patched.write;
      }
      return patched;
    },
  });
  function capture(chunk: unknown, ...more: unknown[]): boolean {
    const encoding = typeof more[0] === 'string' ? (more[0] as BufferEncoding) : undefined;
    const text =
      chunk instanceof Uint8Array
        ? Buffer.from(chunk).toString('utf8')
        : Buffer.from(String(chunk), encoding).toString();
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) write(level, line);
    if (rest.length > longestRest) flush();
    const done = more.find((argument) => typeof argument === 'function') as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return true;
  }
  function flush(): void {
    if (rest !== '') write(level, rest);
    rest = '';
  }
  return flush;
}
