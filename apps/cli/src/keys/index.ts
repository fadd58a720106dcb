import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock, LockedError } from '@lab/runtime';
import type { Overlap } from '@lab/trust/key-ring';
import { agentIssuer, authorityKey, processIssuer } from './broker-keys.js';
import { certificateAuthority } from './certificate-authority.js';
import { fixedKeys } from './fixed-keys.js';
import type { KeyState, StoredKey } from './key.js';
import { actKey, secretsKey, uploadSecret } from './plain-keys.js';
import type { Environment } from './ring-file.js';

export { handOut } from './hand-out.js';
export type { KeyState } from './key.js';

/** The keys of a data folder. */
export class Keyring {
  readonly #keys: readonly StoredKey[];

  /** @param env variables that name other files */
  constructor(
    private readonly dataDir: string,
    env: Environment,
  ) {
    this.#keys = [
      uploadSecret(dataDir, env),
      secretsKey(dataDir, env),
      actKey(dataDir, env),
      agentIssuer(dataDir, env),
      processIssuer(dataDir, env),
      authorityKey(dataDir, env),
      certificateAuthority(dataDir, env),
      ...fixedKeys(dataDir),
    ];
  }

  /** Names of the keys that {@link rotate} replaces. */
  get names(): string[] {
    return this.#keys.flatMap(({ name, rotate }) => (rotate === undefined ? [] : [name]));
  }

  /** The keys that exist, without the keys themselves. @throws Error in one sentence when a file is damaged */
  async list(now = Date.now()): Promise<KeyState[]> {
    const states = await Promise.all(this.#keys.map((key) => key.state(now)));
    return states.filter((state) => state !== undefined);
  }

  /**
   * Replaces a key.
   *
   * @returns sentences about what was done and what is left to do
   * @throws Error in one sentence
   */
  async rotate(name: string, overlap: Overlap, now = Date.now()): Promise<string[]> {
    const key = this.#keys.find((each) => each.name === name);
    if (key?.rotate === undefined)
      throw new Error(`"${name}" is no key that can be rotated; these are: ${this.names.join(', ')}.`);
    mkdirSync(join(this.dataDir, 'run'), { recursive: true, mode: 0o700 });
    const lock = lockFor(join(this.dataDir, 'run', 'keys.lock'));
    try {
      return await key.rotate(overlap, now);
    } finally {
      lock.release();
    }
  }
}

function lockFor(path: string): { release(): void } {
  try {
    return acquireLock(path);
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(`Process ${error.holder.pid} is replacing a key; wait until it has ended.`, {
      cause: error,
    });
  }
}
