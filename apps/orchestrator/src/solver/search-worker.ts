import { Worker } from 'node:worker_threads';
import type {
  Ongoing,
  PlanLog,
  Problem,
  Schedule,
  Searcher,
  SearchRequest,
  SearchResult,
} from '@lab/scheduling';
import type { SearchNews, SearchOrder } from './search-messages.js';

/** Milliseconds within which a cancelled search must end. Otherwise its thread is ended. */
const patienceMs = 2_000;

interface Search {
  id: number;
  problem: Problem;
  request: SearchRequest;
  cancelled: Int32Array;
  onImprovement: (schedule: Schedule) => void;
  settle: (result: SearchResult | null) => void;
  guard: NodeJS.Timeout | undefined;
}

/**
 * Searches in a separate thread, one after the other, so that the event loop of this process never waits for a
 * search. The first search starts the thread, which lives until {@link stop}. When the thread dies, its search is
 * lost and the next search gets a new thread.
 */
export class SearchWorker implements Searcher {
  /** False, because a time limit may end a search. */
  readonly reproducible = false;
  #thread: Worker | null = null;
  readonly #waiting: Search[] = [];
  #current: Search | null = null;
  #lastId = 0;
  #stopped = false;

  /** @param program of the thread; by default the one beside this file */
  constructor(
    private readonly log: PlanLog,
    private readonly program = new URL('./search-thread.js', import.meta.url),
  ) {}

  search(
    problem: Problem,
    request: SearchRequest,
    onImprovement: (schedule: Schedule) => void,
  ): Ongoing<SearchResult | null> {
    const search: Search = {
      id: (this.#lastId += 1),
      problem,
      request,
      cancelled: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
      onImprovement,
      settle: () => undefined,
      guard: undefined,
    };
    const done = new Promise<SearchResult | null>((resolve) => (search.settle = resolve));
    if (this.#stopped) search.settle(null);
    else this.#waiting.push(search);
    this.#next();
    return { done, cancel: () => this.#cancel(search) };
  }

  /** Ends the thread. Searches under way or waiting are lost. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const search of this.#waiting.splice(0)) search.settle(null);
    await this.#abandon();
  }

  #next(): void {
    if (this.#current !== null) return;
    const search = this.#waiting.shift();
    if (search === undefined) return;
    this.#current = search;
    const { id, problem, request, cancelled } = search;
    const order: SearchOrder = { id, problem, ...request, cancelled };
    this.#thread ??= this.#startThread();
    // Only a search keeps this process alive.
    this.#thread.ref();
    this.#thread.postMessage(order);
    if (request.timeLimitMs !== null) this.#endWithin(search, request.timeLimitMs + patienceMs);
  }

  #cancel(search: Search): void {
    const place = this.#waiting.indexOf(search);
    if (place !== -1) {
      this.#waiting.splice(place, 1);
      search.settle(null);
    } else if (search === this.#current) {
      Atomics.store(search.cancelled, 0, 1);
      this.#endWithin(search, patienceMs);
    }
  }

  #endWithin(search: Search, ms: number): void {
    clearTimeout(search.guard);
    search.guard = setTimeout(() => {
      // If this process got no processor for long, the end of the search may already wait behind this timer.
      setImmediate(() => {
        if (this.#current !== search) return;
        this.log.error('a search did not end when it had to, and its thread is ended');
        void this.#abandon();
      });
    }, ms);
  }

  #startThread(): Worker {
    const thread = new Worker(this.program, {
      // The thread does not get the settings of the service, because they hold secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    thread.on('message', (news: SearchNews) => this.#hear(news));
    thread.on('error', (error) => this.log.error('the thread that searches failed', { error }));
    thread.once('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      this.#settle(null);
    });
    return thread;
  }

  #hear(news: SearchNews): void {
    const search = this.#current;
    if (search?.id !== news.id) return;
    if (news.type === 'better') search.onImprovement(news.schedule);
    else if (news.type === 'done') this.#settle(news.result);
    else {
      this.log.error('a search failed', { reason: news.reason });
      this.#settle(null);
    }
  }

  #settle(result: SearchResult | null): void {
    const search = this.#current;
    if (search === null) return;
    clearTimeout(search.guard);
    this.#current = null;
    this.#thread?.unref();
    search.settle(result);
    this.#next();
  }

  async #abandon(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    this.#settle(null);
    await thread?.terminate();
  }
}
