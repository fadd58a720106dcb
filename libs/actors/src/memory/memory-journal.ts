import type { Journal, JournalRecord } from '../ports.js';

/** A journal in memory. What was not yet durable when `crash` is called is lost, as on a disk. */
export class MemoryJournal implements Journal {
  /** What would be found after a crash. */
  durable: JournalRecord[] = [];
  #waiting: { record: JournalRecord; done(): void; failed(error: Error): void }[] = [];
  #syncing = false;
  #broken: Error | undefined;
  #crashed = false;

  async open(compact: (records: JournalRecord[]) => JournalRecord[]): Promise<JournalRecord[]> {
    this.durable = compact([...this.durable]);
    return structuredClone(this.durable);
  }

  append(record: JournalRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      // A dead machine answers nothing.
      if (this.#crashed) return;
      this.#waiting.push({ record: structuredClone(record), done: resolve, failed: reject });
      if (this.#syncing) return;
      this.#syncing = true;
      queueMicrotask(() => this.#sync());
    });
  }

  async close(): Promise<void> {
    while (this.#waiting.length > 0) await Promise.resolve();
  }

  /** From now on appends fail, as on a full disk; undefined mends it. */
  breakWith(error: Error | undefined): void {
    this.#broken = error;
  }

  /** The machine dies: returns the journal that the next agent process finds. */
  crash(): MemoryJournal {
    this.#crashed = true;
    this.#waiting = [];
    const next = new MemoryJournal();
    next.durable = structuredClone(this.durable);
    return next;
  }

  #sync(): void {
    this.#syncing = false;
    if (this.#crashed) return;
    for (const { record, done, failed } of this.#waiting.splice(0)) {
      if (this.#broken !== undefined) {
        failed(this.#broken);
        continue;
      }
      this.durable.push(record);
      done();
    }
  }
}
