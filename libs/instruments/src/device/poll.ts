import type { JsonValue } from '@lab/sdk';
import type { Time } from '../transport/index.js';

/** The values that a device reports, read for each report or at an even rate. */
export class Poll {
  #values: Record<string, JsonValue> = {};
  #everyMs: number | undefined;
  #isStopped = false;
  #cancel = (): void => undefined;

  /** @param readers what reads each value, by the name of its function */
  constructor(
    private readonly readers: ReadonlyMap<string, () => Promise<JsonValue | undefined>>,
    private readonly time: Time,
  ) {}

  /** Reads all values every so many milliseconds. A round that is late skips what it missed. */
  start(everyMs: number): void {
    this.#everyMs = everyMs;
    let due = this.time.now();
    const again = (): void => {
      if (this.#isStopped) return;
      const now = this.time.now();
      due = Math.max(due + everyMs, now - everyMs);
      this.#cancel = this.time.after(due - now, round);
    };
    const round = (): void => void this.#round().then(again);
    round();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** The values by the names of their functions; of one that failed, `{error}`. */
  async values(connected: boolean): Promise<Record<string, JsonValue>> {
    if (this.#everyMs === undefined && connected) await this.#round();
    return this.#values;
  }

  async #round(): Promise<void> {
    for (const [name, read] of this.readers) {
      if (this.#isStopped) return;
      try {
        this.#values[name] = (await read()) ?? null;
      } catch (error) {
        this.#values[name] = { error: error instanceof Error ? error.message : String(error) };
      }
    }
  }
}
