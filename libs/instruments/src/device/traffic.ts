import { openSync, closeSync, readdirSync, readSync, fstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AddedFunction } from '@lab/sdk';
import { recorded, Recorder, type Time, type Transport } from '../transport/index.js';

/** Recordings that a device keeps; the oldest ones make room. */
const keptRecordings = 8;
/** Bytes of a recording that one call returns. */
const largestPiece = 150_000;

export interface TrafficOptions {
  /** Folder of the device on its computer; null: there is none. */
  folder: () => string | null;
  /** `<lab>.<device>`. */
  of: () => string;
  time: Time;
  log: (message: string) => void;
}

/**
 * The recordings of the traffic of one device, and its functions `record_traffic` and `recorded_traffic`. Both only look, so they run
 * beside an effect.
 */
export class Traffic {
  #recorder: Recorder | undefined;
  #file: string | undefined;
  #label = '';

  constructor(private readonly options: TrafficOptions) {}

  /** The transport, recorded while a recording runs. */
  over(transport: Transport): Transport {
    this.#label = transport.label;
    return recorded(
      transport,
      () => this.#recorder,
      (error) => this.options.log(`the recording of the traffic ended: ${String(error)}`),
    );
  }

  /** The file of the running recording; undefined: none runs. */
  get file(): string | undefined {
    return this.#recorder === undefined || this.#recorder.isOver ? undefined : this.#file;
  }

  /** Begins a recording in a new file, and ends the one before. @throws Error of the disk */
  start(maxBytes: number): void {
    this.stop();
    const folder = this.options.folder();
    if (folder === null)
      throw new Error('the traffic cannot be recorded: the device has no folder outside of an agent');
    const now = Date.now();
    const names = readdirSync(folder).filter((name) => /^traffic-.*\.ndjson$/.test(name));
    for (const name of names.sort().slice(0, Math.max(0, names.length - keptRecordings + 1)))
      rmSync(join(folder, name));
    const file = join(folder, `traffic-${new Date(now).toISOString().replaceAll(':', '-')}.ndjson`);
    const { of, time } = this.options;
    this.#recorder = new Recorder({ file, label: this.#label, of: of(), maxBytes, time, now: () => now });
    this.#file = file;
  }

  stop(): void {
    this.#recorder?.close();
  }

  functions(): Record<string, AddedFunction> {
    return {
      record_traffic: {
        kind: 'query',
        description:
          'Begins or ends a recording of the traffic with the instrument, in the folder of the device',
        parameters: {
          on: { type: 'bool', value: true },
          max_mib: {
            type: 'float',
            unit: 'MiB',
            value: 16,
            min: 0.001,
            max: 1_024,
            desc: 'size that ends it',
          },
        },
        call: ({ on, max_mib: size }) => {
          if (on === true) this.start(Number(size) * 1024 ** 2);
          else this.stop();
          return { file: this.#file ?? null, running: this.file !== undefined };
        },
      },
      recorded_traffic: {
        kind: 'query',
        description: 'Returns a piece of the last recording of the traffic',
        parameters: { offset: { type: 'int', unit: 'byte', value: 0, min: 0 } },
        call: ({ offset }) => this.#piece(Number(offset)),
      },
    };
  }

  /** Whole lines from a place in the file. */
  #piece(offset: number): { text: string; next: number; size: number; running: boolean } {
    if (this.#file === undefined)
      throw new Error('nothing was recorded since the device started: call record_traffic first');
    const file = openSync(this.#file, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.max(0, Math.min(largestPiece, size - offset)));
      const read = readSync(file, bytes, 0, bytes.length, offset);
      // A piece ends with a line, except for a line that is longer than a piece.
      const line = bytes.lastIndexOf(0x0a, read - 1) + 1;
      const length = line > 0 ? line : read;
      const text = bytes.toString('latin1', 0, length);
      return { text, next: offset + length, size, running: this.file !== undefined };
    } finally {
      closeSync(file);
    }
  }
}
