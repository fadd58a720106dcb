import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { NotBegun, type JsonObject } from '@lab/sdk';
import { messageOf } from '../errors/index.js';
import type { OpenPort } from './port.js';
import type { Mask } from './secrets.js';

/** Bytes after which a recording begins a new file. The one before stays beside it, as `<path>.1`. */
const largestFile = 64 * 1024 * 1024;

/** A line of a recording. The payload stands beside these fields. */
export interface TrafficLine extends JsonObject {
  /** Seconds since the process began to record, by a monotonic clock. */
  t: number;
  dir: 'out' | 'in';
  /** Id of the device call; null: the device itself asked, or the instrument spoke by itself. */
  call: string | null;
}

/** Records traffic as NDJSON. A line is in the file before its request leaves. */
export class TrafficFile {
  #file: number;
  #size: number;
  readonly #begin = performance.now();
  #exchanges = 0;

  /** @throws Error when the disk refuses the file */
  constructor(
    readonly path: string,
    private readonly mask: Mask,
  ) {
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, 'a');
    this.#size = fstatSync(this.#file).size;
  }

  nextExchange(): number {
    this.#exchanges += 1;
    return this.#exchanges;
  }

  write(dir: 'out' | 'in', call: string | null, payload: JsonObject): void {
    const t = Math.round(performance.now() - this.#begin) / 1000;
    const line = Buffer.from(`${JSON.stringify({ t, dir, call, ...this.mask.value(payload) })}\n`);
    if (this.#size > 0 && this.#size + line.length > largestFile) this.#rotate();
    writeSync(this.#file, line);
    this.#size += line.length;
  }

  close(): void {
    closeSync(this.#file);
  }

  #rotate(): void {
    closeSync(this.#file);
    renameSync(this.path, `${this.path}.1`);
    this.#file = openSync(this.path, 'a');
    this.#size = 0;
  }
}

/**
 * A way to open a port whose traffic is recorded.
 *
 * @param callId the id of the call that the running code serves
 */
export function recorded(open: OpenPort, file: TrafficFile, callId: () => string | undefined): OpenPort {
  return async (events, signal) => {
    const port = await open(
      {
        heard: (event) => {
          file.write('in', null, event);
          events.heard(event);
        },
        lost: (reason) => {
          file.write('in', null, { lost: messageOf(reason) });
          events.lost(reason);
        },
      },
      signal,
    );
    return {
      exchange: async (request, purpose) => {
        const call = callId() ?? null;
        const exchange = file.nextExchange();
        file.write('out', call, { exchange, ...request });
        try {
          const answer = await port.exchange(request, purpose);
          file.write('in', call, { exchange, ...answer });
          return answer;
        } catch (error) {
          const effect = error instanceof NotBegun ? 'none' : 'maybe';
          file.write('in', call, { exchange, error: messageOf(error), effect });
          throw error;
        }
      },
      close: () => port.close(),
    };
  };
}
