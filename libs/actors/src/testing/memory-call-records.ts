import type { CallEnding, CallRecords, RecordedCall } from '../ledger/index.js';

/** Records of calls that live as long as this object. */
export class MemoryCallRecords implements CallRecords {
  /** All changes, in order. */
  readonly log: string[] = [];
  readonly endings = new Map<string, CallEnding>();
  readonly #open = new Map<string, RecordedCall>();
  readonly #last = new Map<string, RecordedCall>();
  #broken: Error | undefined;
  #held: Promise<void> | undefined;

  async begin(call: RecordedCall): Promise<void> {
    await this.#held;
    if (this.#broken !== undefined) throw this.#broken;
    this.log.push(`begin ${call.callId}`);
    this.#open.set(call.callId, structuredClone(call));
  }

  end(callId: string, ending: CallEnding): void {
    const call = this.#open.get(callId);
    if (call === undefined) return;
    this.#open.delete(callId);
    this.endings.set(callId, structuredClone(ending));
    this.#last.set(call.device, call);
    this.log.push(`end ${callId} ${ending.kind === 'failed' ? ending.effect : ending.kind}`);
  }

  inDoubt(device: string): RecordedCall[] {
    return [...this.#open.values()].filter((call) => call.device === device && call.kind === 'effect');
  }

  lastConfirmed(device: string): RecordedCall | undefined {
    return this.#last.get(device);
  }

  async settled(device: string, by: string): Promise<void> {
    await this.#held;
    if (this.#broken !== undefined) throw this.#broken;
    for (const { callId } of this.inDoubt(device)) this.#open.delete(callId);
    this.log.push(`settled ${device} by ${by}`);
  }

  /** Makes recording fail from now on, as on a full disk; undefined ends that. */
  breakWith(error: Error | undefined): void {
    this.#broken = error;
  }

  /** Makes the disk busy until the returned function is called. */
  hold(): () => void {
    let release: () => void = () => undefined;
    this.#held = new Promise((resolve) => {
      release = () => {
        this.#held = undefined;
        resolve();
      };
    });
    return release;
  }
}
