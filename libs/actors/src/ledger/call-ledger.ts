import { isServiceError, ServiceError, type AttemptCalls, type JsonValue } from '@lab/contracts';
import { forgetOldest } from '../ports/index.js';
import type { CallRecords } from './call-records.js';
import type { Ledger } from './ledger.js';
import type { CallEnding, RecordedCall } from './records.js';

/** Size as JSON of a value that is kept to answer a repeat of its call, in bytes. */
const keptValueBytes = 16 * 1024;
/** Refused calls remembered, so that a repeat of the same message does not run. */
const keptRefusals = 1_000;

/**
 * The calls of this computer's devices as its ledger has them.
 *
 * Guarantees: a call id is begun at most once, also over restarts; a repeat of a call is answered as the call was.
 */
export class CallLedger implements CallRecords {
  readonly #ledger: Ledger;
  readonly #running = new Map<string, Promise<JsonValue | undefined>>();
  readonly #refused = new Map<string, ServiceError>();
  /** Effects on other computers that were sent and are not answered. */
  readonly #elsewhere = new Map<string, RecordedCall>();
  /** Attempt to who waits for the end of its doubts. */
  readonly #waiting = new Map<string, () => void>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /**
   * Runs a call that came over the network, or answers it as it was answered before.
   *
   * @param run admits the call and runs it
   * @throws ServiceError what `run` throws; `device_error` with effect maybe when the call began and nobody knows how it
   *   ended; `wrong_state` with effect done when it was done and its value was too large to keep
   */
  once(callId: string, run: () => Promise<JsonValue | undefined>): Promise<JsonValue | undefined> {
    const running = this.#running.get(callId);
    if (running !== undefined) return running;
    const refusal = this.#refused.get(callId);
    if (refusal !== undefined) return Promise.reject(refusal);
    const known = this.#ledger.state.call(callId);
    if (known !== undefined) return answerOf(known.call, known.ending);
    const answer = run()
      .catch((error: unknown) => {
        if (isServiceError(error) && error.effect === 'none') this.#refuse(callId, error);
        throw error;
      })
      .finally(() => this.#running.delete(callId));
    this.#running.set(callId, answer);
    return answer;
  }

  async begin(call: RecordedCall): Promise<void> {
    if (this.#ledger.state.call(call.callId) !== undefined) throw inDoubtError(call);
    await this.#append({ type: 'call_begin', call });
  }

  end(callId: string, ending: CallEnding): void {
    this.#ledger.note({ type: 'call_end', callId, ending: this.#kept(callId, ending) });
  }

  inDoubt(device: string): RecordedCall[] {
    return this.#ledger.state.inDoubt(device);
  }

  lastConfirmed(device: string): RecordedCall | undefined {
    return this.#ledger.state.lastConfirmed(device);
  }

  async settled(device: string, by: string): Promise<void> {
    await this.#append({ type: 'settled', device, by });
    for (const [attemptId, over] of this.#waiting) if (this.#doubtHere(attemptId) === undefined) over();
  }

  /** An effect of the attempt whose device nobody has vouched for since: it may still be moving. */
  doubtOf(attemptId: string): RecordedCall | undefined {
    return this.#doubtHere(attemptId) ?? [...this.#elsewhere.values()].find(effectOf(attemptId));
  }

  /**
   * Calls `over` once, as soon as the attempt has nothing in doubt on devices of this computer: at once when it has
   * nothing now.
   *
   * @returns stops waiting
   */
  whenSettled(attemptId: string, over: () => void): () => void {
    if (this.#doubtHere(attemptId) === undefined) {
      over();
      return () => undefined;
    }
    const stop = (): void => void this.#waiting.delete(attemptId);
    this.#waiting.set(attemptId, () => {
      stop();
      over();
    });
    return stop;
  }

  /** A task here calls a device of another computer, whose agent keeps the record that counts. */
  sent(call: RecordedCall & { computer: string }): void {
    this.#elsewhere.set(call.callId, call);
    this.#ledger.note({ type: 'call_begin', call });
  }

  /** The answer to a call that was {@link sent}. */
  answered(callId: string, ending: CallEnding): void {
    this.#elsewhere.delete(callId);
    this.#ledger.note({ type: 'call_end', callId, ending });
  }

  /** A call that was {@link sent} moves nothing any more, however it ended. */
  overElsewhere(callId: string): void {
    this.#elsewhere.delete(callId);
  }

  /** What an attempt of this computer did to devices, here and elsewhere. */
  ofAttempt(attemptId: string): AttemptCalls {
    return this.#ledger.state.callsOf(attemptId);
  }

  #doubtHere(attemptId: string): RecordedCall | undefined {
    return this.#ledger.state.openCalls().find(effectOf(attemptId));
  }

  async #append(record: Parameters<Ledger['append']>[0]): Promise<void> {
    try {
      await this.#ledger.append(record);
    } catch (error) {
      throw ledgerFailed(error);
    }
  }

  /** Nobody repeats the calls of a task of this computer, which come over no network. */
  #kept(callId: string, ending: CallEnding): CallEnding {
    if (ending.kind === 'failed' || ending.value === undefined) return ending;
    const attemptId = this.#ledger.state.call(callId)?.call.attemptId;
    if (attemptId !== undefined && this.#ledger.state.attempts.has(attemptId)) return { kind: 'returned' };
    const bytes = new TextEncoder().encode(JSON.stringify(ending.value)).length;
    if (bytes <= keptValueBytes) return ending;
    const message = `the call was done; its value was ${Math.ceil(bytes / 1024)} KiB, too large to be kept`;
    return { kind: 'failed', code: 'wrong_state', message, effect: 'done' };
  }

  #refuse(callId: string, refusal: ServiceError): void {
    this.#refused.set(callId, refusal);
    forgetOldest(this.#refused, keptRefusals);
  }
}

function effectOf(attemptId: string): (call: RecordedCall) => boolean {
  return (call) => call.attemptId === attemptId && call.kind === 'effect';
}

/** The refusal of what could not be recorded: it was not done. */
export function ledgerFailed(error: unknown): ServiceError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ServiceError('service_unavailable', `the ledger of the agent cannot be written: ${reason}`, {
    cause: error,
  });
}

function answerOf(call: RecordedCall, ending: CallEnding | undefined): Promise<JsonValue | undefined> {
  if (ending === undefined) return Promise.reject(inDoubtError(call));
  if (ending.kind === 'returned') return Promise.resolve(ending.value);
  const { code, message, effect } = ending;
  return Promise.reject(new ServiceError(code, message, { effect }));
}

function inDoubtError(call: RecordedCall): ServiceError {
  return new ServiceError(
    'device_error',
    `${call.function} of device ${call.device} was begun by this very call already, and whether it took effect is not known`,
    { effect: 'maybe' },
  );
}
