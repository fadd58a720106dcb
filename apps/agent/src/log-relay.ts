import { isServiceError, longestLogBatch, longestLogMessage, type WrittenLine } from '@lab/contracts';
import type { Clock, Log, Timers } from '@lab/ports';

/** A line of output without its number. */
export type HeardLine = Omit<WrittenLine, 'seq' | 'at'>;

export interface LogRelayPorts {
  /** Milliseconds since 1970. */
  clock: Clock;
  timers: Timers;
  /**
   * Resolves when the lines are stored.
   *
   * @throws ServiceError; if it is retryable, the lines may be sent again
   */
  send: (lines: readonly WrittenLine[]) => Promise<void>;
  log: Pick<Log, 'debug'>;
}

export interface LogRelayLimits {
  /** Largest number of waiting lines. */
  lines: number;
  /** Largest size of all waiting lines, in bytes. */
  bytes: number;
  /** How long a line waits for further lines of its batch, in milliseconds. */
  gatherMs: number;
  /** Pause after a batch that could not be stored, in milliseconds. */
  retryMs: number;
}

const usualLimits: LogRelayLimits = {
  lines: 10_000,
  bytes: 8 * 1_048_576,
  gatherMs: 300,
  retryMs: 1_000,
};

/** Largest batch in bytes: half of the default limit of a broker. */
const batchBytes = 512 * 1_024;

/** Approximate size of a line without its message, in bytes. */
const lineBytes = 250;

/** Number of origins whose dropped lines are counted separately. All further origins share one count. */
const countedApart = 100;

interface Waiting {
  line: WrittenLine;
  bytes: number;
}

type Origin = Pick<HeardLine, 'lab' | 'device' | 'attempt_id'>;

/**
 * Sends the output of tasks and devices to be stored. The code that writes never waits. While too many lines wait, new lines
 * are dropped and counted, and one line in their place gives the number, so that every gap is visible.
 *
 * Guarantees: lines are sent in the order of writing, one batch at a time. A batch is repeated until it is stored or refused
 * for good. A line that is sent again has the same number.
 */
export class LogRelay {
  readonly #limits: LogRelayLimits;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #seq = 0;
  /** By origin, the number of lines dropped since the last accepted line. */
  readonly #dropped = new Map<string, { origin: Origin; lines: number }>();
  #cancelTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  /** Whether a batch could not be stored and its retry is not due yet. */
  #pausing = false;
  #closed = false;
  #tellEmpty: () => void = () => undefined;

  constructor(
    private readonly ports: LogRelayPorts,
    limits: Partial<LogRelayLimits> = {},
  ) {
    this.#limits = { ...usualLimits, ...limits };
  }

  /** Accepts a line, or counts it as dropped. */
  add(line: HeardLine): void {
    if (this.#closed) return;
    const message = cut(line.message);
    const bytes = lineBytes + Buffer.byteLength(message);
    const { lines: most, bytes: mostBytes } = this.#limits;
    if (this.#waiting.length + this.#dropped.size + 1 > most || this.#bytes + bytes > mostBytes) {
      this.#drop(line);
      return;
    }
    this.#tellDropped();
    this.#push({ ...line, message }, bytes);
    this.#gather();
  }

  /**
   * Sends the waiting lines. Lines that are left after the time limit are lost.
   *
   * @param limitMs in milliseconds
   */
  async close(limitMs: number): Promise<void> {
    if (this.#closed) return;
    this.#tellDropped();
    this.#closed = true;
    if (this.#waiting.length === 0) return;
    const over = new Promise<void>((resolve) => {
      const cancel = this.ports.timers.after(limitMs, resolve);
      this.#tellEmpty = () => {
        cancel();
        resolve();
      };
    });
    this.#flush();
    await over;
    this.#cancelTimer?.();
    this.#waiting = [];
  }

  #drop({ lab, device, attempt_id }: HeardLine): void {
    const own = this.#dropped.size < countedApart;
    const origin: Origin = {
      ...(lab === undefined ? {} : { lab }),
      ...(device === undefined ? {} : { device }),
      ...(attempt_id === undefined ? {} : { attempt_id }),
    };
    const key = JSON.stringify(origin);
    const count = this.#dropped.get(key);
    if (count !== undefined) count.lines += 1;
    else if (own) this.#dropped.set(key, { origin, lines: 1 });
    else {
      const rest = this.#dropped.get('') ?? { origin: {}, lines: 0 };
      rest.lines += 1;
      this.#dropped.set('', rest);
    }
  }

  #tellDropped(): void {
    for (const { origin, lines } of this.#dropped.values()) {
      const message = `${lines} ${lines === 1 ? 'line was' : 'lines were'} dropped here: too many waited to be stored`;
      this.#push({ ...origin, level: 'warn', source: 'service', message }, lineBytes + message.length);
    }
    this.#dropped.clear();
  }

  #push(line: HeardLine, bytes: number): void {
    this.#seq += 1;
    this.#waiting.push({ line: { seq: this.#seq, at: this.ports.clock.now(), ...line }, bytes });
    this.#bytes += bytes;
  }

  #gather(): void {
    if (this.#sending !== undefined || this.#pausing) return;
    if (this.#waiting.length >= longestLogBatch) this.#flush();
    else this.#cancelTimer ??= this.ports.timers.after(this.#limits.gatherMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#pausing = false;
    this.#sending ??= this.#sendAll();
  }

  /** Sends batches until no line waits or a batch cannot be stored at present. Never rejects. */
  async #sendAll(): Promise<void> {
    let pauseMs: number | undefined;
    while (this.#waiting.length > 0 && pauseMs === undefined) {
      const batch = this.#nextBatch();
      try {
        await this.ports.send(batch.map(({ line }) => line));
        this.#remove(batch);
      } catch (error) {
        this.ports.log.debug('lines could not be stored', { lines: batch.length, reason: String(error) });
        pauseMs = this.#limits.retryMs;
        if (mayBeStored(error)) continue;
        this.#remove(batch);
        // A lost notice about dropped lines causes no further notice; otherwise this would never end.
        for (const { line } of batch) if (line.source !== 'service') this.#drop(line);
      }
    }
    this.#sending = undefined;
    if (!this.#closed && this.#waiting.length === 0) this.#tellDropped();
    if (this.#waiting.length === 0) this.#tellEmpty();
    else {
      this.#pausing = pauseMs !== undefined;
      this.#cancelTimer = this.ports.timers.after(pauseMs ?? 0, () => this.#flush());
    }
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    const tooMany = this.#waiting.findIndex(
      (each, index) => index > 0 && (index === longestLogBatch || (bytes += each.bytes) > batchBytes),
    );
    return this.#waiting.slice(0, tooMany === -1 ? undefined : tooMany);
  }

  #remove(batch: readonly Waiting[]): void {
    this.#waiting.splice(0, batch.length);
    for (const { bytes } of batch) this.#bytes -= bytes;
  }
}

/** Whether the same lines may be stored later. A lost answer is no refusal: a line that is stored already is ignored. */
function mayBeStored(error: unknown): boolean {
  if (!isServiceError(error)) return false;
  return error.retryable || error.code === 'deadline_exceeded' || error.code === 'disconnected';
}

/** Cuts a text to the largest size of a line, and marks the cut. */
function cut(text: string): string {
  if (text.length * 3 <= longestLogMessage) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= longestLogMessage) return text;
  const kept = bytes
    .subarray(0, longestLogMessage - 40)
    .toString()
    // The cut may have left an incomplete character.
    .replace(/\uFFFD+$/, '');
  return `${kept}… (${bytes.length - Buffer.byteLength(kept)} bytes more)`;
}
