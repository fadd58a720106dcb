import { ServiceError } from '@lab/contracts';
import { heartbeatText, type EventStream } from './event-stream.js';
import { requirePosition } from './feed-position.js';
import { Follower, type FeedSource, type Told } from './follower.js';
import type { AdmittedGuest, FeedOptions, StreamPlaces } from './stream-places.js';

/** Longest time for a client that catches up to read one piece, in milliseconds. */
const takingMs = 30_000;
/** Maximum number of characters in one piece. A longer entry is a piece of its own. */
const pieceLength = 64 * 1024;

interface Client<Filter> {
  stream: EventStream;
  guest: AdmittedGuest;
  filter: Filter | undefined;
  endsAt: number;
  /** Id up to which the client has every entry that it wants. */
  position: number;
}

/**
 * Sends entries to all clients of this gateway. One reader follows the source for all clients, and none while there is no
 * client. Only a client that asks for entries that left the memory catches up by reads of its own.
 */
export class Feed<Entry extends { id: number }, Filter extends object> {
  readonly #source: FeedSource<Entry, Filter>;
  readonly #options: FeedOptions;
  readonly #places: StreamPlaces;
  readonly #live = new Set<Client<Filter>>();
  /** Number of streams, including those that catch up. */
  readonly #streams = new Set<EventStream>();
  /** Number of requests with a stream, or that may still get one. */
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
   * Sends a client the entries that it asks for, from behind `after` until the client leaves.
   *
   * @param after undefined: only new entries
   * @param guest who asks
   * @param open makes the stream, after all checks of the request
   * @throws ServiceError `too_many_requests` when the guest has enough streams; `service_unavailable` when there are too many
   *   clients; `events_pruned` when entries behind
   *   `after` were removed; `invalid` when the entry does not exist yet; `store_unavailable`
   */
  async serve(
    filter: Filter,
    after: number | undefined,
    guest: AdmittedGuest,
    open: (onEnd: () => void) => EventStream,
  ): Promise<void> {
    this.#guests += 1;
    let client: Client<Filter>;
    let follower: Follower<Entry>;
    try {
      follower = await this.#following();
      if (after !== undefined) await requirePosition(this.#source, this.#source.nouns, after, '?after');
      // No await between taking the place and opening the stream: otherwise more streams than allowed could open.
      client = this.#admit(filter, after ?? follower.position, guest, open);
    } catch (error) {
      this.#leave();
      throw error;
    }
    const { stream } = client;
    stream.write(heartbeatText(client.position));
    try {
      while (await this.#catchUp(client, follower));
    } catch {
      // The answer has begun, so it cannot become a problem document. The client reconnects.
      stream.end(`: the ${this.#source.nouns[1]} cannot be read at present\n\n`);
    }
    // No await from here on: otherwise an entry could be lost between the memory and the new entries.
    if (!stream.open || this.#closed) return;
    this.#send(client, follower.behind(client.position));
    stream.write(heartbeatText(client.position));
    this.#live.add(client);
  }

  /** Ends all streams and stops following. */
  close(): void {
    this.#closed = true;
    this.#rest();
    for (const stream of [...this.#streams]) stream.end(': the service is stopping here\n\n');
  }

  /** @throws ServiceError `too_many_requests`, `service_unavailable` */
  #admit(
    filter: Filter,
    position: number,
    guest: AdmittedGuest,
    open: (onEnd: () => void) => EventStream,
  ): Client<Filter> {
    if (this.#closed) throw new ServiceError('service_unavailable', 'The service is stopping here.');
    const leavePlace = this.#places.take(guest);
    let isHere = true;
    const leave = (): void => {
      if (!isHere) return;
      isHere = false;
      this.#live.delete(client);
      this.#streams.delete(client.stream);
      leavePlace();
      this.#leave();
    };
    const client: Client<Filter> = {
      filter: Object.keys(filter).length === 0 ? undefined : filter,
      guest,
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

  /** Stops following until a client arrives. */
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
   * Sends a client a page of the entries that it lacks, and waits until it has read them.
   *
   * @returns false when the remaining entries are in memory and fit into one piece
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
    // Everything up to there has been read, though the client may not want all of it.
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

  /** Sends new entries to every client. */
  #spread(page: readonly Told<Entry>[]): void {
    const all = textOf(page);
    for (const client of [...this.#live]) this.#send(client, page, all);
  }

  /** Entries were removed before this gateway read them: every client has missed them. */
  #breakOff(pruned: number): void {
    for (const { stream, position } of [...this.#live]) stream.end(gapText(position, pruned));
  }

  /**
   * Sends the entries of a page that a client wants and lacks: a client may have read ahead of the feed.
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
    for (const { stream, guest, endsAt, position } of [...this.#live]) {
      stream.write(heartbeatText(position));
      void guest.isAdmitted().then((isAdmitted) => {
        if (!isAdmitted) stream.end(': the token or the session has ended\n\n');
      });
      if (now >= endsAt) stream.end(': come again with the header Last-Event-ID\n\n');
    }
  }
}

function textOf(page: readonly Told<unknown>[]): string {
  return page.map(({ text }) => text).join('');
}

/** The texts of entries, joined into pieces. */
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

/** Entries behind the position of a client were removed before the client got them. */
function gapText(after: number, oldest: number): string {
  return `event: gap\ndata: ${JSON.stringify({ after, oldest })}\n\n`;
}
