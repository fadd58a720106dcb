import { closeSync, openSync, writeSync } from 'node:fs';
import type { NewEntry } from './format.js';

/** Takes the traffic of an instrument. */
export interface Sink {
  /** Whether nothing is recorded now. */
  readonly isOver: boolean;
  add(entry: NewEntry): unknown;
}

export interface RecorderOptions {
  file: string;
  label: string;
  /** `<lab>.<device>`. */
  of: string;
  /** Bytes after which nothing more is recorded. */
  maxBytes: number;
  /** Milliseconds that only grow. */
  now: () => number;
  /** Begin of the recording, in milliseconds since 1970. */
  at: number;
}

/**
 * Writes a recording to a file that only its owner can read, line by line, so that a crash loses nothing before it.
 *
 * The constructor throws the error of the disk. If the disk refuses a later line, the recording ends there.
 */
export class Recorder implements Sink {
  readonly #file: number;
  readonly #options: RecorderOptions;
  readonly #begin: number;
  #size = 0;
  #isOver = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#begin = options.now();
    this.#file = openSync(options.file, 'wx', 0o600);
    const { label, of, at } = options;
    this.#write(`${JSON.stringify({ svc_recording: 1, label, of, at: new Date(at).toISOString() })}\n`);
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#size;
  }

  /** Whether nothing more is recorded. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Writes an entry.
   *
   * @returns false when the recording has reached its size: it ends without the entry
   * @throws Error of the disk
   */
  add(entry: NewEntry): boolean {
    if (this.#isOver) return true;
    const text = this.#lineOf(entry);
    const { maxBytes } = this.#options;
    if (this.#size + Buffer.byteLength(text) <= maxBytes) {
      this.#write(text);
      return true;
    }
    this.#write(this.#lineOf({ event: 'full', why: `the recording has reached ${maxBytes} bytes` }));
    this.close();
    return false;
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    closeSync(this.#file);
  }

  #lineOf(entry: NewEntry): string {
    const ms = Math.round((this.#options.now() - this.#begin) * 1_000) / 1_000;
    return `${JSON.stringify({ ms, ...entry })}\n`;
  }

  #write(text: string): void {
    try {
      writeSync(this.#file, text);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#size += Buffer.byteLength(text);
  }
}
