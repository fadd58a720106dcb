import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@lab/contracts';
import { heartbeatText, type EventStream } from './event-stream.js';
import { requirePosition } from './feed-position.js';
import { Follower, type FeedSource, type Told } from './follower.js';

/** How feeds keep their clients; a class, because Nest injects by it. */
export class FeedOptions {
  /** Streams at once, of all feeds together. */
  clients = 200;
  /** Between two signs of life, in milliseconds. */
  heartbeatMs = 15_000;
  /** How long one stream lasts: then the client comes again, and is asked again who it is. */
  lifeMs = 3_600_000;
}

/** How many streams are open, of all feeds together. */
@Injectable()
export class StreamPlaces {
  readonly #most: number;
  #taken = 0;

  constructor(@Inject(FeedOptions) { clients }: FeedOptions) {
    this.#most = clients;
  }

  /** @throws ServiceError `service_unavailable` when there is none */
  take(): void {
    if (this.#taken >= this.#most)
      throw new ServiceError(
        'service_unavailable',
        `There are ${this.#most} streams open here, and no more are served.`,
        { retryAfterS: 10 },
      );
    this.#taken += 1;
  }

  leave(): void {
    this.#taken -= 1;
  }
}

/** How long a client that is brought up to date may take for one piece, in milliseconds. */
const takingMs = 30_000;
/** Characters that are sent in one piece, but for an entry that is longer. */
const pieceLength = 64 * 1024;

interface Client<Filter> {
  stream: EventStream;
  filter: Filter | undefined;
  endsAt: number;
  /** It has everything that it wants up to this entry. */
  position: number;
}

/**
 * Entries for everybody who listens here. One reader follows the source, however many clients there are, and none as long
 * as there is no client; only a client that asks for what is not at hand any more is brought up to date by reads of its own.
 */
export class Feed<Entry extends { id: number }, Filter extends object> {
  readonly #source: FeedSource<Entry, Filter>;
  readonly #options: FeedOptions;
  readonly #places: StreamPlaces;
  readonly #live = new Set<Client<Filter>>();
  /** Streams, those that are being brought up to date included. */
  readonly #streams = new Set<EventStream>();
  /** Requests that are being answered: those with a stream, and those that still may get one. */
  #guests = 0;
  #follower: Promise<Follower<Entry>> | undefined;
  #listens = false;
  #closed = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(source: FeedSource<Entry, Filter>, options: FeedOptions, places: StreamPlaces) {
    this.#source = source;
    this.#options = options;
    this.#places = places;
  }

