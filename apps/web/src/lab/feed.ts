import { ProblemError, type ApiClient } from '@lab/api-client';
import { readEvent, type LabEvent } from '@lab/web-model';

/** What a tab hears of the laboratory. */
export interface FeedListener {
  event(event: LabEvent): void;
  /** The service is there: a heartbeat or anything else came. */
  alive(): void;
  /** Events may have been missed, so everything must be read again. */
  gap(): void;
  /** The service asks who this is. */
  signedOut(): void;
}

type Message = { kind: 'event'; event: LabEvent } | { kind: 'alive' | 'gap' | 'signedOut' };
/** What a new tab says to the tab that reads, which answers at once if it has heard the service lately. */
type Hello = { kind: 'hello' };

const pauseMs = 1_000;
/** What a tab tells the others is taken together for this time, in milliseconds. A message for each event would be slow. */
const batchMs = 100;
/** The service says something at least this often, in milliseconds. */
const heartbeatMs = 15_000;
const name = 'svc-events';

/**
 * Follows the events of the service with one stream per browser: the tab that holds a lock reads it and tells the others. A
 * browser opens six connections to a server over HTTP/1.1, so that a stream for each tab would stop the seventh tab. Web
 * Locks exist only on HTTPS and on this computer; elsewhere each tab has a stream of its own.
 */
export function follow(client: ApiClient, listener: FeedListener, signal: AbortSignal): void {
  // Not every browser has it, whatever the types say.
  const locks = (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
  if (locks === undefined) {
    void read(client, (message) => tell(listener, message), signal);
    return;
  }
  const others = new BroadcastChannel(name);
  /** When this tab, as the one that reads, last heard the service. */
  let heardAt = -Infinity;
  others.onmessage = ({ data }: MessageEvent<readonly Message[] | Hello>) => {
    if ('kind' in data) {
      if (performance.now() - heardAt < heartbeatMs)
        others.postMessage([{ kind: 'alive' }] satisfies Message[]);
    } else for (const message of data) tell(listener, message);
  };
  let waiting: Message[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pass = (): void => {
    clearTimeout(timer);
    timer = undefined;
    others.postMessage(waiting);
    waiting = [];
  };
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    others.close();
  });
  listener.gap();
  others.postMessage({ kind: 'hello' } satisfies Hello);
  const lead = (): Promise<void> =>
    read(
      client,
      (message) => {
        tell(listener, message);
        heardAt = performance.now();
        if (signal.aborted) return;
        // An event says as well that the service is there. A gap does not.
        const isSaid = waiting.some(({ kind }) => kind === 'alive' || kind === 'event');
        if (message.kind !== 'alive' || !isSaid) waiting.push(message);
        // The browser lets a timer of a hidden tab wait for up to a minute.
        if (document.hidden) pass();
        else timer ??= setTimeout(pass, batchMs);
      },
      signal,
    );
  locks.request(name, { signal }, lead).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function tell(listener: FeedListener, message: Message): void {
  if (message.kind === 'event') listener.event(message.event);
  else listener[message.kind]();
}

/** Reads the stream until the signal is aborted. */
async function read(client: ApiClient, say: (message: Message) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const stream = client.events('/api/events', {
        signal,
        onOpen: (after) => say({ kind: after === undefined ? 'gap' : 'alive' }),
        onArrival: () => say({ kind: 'alive' }),
      });
      for await (const { event: kind, data } of stream) {
        if (kind === 'gap') break;
        const event = readEvent(data);
        if (event !== undefined) say({ kind: 'event', event });
      }
    } catch (error) {
      if (error instanceof ProblemError && error.status === 401) say({ kind: 'signedOut' });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
