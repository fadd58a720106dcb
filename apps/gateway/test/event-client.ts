import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { ServiceEvent } from '@lab/contracts';

/** A client of a stream, like a browser, that records everything it receives. */
export class EventClient<Entry = ServiceEvent> {
  readonly headers: Headers;
  readonly comments: string[] = [];
  readonly #events: Entry[] = [];
  readonly #response: IncomingMessage;
  #taken = 0;
  #changed: () => void = () => undefined;
  /** The last id that arrived, with data or without. */
  lastId = 0;
  /** The report of the stream about a gap. */
  gap: unknown;
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;

  /** @throws Error with the answer when it is no stream */
  static async open<Entry = ServiceEvent>(
    url: string,
    headers: Record<string, string> = {},
  ): Promise<EventClient<Entry>> {
    // Uses a separate connection: `fetch` would open another one after the stream, and the server waits for that at
    // its end.
    const asked = request(url, { headers, agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${await textOf(response)}`);
    return new EventClient<Entry>(response);
  }

  private constructor(response: IncomingMessage) {
    this.headers = new Headers(response.headers as Record<string, string>);
    this.#response = response;
    this.ended = this.#read(response);
  }

  /** Waits for the next `count` events that no earlier call returned. @throws Error when the stream ends before */
  async next(count: number): Promise<Entry[]> {
    await this.#until(() => this.#events.length >= this.#taken + count, `${count} more events`);
    return this.#events.slice(this.#taken, (this.#taken += count));
  }

  /**
   * Waits until the event with an id arrived and returns all events that no earlier call returned.
   *
   * @throws Error when the stream ends before
   */
  async until(id: number): Promise<Entry[]> {
    await this.#until(() => this.lastId >= id, `event ${id}`);
    return this.#events.slice(this.#taken, (this.#taken = this.#events.length));
  }

  close(): void {
    this.#response.destroy();
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    let over = false;
    void this.ended.then(() => {
      over = true;
      this.#changed();
    });
    while (!holds()) {
      if (over) throw new Error(`the stream ended at ${this.lastId} before ${what}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async #read(body: AsyncIterable<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
        this.#changed();
      }
    } catch {
      // Closed here, or broken off by the other side: the end in either case.
    }
    this.#changed();
  }

  #take(block: string): void {
    let [type, data] = ['', ''];
    for (const line of block.split('\n')) {
      if (line.startsWith(': ')) this.comments.push(line.slice(2));
      else if (line.startsWith('id: ')) this.lastId = Number(line.slice(4));
      else if (line.startsWith('event: ')) type = line.slice(7);
      else if (line.startsWith('data: ')) data += line.slice(6);
    }
    if (type === 'gap') this.gap = JSON.parse(data);
    else if (data !== '') this.#events.push(JSON.parse(data) as Entry);
  }
}