  /**
   * Sends a client what it asks for, from the entry behind `after` on and for as long as it stays.
   *
   * @param after undefined: only what comes from now on
   * @param open makes the stream, once nothing can be wrong with the request any more
   * @throws ServiceError `service_unavailable` when there are too many clients; `events_pruned` when entries behind
   *   `after` are kept no longer; `invalid` when there is no such entry yet; `store_unavailable`
   */
  async serve(
    filter: Filter,
    after: number | undefined,
    open: (onEnd: () => void) => EventStream,
  ): Promise<void> {
    this.#guests += 1;
    let client: Client<Filter>;
    let follower: Follower<Entry>;
    try {
      follower = await this.#following();
      if (after !== undefined) await requirePosition(this.#source, this.#source.nouns, after, '?after');
      // Nothing is awaited between the place and the stream, so that no more of them open than may.
      client = this.#admit(filter, after ?? follower.position, open);
    } catch (error) {
      this.#leave();
      throw error;
    }
    const { stream } = client;
    stream.write(heartbeatText(client.position));
    try {
      while (await this.#catchUp(client, follower));
    } catch {
      // The answer has begun and cannot become a problem any more; the client comes again.
      stream.end(`: the ${this.#source.nouns[1]} cannot be read at present\n\n`);
    }
    // From here on without a pause, so that nothing falls between what is at hand and what comes.
    if (!stream.open || this.#closed) return;
    this.#send(client, follower.behind(client.position));
    stream.write(heartbeatText(client.position));
    this.#live.add(client);
  }

  /** Ends all streams, and follows no more. */
  close(): void {
    this.#closed = true;
    this.#rest();
    for (const stream of [...this.#streams]) stream.end(': the service is stopping here\n\n');
  }

  /** @throws ServiceError `service_unavailable` */
  #admit(filter: Filter, position: number, open: (onEnd: () => void) => EventStream): Client<Filter> {
    if (this.#closed) throw new ServiceError('service_unavailable', 'The service is stopping here.');
    this.#places.take();
    let isHere = true;
    const leave = (): void => {
      if (!isHere) return;
      isHere = false;
      this.#live.delete(client);
      this.#streams.delete(client.stream);
      this.#places.leave();
      this.#leave();
    };
    const client: Client<Filter> = {
      filter: Object.keys(filter).length === 0 ? undefined : filter,
      endsAt: Date.now() + this.#options.lifeMs,
      position,
      stream: open(leave),
    };
    this.#streams.add(client.stream);
    if (!client.stream.open) leave();
    return client;
  }

  #leave(): void {
    this.#guests -= 1;
    if (this.#guests === 0) this.#rest();
  }

  /** Follows no more, until somebody comes. */
  #rest(): void {
    clearInterval(this.#heartbeat);
    void this.#follower?.then(
      (follower) => follower.stop(),
      () => undefined /* it never began */,
    );
    this.#follower = undefined;
  }

  #following(): Promise<Follower<Entry>> {
    if (this.#follower !== undefined) return this.#follower;
    const beginning = this.#begin();
    this.#follower = beginning;
    beginning.catch(() => {
      if (this.#follower === beginning) this.#follower = undefined;
    });
    return beginning;
  }

  async #begin(): Promise<Follower<Entry>> {
    const { latest } = await this.#source.extent();
    const follower = new Follower<Entry>(
      this.#source,
      latest,
      (page) => this.#spread(page),
      (pruned) => this.#breakOff(pruned),
    );
    if (this.#closed) return follower;
    this.#heartbeat = setInterval(() => this.#beat(), this.#options.heartbeatMs);
    if (!this.#listens) this.#source.listen?.(() => this.#look());
    this.#listens = true;
    return follower;
  }

  #look(): void {
    this.#follower?.then(
      (follower) => follower.look(),
      () => undefined /* it never began */,
    );
  }

  /**
   * Sends a client a page of what it has not got, and waits until it has taken that.
   *
   * @returns false when what is left is at hand, and little enough to be sent at once
   */
  async #catchUp(client: Client<Filter>, follower: Follower<Entry>): Promise<boolean> {
    const { stream, filter, position } = client;
    if (!stream.open || this.#closed) return false;
    if (position >= follower.floor) {
      const rest = follower.behind(position);
      if (rest.reduce((length, { text }) => length + text.length, 0) <= pieceLength) return false;
      await this.#hand(client, rest.slice(0, this.#source.pageSize));
      return true;
    }
    const { floor } = follower;
    const { pruned, entries } = await this.#source.after(position, this.#source.pageSize, filter);
    if (pruned > position) {
      stream.end(gapText(position, pruned));
      return false;
    }
    await this.#hand(
      client,
      entries.map((entry) => ({ entry, text: this.#source.text(entry) })),
    );
    // All that it wants up to there has been read; much of what lies between it may not want.
    if (entries.length < this.#source.pageSize) client.position = Math.max(client.position, floor);
    return true;
  }

  async #hand(client: Client<Filter>, page: readonly Told<Entry>[]): Promise<void> {
    for (const piece of pieces(this.#wanted(client, page))) {
      client.stream.write(piece);
      await client.stream.taken(takingMs);
    }
    client.position = Math.max(client.position, page.at(-1)?.entry.id ?? 0);
  }

  /** Sends everybody what has come. */
  #spread(page: readonly Told<Entry>[]): void {
    const all = textOf(page);
    for (const client of [...this.#live]) this.#send(client, page, all);
  }

  /** Entries were removed before they were read here: whoever listens has missed them. */
  #breakOff(pruned: number): void {
    for (const { stream, position } of [...this.#live]) stream.end(gapText(position, pruned));
  }

  /**
   * Sends what a client wants of a page, and has not got before: it may have read ahead of the feed.
   *
   * @param all the text of the whole page
   */
  #send(client: Client<Filter>, page: readonly Told<Entry>[], all?: string): void {
    const { stream, filter, position } = client;
    const [first, last] = [page[0]?.entry.id, page.at(-1)?.entry.id];
    if (first === undefined || last === undefined) return;
    const isWhole = filter === undefined && first > position;
    const text = isWhole && all !== undefined ? all : textOf(this.#wanted(client, page));
    client.position = Math.max(position, last);
    if (text !== '') stream.write(text);
  }

  #wanted({ filter, position }: Client<Filter>, page: readonly Told<Entry>[]): Told<Entry>[] {
    return page.filter(
      ({ entry }) => entry.id > position && (filter === undefined || this.#source.isWanted(entry, filter)),
    );
  }

  #beat(): void {
    const now = Date.now();
    for (const { stream, endsAt, position } of [...this.#live]) {
      stream.write(heartbeatText(position));
      if (now >= endsAt) stream.end(': come again with the header Last-Event-ID\n\n');
    }
  }
}

function textOf(page: readonly Told<unknown>[]): string {
  return page.map(({ text }) => text).join('');
}

/** The texts of entries, many of them together. */
function* pieces(page: readonly Told<unknown>[]): Generator<string, void, undefined> {
  let piece = '';
  for (const { text } of page) {
    if (piece !== '' && piece.length + text.length > pieceLength) {
      yield piece;
      piece = '';
    }
    piece += text;
  }
  if (piece !== '') yield piece;
}

/** Entries behind the last one that a client has were removed before it got them. */
function gapText(after: number, oldest: number): string {
  return `event: gap\ndata: ${JSON.stringify({ after, oldest })}\n\n`;
}
