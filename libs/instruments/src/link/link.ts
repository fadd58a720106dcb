import { NotBegun } from '@lab/sdk';
import { ExchangeError, messageOf } from '../errors/index.js';
import type { Framer } from '../framing/index.js';
import type { Line } from '../transport/index.js';
import { Deadline } from './deadline.js';
import type { LinkOptions } from './options.js';
import { NoAnswer, type Exchange, type Reading, type Request } from './request.js';

/** Unanswered requests, or recoveries without success, in a row after which the line is opened again. */
const patienceWithLine = 3;

interface Entry {
  readonly request: Request<unknown>;
  resolve(answer: unknown): void;
  reject(error: Error): void;
  /** Of its wait for a line. */
  cancelTimer: () => void;
  /** What counts when the line stays quiet. */
  latest?: Reading<unknown> & object;
}

interface Connection {
  line: Line | undefined;
  readonly framer: Framer;
  /** Why the line ended; undefined: it is open. */
  ended: string | undefined;
}

type LinkState = 'closed' | 'opening' | 'greeting' | 'ready' | 'recovering';

const nothing = (): void => undefined;

/**
 * Exchanges requests and answers with an instrument over lines that may break.
 *
 * Guarantees:
 * - One request is in flight. The next one leaves only when it has its answer, or is given up and the line is sound again.
 * - A request leaves at most once. The link never repeats one, whatever happens to the line.
 * - An error `NotBegun` means that no byte of the request has left. After any other error the instrument may have carried it out.
 * - A frame that no request waits for is never an answer: the link first finds the begin of the next answer again, see
 *   `LinkOptions.recovery`.
 * - A broken line fails the request in flight. The link opens a new line by itself, and greets before it lets a request leave.
 */
