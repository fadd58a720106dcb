import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { LedgerRecord } from '@lab/actors';

/** Where version 0.1 kept what is in the ledger: a line is the CRC-32 of a record, a space, and the record as JSON. */
export class OldJournal {
  readonly #path: string;

  /** @param folder of the agent */
  constructor(folder: string) {
    this.#path = join(folder, 'journal.jsonl');
  }

  /**
   * The records before the first that cannot be read; none when there is no journal.
   *
   * @throws Error when it cannot be read
   */
  async read(): Promise<LedgerRecord[]> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    const records: LedgerRecord[] = [];
    // What follows the last line end was torn by a crash.
    for (const line of text.split('\n').slice(0, -1)) {
      const json = line.slice(9);
      if (line[8] !== ' ' || crc32(json).toString(16).padStart(8, '0') !== line.slice(0, 8)) break;
      records.push(JSON.parse(json) as LedgerRecord);
    }
    return records;
  }

  /** Its records are in the ledger: it is not read again. */
  async setAside(): Promise<void> {
    try {
      await rename(this.#path, `${this.#path}.carried-over`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}
