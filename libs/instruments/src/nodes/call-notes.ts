import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@lab/sdk';
import { replaceFile } from '../durable/index.js';

/**
 * What a device asked another system to do, by the id of the call, for `_reconcile` in a later process. A note is durable
 * before the other system is told to begin, so a call without a note has begun nothing there.
 */
export class CallNotes {
  readonly #folder: string | undefined;
  readonly #inMemory = new Map<string, JsonObject>();

  /** @param stateFolder `stateFolder` of the device; null: the notes last as long as this object */
  constructor(stateFolder: string | null) {
    this.#folder = stateFolder === null ? undefined : join(stateFolder, 'calls');
  }

  /** Makes a note durable. @throws Error of the disk; then the call must not be made */
  async keep(callId: string, note: JsonObject): Promise<void> {
    if (this.#folder === undefined) {
      this.#inMemory.set(callId, note);
      return;
    }
    await mkdir(this.#folder, { recursive: true });
    await replaceFile(this.#pathOf(callId), JSON.stringify({ call_id: callId, ...note }));
  }

  /** @returns undefined when there is no note */
  async read(callId: string): Promise<JsonObject | undefined> {
    if (this.#folder === undefined) return this.#inMemory.get(callId);
    try {
      return JSON.parse(await readFile(this.#pathOf(callId), 'utf8')) as JsonObject;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes the note of a call whose end is known. A note that stays is harmless, so a failure is ignored. */
  async drop(callId: string): Promise<void> {
    this.#inMemory.delete(callId);
    if (this.#folder !== undefined) await rm(this.#pathOf(callId), { force: true }).catch(() => undefined);
  }

  /** Removes all notes, once no call is in doubt any more. */
  async clear(): Promise<void> {
    this.#inMemory.clear();
    if (this.#folder === undefined) return;
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) await rm(join(this.#folder, name), { force: true });
  }

  #pathOf(callId: string): string {
    const name = createHash('sha256').update(callId).digest('hex').slice(0, 40);
    return join(this.#folder ?? '', `${name}.json`);
  }
}
