import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@lab/sdk';
import type { Recording, RecordingEntry } from './format.js';

/**
 * `strict`: the requests come as recorded and in the order of the recording. `lenient`: in any order; a request that was made
 * before gets its last answer again.
 */
export type ReplayMode = 'strict' | 'lenient';

/** What stands in place of an answer. */
export type RecordedError = JsonObject & { message: string };

/** What the instrument said by itself; `ended` says why the connection was lost. */
export type Said = { message: JsonObject } | { ended: string };

/** What came after a request. */
export interface Turn {
  /** One answer, or several of a stream. Empty: the recording ends before the answer. */
  answers: JsonObject[];
  /** How the exchange failed, after the answers; undefined: it did not. */
  error: RecordedError | undefined;
  /** Number of the line of the request in the file. */
  line: number;
  /** What the instrument said by itself before the next request. The same is never returned twice. */
  said: Said[];
}

/** The recording does not have a request. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
}

/** Plays an instrument that answers messages as in a recording. `svc_lab.replay` has the same for Python. */
export class MessageReplay {
  readonly #entries: readonly RecordingEntry[];
  /** Indices of the requests, in their order. */
  readonly #requests: readonly number[];
  /** Indices of requests that were made. */
  readonly #made: number[] = [];
  /** Indices of what was said. */
  readonly #said = new Set<number>();

  constructor(
    private readonly recording: Recording,
    private readonly mode: ReplayMode,
  ) {
    this.#entries = recording.entries;
    this.#requests = [...this.#entries.keys()].filter((index) => requestAt(this.#entries, index));
  }

  /** Requests of the recording that nobody has made. */
  get left(): number {
    return this.#requests.length - new Set(this.#made).size;
  }

  /** What the instrument said by itself before the first request. */
  greeting(): Said[] {
    return this.#saidAfter(-1);
  }

  /**
   * Makes a request.
   *
   * @throws NotRecorded that says what was expected
   */
  turn(request: JsonObject): Turn {
    const index = this.#find(request);
    this.#made.push(index);
    const { exchange } = requestAt(this.#entries, index) ?? {};
    const answers: JsonObject[] = [];
    let error: RecordedError | undefined;
    for (const entry of this.#entries.slice(index + 1)) {
      if (!('dir' in entry) || entry.dir === 'out' || 'hex' in entry || entry.exchange !== exchange) continue;
      if ('message' in entry) answers.push(entry.message);
      else error = entry.error as RecordedError;
    }
    return { answers, error, line: index + 2, said: this.#saidAfter(index) };
  }

  #find(request: JsonObject): number {
    const isSame = (index: number): boolean =>
      isDeepStrictEqual(requestAt(this.#entries, index)?.message, request);
    const waiting = this.#requests.filter((index) => !this.#made.includes(index));
    const found = this.mode === 'strict' ? waiting.slice(0, 1).find(isSame) : waiting.find(isSame);
    if (found !== undefined) return found;
    const again = this.mode === 'lenient' ? [...this.#made].reverse().find(isSame) : undefined;
    if (again !== undefined) return again;
    const [next] = waiting;
    const expected =
      next === undefined
        ? 'has no further request'
        : `has at line ${next + 2} ${excerpt(requestAt(this.#entries, next)?.message)}`;
    throw new NotRecorded(
      `the recording ${this.recording.name} ${expected}, and the device asks ${excerpt(request)}`,
    );
  }

  #saidAfter(after: number): Said[] {
    const said: Said[] = [];
    for (let index = after + 1; index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === undefined || requestAt(this.#entries, index)) break;
      if (this.#said.has(index)) continue;
      if ('event' in entry && entry.event === 'end') said.push({ ended: entry.why ?? 'closed' });
      else if ('message' in entry && entry.exchange === undefined) said.push({ message: entry.message });
      else continue;
      this.#said.add(index);
    }
    return said;
  }
}

function requestAt(entries: readonly RecordingEntry[], index: number) {
  const entry = entries[index];
  const isRequest = entry !== undefined && 'message' in entry && entry.dir === 'out';
  return isRequest ? entry : undefined;
}

function excerpt(message: JsonObject | undefined): string {
  const text = JSON.stringify(message);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
