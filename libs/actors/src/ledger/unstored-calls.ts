import type { CallEnding, LedgerRecord, RecordedCall, UnstoredCall } from './records.js';

/** The calls on devices of this computer whose records are not stored centrally yet, oldest first. */
export class UnstoredCalls {
  readonly #calls = new Map<string, UnstoredCall>();

  get all(): ReadonlyMap<string, UnstoredCall> {
    return this.#calls;
  }

  begin(call: RecordedCall): void {
    // A record of an earlier version has no time, so nobody could say when the call was.
    if (call.computer === undefined && call.atMs !== undefined) this.#calls.set(call.callId, { call });
  }

  end(callId: string, ending: CallEnding, endedMs: number | undefined): void {
    const unstored = this.#calls.get(callId);
    if (unstored !== undefined) this.#calls.set(callId, { ...unstored, ending, endedMs });
  }

  restore(unstored: UnstoredCall): void {
    this.#calls.set(unstored.call.callId, unstored);
  }

  stored(callIds: readonly string[]): void {
    for (const id of callIds) this.#calls.delete(id);
  }

  /** Records that restore the ended calls. Those in progress are restored by the records of their beginning. */
  records(): LedgerRecord[] {
    return [...this.#calls.values()]
      .filter(({ ending }) => ending !== undefined)
      .map((unstored) => ({ type: 'call_unstored', unstored }));
  }
}
