import { format } from 'node:util';
import type { AuthorLog } from '../author/log.js';
import type { LogLevel } from './messages.js';

/** What may be kept of a line whose end has not come, in characters: dots of progress would pile up for ever. */
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
 * From here on whatever this process prints becomes log messages: the methods of `console` with their level, lines
 * written to `process.stdout` as `info`, to `process.stderr` as `error`.
 *
 * @returns sends what was written without an end of line; call it before the process ends
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

/** The streams are opened by Node when first used, which takes a while; so they are only patched then. */
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
