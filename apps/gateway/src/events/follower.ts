import { setImmediate } from 'node:timers/promises';

/** What is followed: entries with rising ids, of which the oldest may be gone. */
export interface FeedSource<Entry, Filter> {
  /** What entries are called, one and many. */
  readonly nouns: readonly [string, string];
  /** How often it is looked for new ones without being called, in milliseconds. */
  readonly pollMs: number;
  /** Entries that are read at once: so much a client may be behind, beside what its stream allows. */
  readonly pageSize: number;
  /** Id of the latest entry, 0 before the first, and up to which id entries may have been removed. */
  extent(): Promise<{ latest: number; pruned: number }>;
  /**
   * The first entries behind an id: behind the last of them nothing earlier appears.
   *
   * @param filter entries that it does not want may be left out
   */
  after(id: number, limit: number, filter?: Filter): Promise<{ pruned: number; entries: Entry[] }>;
  /** Calls back soon after entries were added. It may be late, or not called at all. */
  listen?(onEntries: () => void): void;
  isWanted(entry: Entry, filter: Filter): boolean;
  /** An entry as a client gets it. */
  text(entry: Entry): string;
}

/** An entry, and how it is told. */
export interface Told<Entry> {
  readonly entry: Entry;
  readonly text: string;
}

/** What is kept for clients that come again: entries, and characters of their texts. */
const keptEntries = 5_000;
const keptLength = 8 * 1024 * 1024;
/** Shortest time between two looks, in milliseconds: entries that come fast go out together. */
const paceMs = 40;

/** Reads a source on from its end, page by page, and keeps the latest entries at hand, until it is stopped. */
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
   * @param latest id of the entry behind which it begins
   * @param onPage told of entries as they are read
   * @param onGap told when entries were removed before they were read, and up to which id: what was kept is dropped
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

  /** Id of the last entry that was read. */
  get position(): number {
    return this.#position;
  }

  /** All entries behind this id, up to {@link position}, are at hand. */
  get floor(): number {
    return this.#floor;
  }

  /** The entries at hand behind an id. */
  behind(id: number): Told<Entry>[] {
    return this.#recent.filter(({ entry }) => entry.id > id);
  }

  /** Reads what has come; also soon after a look that is under way. */
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
        // What was sent goes out in between.
        while (await this.#readPage()) await setImmediate();
        await new Promise((resolve) => setTimeout(resolve, paceMs));
      }
    } catch {
      // The database does not answer. The next look is at most a poll away; the clients have heartbeats meanwhile.
    }
    this.#isReading = false;
  }

  /** @returns whether there may be more */
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
