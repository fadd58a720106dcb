import type { ApiClient } from '@lab/api-client';
import { hear, noRecords, type LabEvent, type RecordList, type Records } from '@lab/web-model';
import { follow } from './feed.js';
import { isSignedOut, reasonOf } from './reasons.js';
import { readPages } from './read-pages.js';
import { readSeen } from './seen.js';

/** What the page knows at a moment. */
export interface Sight {
  records: Records;
  /** False until every list was read once. */
  isComplete: boolean;
  /** Lists of which the page keeps the first {@link most} records of more. */
  cut: ReadonlySet<RecordList>;
  /** Why a list could not be read, in a sentence; undefined: all could. */
  trouble: string | undefined;
}

/** Hears the events of each batch, oldest first; `gap`: some may have been missed. */
export type Hearer = (events: readonly LabEvent[] | 'gap') => void;

/** Events are taken together for this time, in milliseconds, so that a burst is drawn once. */
const batchMs = 250;
/** Time before a list that could not be read is read again, in milliseconds. */
const retryMs = 2_000;
const open = 'created,running,paused,needs_attention';
/** Time between two readings of a list of which no event tells this person, in milliseconds. */
const pollMs = 5_000;
/** Events of computers and of the queue name no laboratory, so that a person of single ones does not get them. */
const polled: readonly RecordList[] = ['agents', 'queue'];
/** Longest lists that are kept. Nobody looks at more at once. */
export const most = 2_000;

/** The laboratory as the page sees it: read once, then brought up to date by events. */
export class LiveLab {
  #sight: Sight = { records: noRecords, cut: new Set(), isComplete: false, trouble: undefined };
  readonly #listeners = new Set<() => void>();
  readonly #hearers = new Set<Hearer>();
  #heardAt: number | undefined;
  readonly #end = new AbortController();
  readonly #read = new Set<RecordList>();
  /** Why lists could not be read when they were last asked for. */
  readonly #troubles = new Map<RecordList, string>();
  readonly #planned = new Map<RecordList, { at: number; timer: ReturnType<typeof setTimeout> }>();
  readonly #readAt = new Map<RecordList, number>();
  #events: LabEvent[] = [];
  #batch: ReturnType<typeof setTimeout> | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;

