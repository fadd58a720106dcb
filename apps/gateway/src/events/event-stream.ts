import type { FastifyReply } from 'fastify';

/** Maximum number of bytes that wait for a client. A client that is further behind reads too slowly. */
export const maxBehindBytes = 1024 * 1024;

/** Time for a slow client to read the rest before the connection is closed, in milliseconds. */
const partingMs = 5_000;

/** The answer to one client: server-sent events (HTML Living Standard, 9.2), until one side ends it. */
export class EventStream {
  readonly #reply: FastifyReply;
  #open = true;

  /** Sends the headers. @param onEnd called once, whichever side ends the stream */
  constructor(reply: FastifyReply, onEnd: () => void) {
    this.#reply = reply;
    const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream; charset=utf-8' };
    reply.hijack();
    // The answer ends with the connection: chunk frames would cost a third of the processor time.
    reply.raw.useChunkedEncodingByDefault = false;
    // A buffering proxy would delay events. A connection that stays open after the end would delay a shutdown.
    reply.raw.writeHead(200, { ...headers, 'x-accel-buffering': 'no', connection: 'close' } as Record<
      string,
      string
    >);
    reply.raw.flushHeaders();
    reply.raw.socket?.setNoDelay(true);
    if (reply.raw.destroyed) this.#open = false;
    reply.raw.once('close', () => {
      this.#open = false;
      onEnd();
    });
    reply.raw.on('error', () => undefined /* `close` follows */);
  }

  get open(): boolean {
    return this.#open;
  }

  /** Sends text, or ends the stream when too much text already waits. */
  write(text: string): void {
    if (!this.#open) return;
    if (this.#reply.raw.writableLength > maxBehindBytes)
      this.end(': too slow: go on with the header Last-Event-ID\n\n');
    else this.#reply.raw.write(text);
  }

  /** Resolves when the client has read everything or has left. Ends the stream after `limitMs` otherwise. */
  async taken(limitMs: number): Promise<void> {
    const { raw } = this.#reply;
    if (!this.#open || !raw.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        raw.off('drain', over).off('close', over);
        resolve();
      };
      const timer = setTimeout(() => {
        this.end(': too slow: go on with the header Last-Event-ID\n\n');
        over();
      }, limitMs);
      raw.once('drain', over).once('close', over);
    });
  }

  /** Ends the stream. @param last text to send before the end */
  end(last: string): void {
    if (!this.#open) return;
    this.#open = false;
    const { raw } = this.#reply;
    raw.end(last);
    const timer = setTimeout(() => raw.destroy(), partingMs);
    timer.unref();
    raw.once('close', () => clearTimeout(timer));
  }
}

/** The text of one entry. @param type a name without line breaks */
export function entryText(type: string, entry: { id: number }): string {
  return `id: ${entry.id}\nevent: ${type}\ndata: ${JSON.stringify(entry)}\n\n`;
}

/**
 * A heartbeat with the id up to which the client has everything: an id without data is no event, but moves the position from
 * which a client continues.
 */
export function heartbeatText(id: number): string {
  return `: heartbeat\nid: ${id}\n\n`;
}
