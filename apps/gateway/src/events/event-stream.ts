import type { FastifyReply } from 'fastify';

/** Bytes that may wait for a client; one that is further behind takes less than there is. */
export const maxBehindBytes = 1024 * 1024;

/** How long a client that is behind has to take the rest before the connection is broken, in milliseconds. */
const partingMs = 5_000;

/** The answer to one client: server-sent events (HTML Living Standard, 9.2), for as long as both sides want. */
export class EventStream {
  readonly #reply: FastifyReply;
  #open = true;

  /** Sends the headers. @param onEnd called once, whoever ends it */
  constructor(reply: FastifyReply, onEnd: () => void) {
    this.#reply = reply;
    const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream; charset=utf-8' };
    reply.hijack();
    // It ends with the connection, so that no piece needs a frame of its own, which costs a third of the processor time.
    reply.raw.useChunkedEncodingByDefault = false;
    // Proxies that collect what they pass on would hold events back; a connection kept after the end, a shutdown.
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

  /** Sends text, or ends the stream when too much waits already. */
  write(text: string): void {
    if (!this.#open) return;
    if (this.#reply.raw.writableLength > maxBehindBytes)
      this.end(': too slow: go on with the header Last-Event-ID\n\n');
    else this.#reply.raw.write(text);
  }

  /** Resolves when the client has taken what was sent, or has gone; it is ended after `limitMs` without that. */
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

  /** @param last sent before the end */
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

/** One entry as a client gets it. @param type a name without line breaks */
export function entryText(type: string, entry: { id: number }): string {
  return `id: ${entry.id}\nevent: ${type}\ndata: ${JSON.stringify(entry)}\n\n`;
}

/**
 * A sign of life that also says up to where the client has seen everything: an id without data moves the position from
 * which it goes on, and is no event.
 */
export function heartbeatText(id: number): string {
  return `: heartbeat\nid: ${id}\n\n`;
}