  /**
   * @param onSignedOut called when the service asks who this is
   * @param labs the laboratories that the person sees; undefined: all
   */
  constructor(
    private readonly client: ApiClient,
    private readonly onSignedOut: () => void,
    private readonly labs?: readonly string[],
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly sight = (): Sight => this.#sight;

  /** When the stream last brought anything, in milliseconds of `performance.now`. It changes too often to be drawn each time. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  /** @returns a function that ends it */
  listen(hearer: Hearer): () => void {
    this.#hearers.add(hearer);
    return () => this.#hearers.delete(hearer);
  }

  start(): void {
    if (this.labs !== undefined) this.#poll = setInterval(() => this.readAgain(polled), pollMs);
    follow(
      this.client,
      {
        event: (event) => this.#hear(event),
        alive: () => (this.#heardAt = performance.now()),
        gap: () => {
          this.readAgain();
          for (const hearer of this.#hearers) hearer('gap');
        },
        signedOut: this.onSignedOut,
      },
      this.#end.signal,
    );
  }

  stop(): void {
    this.#end.abort();
    clearTimeout(this.#batch);
    clearInterval(this.#poll);
    for (const { timer } of this.#planned.values()) clearTimeout(timer);
  }

  /** Reads lists now: all of them, or those that an act of this page changes. */
  readAgain(lists: readonly RecordList[] = Object.keys(noRecords) as RecordList[]): void {
    for (const list of lists) this.#plan(list, 0);
  }

  #hear(event: LabEvent): void {
    this.#heardAt = performance.now();
    this.#events.push(event);
    this.#batch ??= setTimeout(() => {
      this.#batch = undefined;
      const events = this.#events;
      this.#events = [];
      const { records, stale } = hear(this.#sight.records, events);
      for (const hearer of this.#hearers) hearer(events);
      if (records !== this.#sight.records) this.#show({ records });
      for (const [list, ms] of stale) {
        const sinceMs = performance.now() - (this.#readAt.get(list) ?? -Infinity);
        this.#plan(list, Math.max(0, ms - sinceMs));
      }
    }, batchMs);
  }

  /** Reads a list after this time, or when it is planned already, whichever is first. */
  #plan(list: RecordList, inMs: number): void {
    const at = performance.now() + inMs;
    const planned = this.#planned.get(list);
    if (planned !== undefined && planned.at <= at) return;
    clearTimeout(planned?.timer);
    const timer = setTimeout(() => {
      this.#planned.delete(list);
      this.#readAt.set(list, performance.now());
      void this.#readList(list);
    }, inMs);
    this.#planned.set(list, { at, timer });
  }

  async #readList(list: RecordList): Promise<void> {
    try {
      const { found, isCut } = await read(this.client, this.labs, list, this.#end.signal);
      const cut = new Set(this.#sight.cut);
      if (isCut) cut.add(list);
      else cut.delete(list);
      this.#read.add(list);
      this.#troubles.delete(list);
      const isComplete = this.#read.size === Object.keys(noRecords).length;
      this.#show({
        records: { ...this.#sight.records, ...found },
        ...{ cut, isComplete },
        trouble: this.#trouble(),
      });
    } catch (error) {
      if (this.#end.signal.aborted) return;
      if (isSignedOut(error)) {
        this.onSignedOut();
        return;
      }
      this.#troubles.set(list, reasonOf(error));
      this.#show({ trouble: this.#trouble() });
      this.#plan(list, retryMs);
    }
  }

  #trouble(): string | undefined {
    return [...this.#troubles.values()][0];
  }

  #show(change: Partial<Sight>): void {
    this.#sight = { ...this.#sight, ...change };
    for (const listener of this.#listeners) listener();
  }
}

interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

/** @returns the records, and whether the list has more than the page keeps */
async function read(
  client: ApiClient,
  labs: readonly string[] | undefined,
  list: RecordList,
  signal: AbortSignal,
): Promise<{ found: Partial<Records>; isCut: boolean }> {
  const idOf = ({ id }: { id: string }): string => id;
  let isCut = false;
  const seen = <T>(
    page: (query: { lab?: string; limit: number; cursor?: string }) => Promise<Page<T>>,
    keyOf: (record: T) => string,
  ): Promise<T[]> =>
    readSeen(
      labs,
      async (lab) => {
        const { items, next_cursor: next } = await readPages((part) => page({ ...lab, ...part }), most);
        isCut ||= next !== null;
        return items;
      },
      keyOf,
    );
  const found = async (): Promise<Partial<Records>> => {
    switch (list) {
      case 'devices': {
        const devices = await seen(
          (query) => client.get('/api/devices', { query, signal }),
          ({ lab_name: lab, name }) => `${lab}.${name}`,
        );
        return { devices };
      }
      case 'attention': {
        const state = 'open';
        const attention = await seen(
          (query) => client.get('/api/attention', { query: { ...query, state }, signal }),
          idOf,
        );
        return { attention };
      }
      case 'stops':
        return { stops: await seen((query) => client.get('/api/estop', { query, signal }), idOf) };
      case 'campaigns': {
        const campaigns = await seen(
          (query) => client.get('/api/campaigns', { query: { ...query, state: open }, signal }),
          idOf,
        );
        return { campaigns };
      }
      case 'runs': {
        const runs = await seen(
          (query) => client.get('/api/protocols', { query: { ...query, state: open }, signal }),
          idOf,
        );
        return { runs: runs.filter(({ campaign }) => campaign === null) };
      }
      case 'agents': {
        const agents = await seen(
          (query) => client.get('/api/agents', { query, signal }),
          ({ computer }) => computer,
        );
        return { agents };
      }
      case 'queue': {
        // The figures are about all that the person sees, whichever laboratory is asked for.
        const lab = labs?.[0] === undefined ? {} : { lab: labs[0] };
        const {
          items: _waiting,
          next_cursor: _next,
          ...queue
        } = await client.get('/api/queue', { query: { ...lab, limit: 1 }, signal });
        return { queue };
      }
    }
  };
  return { found: await found(), isCut };
}
