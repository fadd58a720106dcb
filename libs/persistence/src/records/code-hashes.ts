import type { Kysely } from 'kysely';
import type { Database } from '../schema/index.js';

/** Number of snapshots whose hashes are kept in memory. */
const mostKept = 1_000;

/** The hashes of the code of one snapshot, by task type. */
export type CodeHashes = ReadonlyMap<string, string>;

/** Reads the hashes of the code that snapshots name. Snapshots never change, so each is read once. */
export class CodeHashReader {
  readonly #known = new Map<string, CodeHashes>();

  constructor(private readonly db: Kysely<Database>) {}

  /** @returns the hashes by definition hash, without definitions that are not stored */
  async of(hashes: Iterable<string>): Promise<ReadonlyMap<string, CodeHashes>> {
    const found = new Map<string, CodeHashes>();
    const missing: string[] = [];
    for (const hash of new Set(hashes)) {
      const known = this.#known.get(hash);
      if (known === undefined) missing.push(hash);
      else found.set(hash, known);
    }
    if (missing.length === 0) return found;
    const rows = await this.db.selectFrom('definition').selectAll().where('hash', 'in', missing).execute();
    for (const { hash, body } of rows) {
      const tasks = 'tasks' in body ? Object.values(body.tasks) : [body.task];
      const codes = new Map(tasks.map((task) => [task.type, task.module.hash]));
      found.set(hash, codes);
      if (this.#known.size >= mostKept) this.#known.clear();
      this.#known.set(hash, codes);
    }
    return found;
  }
}
