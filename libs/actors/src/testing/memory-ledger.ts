import { LedgerState, type Ledger, type LedgerMemory, type LedgerRecord } from '../ledger/index.js';

/** A ledger in memory. A call of `crash` loses the records that are not durable, as on a disk. */
export class MemoryLedger implements Ledger {
  /** The records that a crash leaves. */
  durable: LedgerRecord[] = [];
  state = new LedgerState();
  #waiting: { record: LedgerRecord; settle?: { resolve(): void; reject(error: Error): void } }[] = [];
  #isOpen = false;
  #syncing = false;
  #broken: Error | undefined;
  #crashed = false;

  get trouble(): string | undefined {
    return this.#broken === undefined ? undefined : `the ledger cannot be written (${this.#broken.message})`;
  }

  async open(memory: LedgerMemory): Promise<void> {
    const noted = this.#waiting.splice(0).map(({ record }) => record);
    this.state = new LedgerState(memory, structuredClone([...this.durable, ...noted]));
    this.durable = this.state.records();
    this.#isOpen = true;
  }

  append(record: LedgerRecord): Promise<void> {
    if (!this.#isOpen) return Promise.reject(new Error('the ledger is not open'));
    return new Promise((resolve, reject) => this.#add(record, { resolve, reject }));
  }

  note(record: LedgerRecord): void {
    this.state.apply(structuredClone(record));
    this.#add(record);
  }

  async close(): Promise<void> {
    while (this.#syncing) await Promise.resolve();
  }

  /** Makes appends fail from now on, as on a full disk; undefined ends that. */
  breakWith(error: Error | undefined): void {
    this.#broken = error;
  }

  /** Simulates the death of the machine. @returns the ledger that the next agent process finds */
  crash(): MemoryLedger {
    this.#crashed = true;
    this.#waiting = [];
    const next = new MemoryLedger();
    next.durable = structuredClone(this.durable);
    return next;
  }

  #add(record: LedgerRecord, settle?: { resolve(): void; reject(error: Error): void }): void {
    // A dead machine does not answer.
    if (this.#crashed) return;
    this.#waiting.push({ record: structuredClone(record), ...(settle === undefined ? {} : { settle }) });
    if (this.#syncing) return;
    this.#syncing = true;
    queueMicrotask(() => this.#sync());
  }

  #sync(): void {
    this.#syncing = false;
    if (this.#crashed) return;
    const error = this.#broken;
    const group = this.#waiting.splice(0);
    if (error !== undefined) {
      this.#waiting = group.filter(({ settle }) => settle === undefined);
      for (const { settle } of group) settle?.reject(error);
      return;
    }
    for (const { record, settle } of group) {
      this.durable.push(record);
      if (settle === undefined) continue;
      this.state.apply(structuredClone(record));
      settle.resolve();
    }
  }
}
