import type { JsonValue } from '@lab/sdk';
import type { Time } from '../transport/index.js';

/** The values that a device reports, read for each report or at an even rate. */
export class Poll {
  #values: Record<string, JsonValue> = {};
  #everyMs: number | undefined;
  #isStopped = false;
  #cancel = (): void => undefined;
  /** Readings so far. */
  count = 0;

  /**
   * @param names functions
   * @param read calls one of them
   */
  constructor(
    private readonly names: readonly string[],
    private readonly read: (name: string) => Promise<JsonValue>,
    private readonly time: Time,
  ) {}

  /** Reads all functions every so many milliseconds. A round that is late skips what it missed. */
  start(everyMs: number): void {
    this.#everyMs = everyMs;
    let due = this.time.now();
    const round = (): void => {
      void this.#round().then(() => {
        if (this.#isStopped) return;
        const now = this.time.now();
        due = Math.max(due + everyMs, now - everyMs);
        this.#cancel = this.time.after(due - now, round);
      });
    };
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
    for (const name of this.names) {
      if (this.#isStopped) return;
      this.count += 1;
      try {
        this.#values[name] = await this.read(name);
      } catch (error) {
        this.#values[name] = { error: error instanceof Error ? error.message : String(error) };
      }
    }
  }
}