export class Link {
  readonly #options: LinkOptions;
  /** Of the answer to the current request. */
  readonly #deadline: Deadline;
  #connection: Connection | undefined;
  #state: LinkState = 'closed';
  /** Why there is no connection, for people. */
  #why = 'it was not opened yet';
  #waiting: Entry[] = [];
  /** Those of `greet` and `sync`, which run while others wait. */
  #inner: Entry[] = [];
  #current: Entry | undefined;
  /** The next frame may belong to no request, or to an old one. */
  #unsound = false;
  #recoveryIsDue = false;
  #lastByteAt = -Infinity;
  #unanswered = 0;
  #recoveries = 0;
  #cancelPause = nothing;
  #cancelBeat = nothing;
  /** Takes the bytes while the line is drained. */
  #drain: (() => void) | undefined;
  readonly #end = new AbortController();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#deadline = new Deadline(options.time, () => this.#timedOut());
  }

  /** Whether requests can leave now, and why not. */
  get status(): { connected: boolean; detail?: string } {
    return this.#state === 'ready' || this.#state === 'recovering'
      ? { connected: true }
      : { connected: false, detail: this.#why };
  }

  /** Opens the line and greets. @throws Error that says why the instrument cannot be used */
  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Fails what is open, and closes the line. */
  async close(): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new Error('closed'));
    this.#why = 'it is closed';
    this.#state = 'closed';
    this.#cancelPause();
    this.#cancelBeat();
    const line = this.#connection?.line;
    this.#drop();
    this.#deadline.end();
    for (const entry of this.#waiting.splice(0)) this.#refuse(entry);
    await line?.close();
  }

  /**
   * Sends a request when its turn comes, and waits for the answer. While the line is lost, a request waits as long as its
   * `timeoutMs`.
   *
   * @throws NotBegun no byte has left; {@link NoAnswer}, {@link ExchangeError} and the errors of `read`: the instrument may have
   *   carried it out
   */
  exchange<Answer>(request: Request<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const entry = entryOf(request, resolve, reject);
      if (this.#state === 'closed') {
        this.#refuse(entry);
        return;
      }
      if (request.urgent === true) this.#waiting.unshift(entry);
      else this.#waiting.push(entry);
      if (this.#connection === undefined) this.#limitPatience(entry);
      this.#pump();
    });
  }

  /** Fails the request in flight and refuses all that wait, so that urgent requests can leave at once. */
  interrupt(reason: string): void {
    for (const entry of this.#waiting.splice(0)) {
      entry.cancelTimer();
      entry.reject(new NotBegun(`${entry.request.name} was not sent: ${reason}`));
    }
    const entry = this.#current;
    if (entry === undefined || this.#state !== 'ready') return;
    this.#settle(entry);
    if (entry.request.read !== undefined) this.#unsound = true;
    entry.reject(new ExchangeError(`${entry.request.name} was interrupted: ${reason}`));
    this.#pump();
  }

  async #open(): Promise<void> {
    const { transport, framer, greet, openMs = 5_000, recovery, time } = this.#options;
    this.#state = 'opening';
    const connection: Connection = { line: undefined, framer: framer(), ended: undefined };
    const late = new AbortController();
    const cancel = time.after(openMs, () => late.abort(new Error(`no connection within ${openMs / 1000} s`)));
    try {
      connection.line = await transport.open(
        {
          bytes: (bytes) => this.#take(connection, bytes),
          ended: (why) => {
            connection.ended = why;
            this.#lost(connection, why);
          },
        },
        AbortSignal.any([late.signal, this.#end.signal]),
      );
    } catch (error) {
      if (!late.signal.aborted) throw error;
      throw new Error(`${messageOf(late.signal.reason)}: ${messageOf(error)}`, { cause: error });
    } finally {
      cancel();
    }
    if (connection.ended !== undefined || this.#end.signal.aborted) {
      await connection.line.close();
      throw new Error(connection.ended ?? 'closed');
    }
    this.#connection = connection;
    this.#state = 'greeting';
    this.#unsound = false;
    this.#unanswered = 0;
    this.#recoveries = 0;
    try {
      if (recovery === 'drained') await this.#untilQuiet(connection);
      await greet?.(this.#ask);
      if (this.#connection !== connection) throw new Error(connection.ended ?? 'closed');
    } catch (error) {
      if (this.#connection === connection) this.#drop();
      await connection.line.close();
      throw error;
    }
    this.#state = 'ready';
    for (const entry of this.#waiting) entry.cancelTimer();
    this.#beatLater(connection);
    this.#pump();
  }

  /** Opens lines until one is good. */
  async #openAgain(lost: Connection): Promise<void> {
    const { firstPauseMs = 100, longestPauseMs = 10_000, log, time, transport } = this.#options;
    await lost.line?.close();
    for (let failures = 0; !this.#end.signal.aborted; failures += 1) {
      await new Promise<void>((resolve) => {
        const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 20));
        const cancel = time.after(pause, resolve);
        this.#cancelPause = () => {
          cancel();
          resolve();
        };
      });
      if (this.#end.signal.aborted) return;
      try {
        await this.#open();
        log.info(`${transport.label} is connected again`);
        return;
      } catch (error) {
        if (this.#end.signal.aborted) return;
        this.#state = 'opening';
        const why = messageOf(error);
        if (why !== this.#why) log.warn(`${transport.label} cannot be used: ${why}`);
        this.#why = why;
      }
    }
  }

  /** For `greet`, `sync` and `beat`. */
  readonly #ask: Exchange = (request) =>
    new Promise((resolve, reject) => {
      const entry = entryOf(request, resolve, reject);
      if (this.#connection === undefined) {
        this.#refuse(entry);
        return;
      }
      this.#inner.push(entry);
      this.#pump();
    });

  /** Lets the next request leave if it may. */
  #pump(): void {
    const connection = this.#connection;
    if (connection?.line === undefined || this.#current !== undefined) return;
    const isUrgent = this.#waiting[0]?.request.urgent === true;
    if (this.#unsound && this.#state === 'ready' && !isUrgent) {
      this.#recoverSoon(connection);
      return;
    }
    const queue = isUrgent || this.#state === 'ready' ? this.#waiting : this.#inner;
    if (queue.length === 0 || (this.#drain !== undefined && !isUrgent)) return;
    const { settleMs = 0, time } = this.#options;
    if (settleMs > 0 && !isUrgent) {
      const wait = this.#lastByteAt + settleMs - time.now();
      if (wait > 0) {
        this.#cancelPause();
        this.#cancelPause = time.after(wait, () => this.#pump());
        return;
      }
    }
    const entry = queue.shift();
    if (entry !== undefined) this.#send(connection.line, entry);
  }

  #send(line: Line, entry: Entry): void {
    const { bytes, call, read, timeoutMs } = entry.request;
    this.#current = entry;
    entry.cancelTimer();
    this.#deadline.set(timeoutMs);
    if (read !== undefined) {
      line.write(bytes, call);
      return;
    }
    line.write(bytes, call, (error) => {
      if (this.#current !== entry) return;
      this.#settle(entry);
      if (error === undefined) entry.resolve(undefined);
      else entry.reject(this.#inDoubt(entry, error.message));
      this.#pump();
    });
  }

  #take(connection: Connection, bytes: Buffer): void {
    if (connection !== this.#connection) return;
    this.#lastByteAt = this.#options.time.now();
    if (this.#drain !== undefined) {
      this.#drain();
      return;
    }
    try {
      for (const frame of connection.framer.take(bytes)) this.#takeFrame(frame);
      if (this.#current?.request.read === undefined && connection.framer.pending > 0) this.#unexpected();
    } catch (error) {
      this.#garbled(messageOf(error));
    }
    this.#pump();
  }

  /** A request that ends here is followed by the next one only after all frames of these bytes. */
  #takeFrame(frame: Buffer): void {
    const entry = this.#current;
    if (entry?.request.read === undefined) {
      this.#unexpected();
      return;
    }
    try {
      const reading = entry.request.read(frame);
      const { quietMs } = entry.request;
      if (quietMs === undefined) {
        if (reading !== 'other') this.#answered(entry, reading);
        return;
      }
      if (reading !== 'other') entry.latest = reading;
      if (entry.latest !== undefined) this.#deadline.set(quietMs);
    } catch (error) {
      this.#settle(entry);
      this.#unexpected();
      entry.reject(error instanceof Error ? error : new ExchangeError(String(error)));
    }
  }

  #answered(entry: Entry, reading: Reading<unknown> & object): void {
    this.#settle(entry);
    this.#unanswered = 0;
    if (this.#state === 'ready') this.#recoveries = 0;
    if ('refused' in reading) entry.reject(reading.refused);
    else entry.resolve(reading.answer);
  }

  #unexpected(): void {
    if (this.#options.recovery !== 'matched') this.#unsound = true;
  }

  #garbled(why: string): void {
    const entry = this.#current;
    if (entry !== undefined) {
      this.#settle(entry);
      entry.reject(this.#inDoubt(entry, `the answer is garbled: ${why}`));
    }
    if (this.#options.recovery === 'matched') this.#breakLine(`the bytes are garbled: ${why}`);
    else this.#unsound = true;
  }

  #timedOut(): void {
    const entry = this.#current;
    if (entry === undefined) return;
    if (entry.latest === undefined) this.#giveUp(entry);
    else this.#answered(entry, entry.latest);
    this.#pump();
  }

  #giveUp(entry: Entry): void {
    const { name, read, timeoutMs } = entry.request;
    this.#settle(entry);
    this.#unanswered += 1;
    const { label } = this.#options.transport;
    entry.reject(new NoAnswer(`${name}: ${label} did not answer within ${timeoutMs / 1000} s`));
    const stuck = read === undefined || (this.#options.recovery === 'matched' && this.#pending > 0);
    if (stuck || this.#unanswered >= patienceWithLine) this.#breakLine('it does not answer');
    else this.#unexpected();
  }

  get #pending(): number {
    return this.#connection?.framer.pending ?? 0;
  }

  /** Lets urgent requests go first that come right after what made the line unsound. */
  #recoverSoon(connection: Connection): void {
    if (this.#recoveryIsDue) return;
    this.#recoveryIsDue = true;
    this.#options.time.after(0, () => {
      this.#recoveryIsDue = false;
      if (connection !== this.#connection || !this.#unsound || this.#state !== 'ready') return;
      if (this.#current !== undefined || this.#waiting[0]?.request.urgent === true) this.#pump();
      else void this.#recover(connection);
    });
  }

  /** Finds the begin of the next answer again. */
  async #recover(connection: Connection): Promise<void> {
    const { recovery, sync } = this.#options;
    this.#state = 'recovering';
    this.#recoveries += 1;
    try {
      if (recovery === 'reopened') throw new Error('an answer is missing or was unexpected');
      if (this.#recoveries > patienceWithLine) throw new Error('it sends what nobody asked for');
      await this.#untilQuiet(connection);
      this.#unsound = false;
      await sync?.(this.#ask);
    } catch (error) {
      if (this.#connection === connection) this.#breakLine(messageOf(error));
      return;
    }
    if (this.#connection !== connection) return;
    this.#state = 'ready';
    this.#pump();
  }

  /** Throws bytes away until none has come for a while. @throws Error if the instrument never pauses, or the line breaks */
  #untilQuiet(connection: Connection): Promise<void> {
    const { drainMs = 100, time } = this.#options;
    return new Promise((resolve, reject) => {
      const end = (error?: Error): void => {
        cancelQuiet();
        cancelLimit();
        this.#drain = undefined;
        connection.framer.reset();
        if (error === undefined) resolve();
        else reject(error);
      };
      const quiet = (): void =>
        end(this.#connection === connection ? undefined : new Error(connection.ended ?? 'the line is lost'));
      let cancelQuiet = time.after(drainMs, quiet);
      const cancelLimit = time.after(50 * drainMs, () => end(new Error('it sends without a pause')));
      this.#drain = () => {
        cancelQuiet();
        cancelQuiet = time.after(drainMs, quiet);
      };
    });
  }

  /** Ends the line on our side. */
  #breakLine(why: string): void {
    if (this.#connection !== undefined) this.#lost(this.#connection, why);
  }

  #lost(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    connection.ended ??= why;
    const wasReady = this.#state === 'ready' || this.#state === 'recovering';
    this.#why = why;
    if (this.#state !== 'greeting') this.#state = 'opening';
    this.#drop();
    // `#open` itself tells of a line that ends during the greeting.
    if (!wasReady) return;
    this.#options.log.warn(`${this.#options.transport.label} is lost: ${why}`);
    for (const entry of this.#waiting) this.#limitPatience(entry);
    void this.#openAgain(connection);
  }

  /** Forgets the connection, and fails what was exchanged over it. */
  #drop(): void {
    this.#connection = undefined;
    this.#unsound = false;
    this.#cancelBeat();
    const entry = this.#current;
    if (entry !== undefined) {
      this.#settle(entry);
      entry.reject(this.#inDoubt(entry, `the line was lost, ${this.#why}`));
    }
    for (const inner of this.#inner.splice(0)) this.#refuse(inner);
  }

  #settle(entry: Entry): void {
    if (this.#current !== entry) return;
    this.#deadline.clear();
    this.#current = undefined;
  }

  #refuse(entry: Entry): void {
    entry.cancelTimer();
    const { label } = this.#options.transport;
    entry.reject(new NotBegun(`${entry.request.name} was not sent: ${label} is not connected: ${this.#why}`));
  }

  #limitPatience(entry: Entry): void {
    entry.cancelTimer();
    entry.cancelTimer = this.#options.time.after(entry.request.timeoutMs, () => {
      const index = this.#waiting.indexOf(entry);
      if (index < 0) return;
      this.#waiting.splice(index, 1);
      this.#refuse(entry);
    });
  }

  #inDoubt({ request: { name } }: Entry, why: string): ExchangeError {
    return new ExchangeError(
      `${name}: whether ${this.#options.transport.label} has carried it out is unknown: ${why}`,
    );
  }

  #beatLater(connection: Connection): void {
    const { heartbeat, time } = this.#options;
    if (heartbeat === undefined) return;
    const { everyMs, beat } = heartbeat;
    const next = (ms: number): void => {
      this.#cancelBeat = time.after(ms, () => {
        const left = this.#lastByteAt + everyMs - time.now();
        if (left > 0 || this.#current !== undefined || this.#state !== 'ready') {
          next(left > 0 ? left : everyMs);
          return;
        }
        beat((request) => this.exchange(request)).then(
          () => {
            if (this.#connection === connection) next(everyMs);
          },
          (error: unknown) => {
            if (this.#connection === connection) this.#breakLine(`no heartbeat: ${messageOf(error)}`);
          },
        );
      });
    };
    next(everyMs);
  }
}

function entryOf<Answer>(
  request: Request<Answer>,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): Entry {
  return { request, resolve: resolve as (answer: unknown) => void, reject, cancelTimer: nothing };
}
