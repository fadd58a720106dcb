import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '@lab/contracts';
import { isMissing, writeWhole } from './whole-files.js';

/** SHA-256 of a text, hexadecimal. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Code modules on disk, each immutable in a file named by the SHA-256 of its text. */
export class ModuleStore {
  /** @param folder created when it is first written to */
  constructor(readonly folder: string) {}

  /** Path of the module; it need not exist. */
  path(hash: string): string {
    return join(this.folder, `${hash}.mjs`);
  }

  /** Stores a text. Readers see the whole file or none. @returns its hash */
  async write(text: string): Promise<string> {
    const hash = sha256(text);
    if (await this.has(hash)) return hash;
    await mkdir(this.folder, { recursive: true });
    await writeWhole(this.path(hash), text);
    return hash;
  }

  /** True when the module exists and is undamaged. */
  async has(hash: string): Promise<boolean> {
    try {
      return sha256(await readFile(this.path(hash))) === hash;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /**
   * The text of a module.
   *
   * @throws ServiceError `not_found` when there is none; `internal` when the file does not have the text of its name
   */
  async read(hash: string): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(hash)) {
      throw new ServiceError('not_found', 'a module is named by the SHA-256 of its text');
    }
    let text: string;
    try {
      text = await readFile(this.path(hash), 'utf8');
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new ServiceError('not_found', `there is no module ${hash.slice(0, 12)}`, { cause: error });
    }
    if (sha256(text) !== hash) {
      throw new ServiceError('internal', `the file of module ${hash.slice(0, 12)} is damaged`);
    }
    return text;
  }
}

/** The content of a file; null: there is no such file. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
