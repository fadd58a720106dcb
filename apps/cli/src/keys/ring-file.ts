import { join } from 'node:path';
import { rotated, ringText, type KeyRing, type Overlap } from '@lab/trust/key-ring';
import { readIfThere, writePrivately } from '../stack/private-files.js';
import { stateOf, type KeyState, type StoredKey } from './key.js';

/** Where a key of the configuration is. */
export interface KeyPlace {
  /** Name of the file in `secrets` of the data folder. */
  file: string;
  /** Variable of the configuration that gives another file, with `_FILE` at its end. */
  variable: `SVC_${string}`;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Path of the file with a key: that of the configuration, or that of the data folder.
 *
 * @throws Error in one sentence when the configuration gives the key itself
 */
export function pathOf({ file, variable }: KeyPlace, dataDir: string, env: Environment): string {
  if (env[variable])
    throw new Error(
      `${variable} contains the key itself. Write the key into a file of mode 0600, name the file in ${variable}_FILE, and start again.`,
    );
  return env[`${variable}_FILE`] || join(dataDir, 'secrets', file);
}

export interface RingFileOptions<K> extends KeyPlace {
  name: string;
  use: string;
  dataDir: string;
  env: Environment;
  /** Reads the ring in the text of the file. */
  read(text: string): KeyRing<K>;
  make(): K;
  /** Writes what depends on the ring. Called before the file changes, so that nobody signs with a key that is not known yet. */
  before?(ring: KeyRing<K>): void;
  /** Whether the keys before are needed for good, because they have sealed what is stored. */
  endless?: boolean;
  /** Sentences for people after a rotation. */
  advice(overlap: Overlap): string[];
}

/** A key with a file of its own, which the processes read again when it changes. */
export class RingFile<K> implements StoredKey {
  constructor(private readonly options: RingFileOptions<K>) {}

  get name(): string {
    return this.options.name;
  }

  get use(): string {
    return this.options.use;
  }

  async state(now: number): Promise<KeyState | undefined> {
    const text = readIfThere(this.path);
    return text === undefined ? undefined : stateOf(this, this.options.read(text), now);
  }

  async rotate(overlap: Overlap, now: number): Promise<string[]> {
    const { endless = false, make, advice } = this.options;
    if (endless && overlap.overlapMs === 0)
      throw new Error(
        `The ${this.name} before cannot end: stored values are sealed with it. Rotate without --now, and replace what a thief may have read.`,
      );
    const given = endless ? { overlapMs: Infinity } : overlap;
    this.write(rotated(this.ring(), make(), now, given));
    const end = Number.isFinite(given.overlapMs)
      ? `is accepted until ${new Date(now + given.overlapMs).toISOString().slice(0, 19)}Z`
      : 'stays: it opens the stored values that it has sealed';
    return [
      `${this.name} is new. The key before ${given.overlapMs === 0 ? 'is refused from now on' : end}.`,
      ...advice(given),
    ];
  }

  get path(): string {
    return pathOf(this.options, this.options.dataDir, this.options.env);
  }

  /** @throws Error in one sentence when there is no file, or it is damaged */
  ring(): KeyRing<K> {
    const text = readIfThere(this.path);
    if (text === undefined)
      throw new Error(`There is no ${this.path}: "svc start" makes the key when it first starts.`);
    return this.options.read(text);
  }

  write(ring: KeyRing<K>): void {
    this.options.before?.(ring);
    writePrivately(this.path, ringText(ring));
  }
}
