import { closeSync, openSync, writeSync } from 'node:fs';
import { z } from 'zod';
import type { Line, LineEvents, Time, Transport } from './transport.js';

/** The head of a recording: its first line. */
const head = z.object({
  svc_recording: z.literal(1),
  /** Address of the instrument. */
  label: z.string(),
  /** `<lab>.<device>`. */
  of: z.string(),
  /** ISO 8601. */
  at: z.string(),
});

/** The other lines. `ms` is monotonic, from the begin of the recording. `hex` are bytes; `out` goes to the instrument. */
const traffic = z.object({
  ms: z.number(),
  dir: z.enum(['out', 'in']),
  hex: z.string().regex(/^([0-9a-f]{2})+$/, 'must be bytes in hexadecimal, in lower case'),
  call: z.string().optional(),
});
const event = z.object({
  ms: z.number(),
  /** `open`, `end` (the instrument, or the network), `close` (the device), `full` (the recording reached its size). */
  event: z.enum(['open', 'end', 'close', 'full']),
  why: z.string().optional(),
});
const entry = z.union([traffic, event]);

export type RecordingHead = z.output<typeof head>;
export type RecordingEntry = z.output<typeof entry>;

/** The traffic of an instrument, in the order in which it happened. */
export interface Recording {
  head: RecordingHead;
  entries: RecordingEntry[];
}

/**
 * Reads a recording. A last line that is not whole, as a crash leaves it, is passed over.
 *
 * @param name of the file, for messages
 * @throws Error that names the line at fault
 */
export function readRecording(text: string, name: string): Recording {
  const lines = text.split('\n');
  const isWhole = lines.at(-1) === '';
  const full = lines.slice(0, -1);
  if (!isWhole && isJson(lines.at(-1) ?? '')) full.push(lines.at(-1) ?? '');
  const [first, ...rest] = full.map((line, index) => {
    try {
      return JSON.parse(line) as unknown;
    } catch {
      throw new Error(`${name}:${index + 1}: the line is no JSON`);
    }
  });
  const read = head.safeParse(first);
  if (!read.success)
    throw new Error(
      `${name}:1: the file is no recording: its first line needs "svc_recording": 1, label, of and at`,
    );
  const entries = rest.map((each, index) => {
    const { success, data } = entry.safeParse(each);
    if (success) return data;
    throw new Error(
      `${name}:${index + 2}: the line is neither traffic ({"ms", "dir": "out" or "in", "hex"}) nor an event ({"ms", "event"})`,
    );
  });
  return { head: read.data, entries };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

export interface RecorderOptions {
  file: string;
  label: string;
  /** `<lab>.<device>`. */
  of: string;
  /** Bytes after which nothing more is recorded. */
  maxBytes: number;
  time: Time;
  /** Wall clock in milliseconds since 1970. */
  now: () => number;
}

/**
 * Writes a recording to a file that only its owner can read, line by line, so that a crash loses nothing before it.
 *
 * The constructor throws the error of the disk. If the disk refuses a later line, the recording ends there.
 */
export class Recorder {
  readonly #file: number;
  readonly #options: RecorderOptions;
  readonly #begin: number;
  #size = 0;
  #isOver = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#begin = options.time.now();
    this.#file = openSync(options.file, 'wx', 0o600);
    const { label, of } = options;
    this.#write({ svc_recording: 1, label, of, at: new Date(options.now()).toISOString() });
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#size;
  }

  /** Whether nothing more is recorded. */
  get isOver(): boolean {
    return this.#isOver;
  }

  traffic(dir: 'out' | 'in', bytes: Buffer, call: string | undefined): void {
    if (this.#isOver) return;
    const { maxBytes } = this.#options;
    if (this.#size + 2 * bytes.length > maxBytes) {
      this.event('full', `the recording has reached ${maxBytes} bytes`);
      this.close();
      return;
    }
    this.#write({
      ms: this.#now(),
      dir,
      hex: bytes.toString('hex'),
      ...(call === undefined ? {} : { call }),
    });
  }

  event(kind: 'open' | 'end' | 'close' | 'full', why?: string): void {
    if (!this.#isOver) this.#write({ ms: this.#now(), event: kind, ...(why === undefined ? {} : { why }) });
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    closeSync(this.#file);
  }

  #now(): number {
    return Math.round((this.#options.time.now() - this.#begin) * 1_000) / 1_000;
  }

  #write(line: object): void {
    const text = `${JSON.stringify(line)}\n`;
    try {
      writeSync(this.#file, text);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#size += Buffer.byteLength(text);
  }
}

/**
 * A transport whose traffic is recorded while there is a recorder. A recorder that fails ends, and disturbs nothing else.
 *
 * @param recorder asked for each piece of traffic
 * @param failed is told the error of the disk
 */
export function recorded(
  transport: Transport,
  recorder: () => Recorder | undefined,
  failed: (error: unknown) => void,
): Transport {
  const note = (what: (to: Recorder) => void): void => {
    const to = recorder();
    if (to === undefined || to.isOver) return;
    try {
      what(to);
    } catch (error) {
      failed(error);
    }
  };
  return {
    label: transport.label,
    async open(events: LineEvents, signal: AbortSignal): Promise<Line> {
      let call: string | undefined;
      const line = await transport.open(
        {
          bytes(bytes) {
            note((to) => to.traffic('in', bytes, call));
            events.bytes(bytes);
          },
          ended(why) {
            note((to) => to.event('end', why));
            events.ended(why);
          },
        },
        signal,
      );
      note((to) => to.event('open'));
      return {
        write(bytes, of, taken) {
          call = of;
          note((to) => to.traffic('out', bytes, of));
          line.write(bytes, of, taken);
        },
        close() {
          note((to) => to.event('close'));
          return line.close();
        },
      };
    },
  };
}
