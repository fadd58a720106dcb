import { ProblemError } from './errors.js';
import { pause } from './pause.js';

/** One event of a stream. Its fields have the names of the standard (WHATWG HTML, server-sent events). */
export interface ServerEvent {
  /** Id of this event, or else of the last event with an id; empty before the first. */
  id: string;
  event: string;
  data: string;
}

/** Milliseconds of silence after which a stream counts as dead. Heartbeats come far more often. */
const silentMs = 60_000;
const firstPauseMs = 250;
const longestPauseMs = 15_000;

/**
 * Reads events over as many connections as necessary.
 *
 * @param open makes a connection that continues after the event with this id
 * @param signal ends the stream without an error
 * @param onArrival called for every piece that arrives, also for a heartbeat
 * @throws ProblemError when the service refuses the stream, except with status 429 or 503
 */
export async function* eventsOf(
  open: (after: string | undefined) => Promise<Response>,
  after: string | undefined,
  signal: AbortSignal | undefined,
  onArrival?: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  let last = after;
  let pauseMs = firstPauseMs;
  const isOver = (): boolean => signal?.aborted === true;
  while (!isOver()) {
    try {
      const response = await open(last);
      const arrived = (id: string): void => {
        pauseMs = firstPauseMs;
        if (id !== '') last = id;
      };
      for await (const event of parse(chunks(response, onArrival), last ?? '', arrived)) {
        yield event;
      }
    } catch (error) {
      if (isOver()) return;
      if (error instanceof ProblemError && error.status !== 503 && error.status !== 429) throw error;
    }
    await pause(pauseMs, signal).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function* chunks(response: Response, onArrival?: () => void): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      timer = setTimeout(() => void reader.cancel().catch(() => undefined), silentMs);
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      onArrival?.();
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Parses the format of the standard. An incomplete event at the end is dropped.
 *
 * @param arrived gets the id after every block, also after a block without data: the client has every wanted event up
 *   to this id
 */
async function* parse(
  texts: AsyncIterable<string>,
  lastId: string,
  arrived: (id: string) => void,
): AsyncGenerator<ServerEvent> {
  let rest = '';
  let id = lastId;
  let event = '';
  let data: string[] = [];
  for await (const text of texts) {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        arrived(id);
        if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon === -1 ? line : line.slice(0, colon);
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      else if (field === 'event') event = value;
      else if (field === 'id' && !value.includes('\0')) id = value;
    }
  }
}
