import type { Ledger, LedgerRecord } from '../ports.js';

/** A ledger in memory. What was not yet durable when `crash` is called is lost, as on a disk. */
export class MemoryLedger implements Ledger {
  /** What would be found after a crash. */
  durable: LedgerRecord[] = [];
  #waiting: { record: LedgerRecord; done(): void; failed(error: Error): void }[] = [];
  #syncing = false;
  #broken: Error | undefined;
  #crashed = false;

  async open(compact: (records: LedgerRecord[]) => LedgerRecord[]): Promise<LedgerRecord[]> {
    this.durable = compact([...this.durable]);
    return structuredClone(this.durable);
  }

  append(record: LedgerRecord): Promise<void> {
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

  /** The machine dies: returns the ledger that the next agent process finds. */
  crash(): MemoryLedger {
    this.#crashed = true;
    this.#waiting = [];
    const next = new MemoryLedger();
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
