import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AddedFunction, BaseDevice } from '@lab/sdk';
import { z } from 'zod';
import type { NewEntry } from './format.js';
import { Recorder, type Sink } from './recorder.js';

/** Recordings that a device keeps; the oldest ones make room. */
const keptRecordings = 8;
/** Bytes of a recording that one call returns. */
const largestPiece = 150_000;
const usualMib = 16;

/** The init parameter `record`: whether the traffic is recorded from the start. */
export const recordSettings = z
  .union([z.boolean(), z.strictObject({ max_mib: z.number().positive().max(1_024).default(usualMib) })])
  .default(false);
export type RecordSettings = z.output<typeof recordSettings>;

/** The init parameter `replay`: a recording in place of the instrument, by its path below the folder of the device or from the root. */
export const replaySettings = z
  .strictObject({ file: z.string().min(1), order: z.enum(['strict', 'lenient']).default('strict') })
  .nullish()
  .transform((given) => given ?? undefined);

/** Names of the functions that each device with {@link Traffic} has. */
export const trafficFunctions: readonly string[] = ['record_traffic', 'recorded_traffic'];

/** @throws TypeError when a declared function has the name of one of the recordings */
export function checkNames(functions: object): void {
  for (const name of trafficFunctions)
    if (Object.hasOwn(functions, name))
      throw new TypeError(
        `init_parameters.functions.${name}: every device has this function, for recordings: choose another name`,
      );
}

export interface TrafficOptions {
  /** Folder of the device on its computer; null: there is none. */
  folder: () => string | null;
  /** `<lab>.<device>`. */
  of: () => string;
  log: (message: string) => void;
}

/**
 * The recordings of the traffic of one device, and its functions `record_traffic` and `recorded_traffic`. Both only look, so they run
 * beside an effect. A recording that fails ends, and disturbs nothing else.
 */
export class Traffic implements Sink {
  /** Address of the instrument, for people. */
  label = '';
  #recorder: Recorder | undefined;
  #file: string | undefined;
  /** A full recording is followed by the next one, of so many bytes; undefined: it ends. */
  #next: number | undefined;
  #lastStart = 0;
  #exchanges = 0;

  constructor(private readonly options: TrafficOptions) {}

  /** The recordings of a device. */
  static of(device: BaseDevice): Traffic {
    return new Traffic({
      folder: () => device.stateFolder,
      of: () => `${device.lab}.${device.name}`,
      log: (message) => device.log.warn(message),
    });
  }

  /** Whether no recording runs. */
  get isOver(): boolean {
    return this.#recorder?.isOver ?? true;
  }

  /** The file of the running recording; undefined: none runs. */
  get file(): string | undefined {
    return this.isOver ? undefined : this.#file;
  }

  /** A number for a request and its answers. */
  nextExchange(): number {
    this.#exchanges += 1;
    return this.#exchanges;
  }

  /** Records while a recording runs. */
  add(entry: NewEntry): void {
    try {
      if (this.#recorder?.add(entry) !== false || this.#next === undefined) return;
      this.#start(this.#next).add(entry);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends the recording because something of it cannot be recorded. */
  fail(error: unknown): void {
    this.stop();
    this.options.log(`the recording of the traffic ended: ${String(error)}`);
  }

  /** Records from the start if the settings say so, in one file after the other. @throws Error of the disk */
  begin(settings: RecordSettings): void {
    if (settings === false) return;
    this.#next = (settings === true ? usualMib : settings.max_mib) * 1024 ** 2;
    this.#start(this.#next);
  }

  stop(): void {
    this.#next = undefined;
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
            value: usualMib,
            min: 0.001,
            max: 1_024,
            desc: 'size that ends it',
          },
        },
        call: ({ on, max_mib: size }) => {
          this.stop();
          if (on === true) this.#start(Number(size) * 1024 ** 2);
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

  /** Begins a recording in a new file, and ends the one before. */
  #start(maxBytes: number): Recorder {
    this.#recorder?.close();
    const folder = this.options.folder();
    if (folder === null)
      throw new Error('the traffic cannot be recorded: the device has no folder outside of an agent');
    // Two recordings of the same millisecond have two names.
    const at = Math.max(Date.now(), this.#lastStart + 1);
    this.#lastStart = at;
    const names = readdirSync(folder).filter((name) => /^traffic-.*\.ndjson$/.test(name));
    for (const name of names.sort().slice(0, Math.max(0, names.length - keptRecordings + 1)))
      rmSync(join(folder, name));
    const file = join(folder, `traffic-${new Date(at).toISOString().replaceAll(':', '-')}.ndjson`);
    const now = (): number => performance.now();
    this.#recorder = new Recorder({ file, label: this.label, of: this.options.of(), maxBytes, at, now });
    this.#file = file;
    return this.#recorder;
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
