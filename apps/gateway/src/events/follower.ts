import { setImmediate } from 'node:timers/promises';

/** A source of entries with rising ids. The oldest entries may have been removed. */
export interface FeedSource<Entry, Filter> {
  /** Singular and plural of the entries, for messages. */
  readonly nouns: readonly [string, string];
  /** Interval of polls for new entries, in milliseconds. */
  readonly pollMs: number;
  /** Entries of one read. A client may be this far behind, beside what its stream allows. */
  readonly pageSize: number;
  /** Id of the latest entry, 0 before the first, and up to which id entries may have been removed. */
  extent(): Promise<{ latest: number; pruned: number }>;
  /**
   * The first entries behind an id. No entry will ever appear before the last of them.
   *
   * @param filter entries that do not pass may be left out
   */
  after(id: number, limit: number, filter?: Filter): Promise<{ pruned: number; entries: Entry[] }>;
  /** Calls back soon after entries were added. It may be late, or not called at all. */
  listen?(onEntries: () => void): void;
  isWanted(entry: Entry, filter: Filter): boolean;
  /** The text of an entry for a client. */
  text(entry: Entry): string;
}

/** An entry and its text. */
export interface Told<Entry> {
  readonly entry: Entry;
  readonly text: string;
}

/** Limits of the memory for clients that reconnect: entries, and characters of their texts. */
const keptEntries = 5_000;
const keptLength = 8 * 1024 * 1024;
/** Shortest time between two reads, in milliseconds, so that entries in quick succession are sent together. */
const paceMs = 40;

/** Follows a source from its end, page by page, and keeps the latest entries in memory until it is stopped. */
export class Follower<Entry extends { id: number }> {
  readonly #source: FeedSource<Entry, never>;
  readonly #onPage: (page: readonly Told<Entry>[]) => void;
  readonly #onGap: (pruned: number) => void;
  readonly #timer: NodeJS.Timeout;
  #recent: Told<Entry>[] = [];
  #length = 0;
  #floor: number;
  #position: number;
  #stopped = false;
  #isReading = false;
  #called = false;

  /**
   * @param latest id of the entry behind which to begin
   * @param onPage gets the entries of each page
   * @param onGap gets the id up to which entries were removed before they were read; the memory is dropped
   */
  constructor(
    source: FeedSource<Entry, never>,
    latest: number,
    onPage: (page: readonly Told<Entry>[]) => void,
    onGap: (pruned: number) => void,
  ) {
    this.#source = source;
    this.#floor = this.#position = latest;
    this.#onPage = onPage;
    this.#onGap = onGap;
    this.#timer = setInterval(() => this.look(), source.pollMs);
  }

  /** Id of the last entry read. */
  get position(): number {
    return this.#position;
  }

  /** All entries behind this id, up to {@link position}, are in memory. */
  get floor(): number {
    return this.#floor;
  }

  /** The entries in memory behind an id. */
  behind(id: number): Told<Entry>[] {
    return this.#recent.filter(({ entry }) => entry.id > id);
  }

  /** Reads new entries, also soon after a read that is under way. */
  look(): void {
    this.#called = true;
    if (!this.#isReading) void this.#readOn();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async #readOn(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#called && !this.#stopped) {
        this.#called = false;
        // Lets the sockets send in between.
        while (await this.#readPage()) await setImmediate();
        await new Promise((resolve) => setTimeout(resolve, paceMs));
      }
    } catch {
      // The database does not answer. The next read follows within one poll; clients get heartbeats meanwhile.
    }
    this.#isReading = false;
  }

  /** @returns whether there may be more entries */
  async #readPage(): Promise<boolean> {
    const { pruned, entries } = await this.#source.after(this.#position, this.#source.pageSize);
    if (this.#stopped) return false;
    if (pruned > this.#position) {
      [this.#recent, this.#length] = [[], 0];
      this.#floor = this.#position = pruned;
      this.#onGap(pruned);
    }
    const page = entries.map((entry) => ({ entry, text: this.#source.text(entry) }));
    const last = page.at(-1);
    if (last === undefined) return false;
    this.#position = last.entry.id;
    this.#keep(page);
    this.#onPage(page);
    return page.length === this.#source.pageSize;
  }

  #keep(page: readonly Told<Entry>[]): void {
    this.#recent.push(...page);
    for (const { text } of page) this.#length += text.length;
    let excess = 0;
    while (this.#recent.length - excess > keptEntries || this.#length > keptLength) {
      const oldest = this.#recent[excess];
      if (oldest === undefined) break;
      this.#length -= oldest.text.length;
      this.#floor = oldest.entry.id;
      excess += 1;
    }
    if (excess > 0) this.#recent = this.#recent.slice(excess);
  }
}
