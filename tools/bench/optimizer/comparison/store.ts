import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What identifies a campaign. The same key has the same results, so it is not played again. */
export interface Key {
  problem: string;
  method: string;
  seed: number;
  /** Digest of the problem and its budget. */
  budget: string;
  /** Of the code of the method. */
  version: string;
}

/** One played campaign: a line of the file. */
export interface Entry extends Key {
  /** Why the method cannot play the problem; the other fields are then absent. */
  cannot?: string;
  /** The figure that is compared; null: no run keeps the thresholds. */
  quality?: number | null;
  /** Quality of the runs so far by their true values, after each run. */
  trace?: (number | null)[];
  /** Seconds of processor time of all proposals, with the fits. */
  cpu_s?: number;
  /** Number of proposed points. */
  proposals?: number;
  /** The day on which it was played. */
  date?: string;
  /** The computers on which it was played. */
  machines?: string[];
}

const nameOf = ({ problem, method, seed, budget, version }: Key): string =>
  JSON.stringify([problem, method, seed, budget, version]);

/**
 * Campaigns in a file of JSON lines. Each is appended as soon as it is played, so a process that is killed loses only the
 * campaigns that it plays at the moment. A line that was cut off is ignored.
 */
export class Store {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true });
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    for (const line of text.split('\n')) {
      const entry = parsed(line);
      if (entry !== undefined) this.entries.set(nameOf(entry), entry);
    }
    // The next line must not continue one that was cut off.
    if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  }

  find(key: Key): Entry | undefined {
    return this.entries.get(nameOf(key));
  }

  /** All campaigns, also those of other problems, budgets and versions. */
  all(): Entry[] {
    return [...this.entries.values()];
  }

  add(entry: Entry): void {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
    this.entries.set(nameOf(entry), entry);
  }
}

function parsed(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry | null;
    return typeof entry?.problem === 'string' ? entry : undefined;
  } catch {
    return undefined;
  }
}
