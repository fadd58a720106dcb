import { isServiceError, ServiceError, type AttemptCalls, type JsonValue } from '@lab/contracts';
import type { Clock } from '@lab/ports';
import { forgetOldest } from '../ports/index.js';
import { briefValue } from './shown-values.js';
import type { CallRecords } from './call-records.js';
import type { Ledger } from './ledger.js';
import type { CallEnding, RecordedCall } from './records.js';

/** Largest JSON of a value that is kept to answer a repeat of its call, in bytes. */
const keptValueBytes = 16 * 1024;
/** Number of refused calls that are remembered, so that a repeat of the same message does not run. */
const keptRefusals = 1_000;

/**
 * The device calls of this computer, as recorded in its ledger.
 *
 * Guarantees: a call id begins at most once, also over restarts. A repeat of a call gets the answer of the call.
 */
export class CallLedger implements CallRecords {
  readonly #running = new Map<string, Promise<JsonValue | undefined>>();
  readonly #refused = new Map<string, ServiceError>();
  /** Effects on other computers that were sent and not answered. */
  readonly #elsewhere = new Map<string, RecordedCall>();
  /** By attempt: the listener that waits until it has nothing in doubt. */
  readonly #waiting = new Map<string, () => void>();

  /**
   * @param wall the time of the computer, in milliseconds since 1970
   * @param changed is called after a call on a device of this computer began or ended
   */
  constructor(
    private readonly ledger: Ledger,
    private readonly wall: Clock,
    private readonly changed: () => void = () => undefined,
  ) {}

  /**
   * Runs a call from the network, or answers a repeat of it with the earlier answer.
   *
   * @param run admits and runs the call
   * @throws ServiceError the errors of `run`; `device_error` with effect maybe when the call began and its end is not known;
   *   `wrong_state` with effect done when the call was done and its value was too large to keep
   */
  once(callId: string, run: () => Promise<JsonValue | undefined>): Promise<JsonValue | undefined> {
    const running = this.#running.get(callId);
    if (running !== undefined) return running;
    const refusal = this.#refused.get(callId);
    if (refusal !== undefined) return Promise.reject(refusal);
    const known = this.ledger.state.call(callId);
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
    if (this.ledger.state.call(call.callId) !== undefined) throw inDoubtError(call);
    await this.#append({ type: 'call_begin', call });
    this.changed();
  }

  end(callId: string, ending: CallEnding): void {
    const kept = this.#kept(callId, ending);
    const shown =
      ending.kind === 'returned' && ending.value !== undefined && kept !== ending
        ? { shown: briefValue(ending.value) }
        : {};
    this.ledger.note({ type: 'call_end', callId, ending: kept, atMs: this.wall.now(), ...shown });
    this.changed();
  }

  inDoubt(device: string): RecordedCall[] {
    return this.ledger.state.inDoubt(device);
  }

  lastConfirmed(device: string): RecordedCall | undefined {
    return this.ledger.state.lastConfirmed(device);
  }

  async settled(device: string, by: string): Promise<void> {
    await this.#append({ type: 'settled', device, by });
    this.changed();
    for (const [attemptId, over] of this.#waiting) if (this.#doubtHere(attemptId) === undefined) over();
  }

  /** Finds an effect of the attempt whose device is still in doubt and may still move. */
  doubtOf(attemptId: string): RecordedCall | undefined {
    return this.#doubtHere(attemptId) ?? [...this.#elsewhere.values()].find(effectOf(attemptId));
  }

  /**
   * Calls `over` once, as soon as no device of this computer is in doubt because of the attempt. That may be at once.
   *
   * @returns a function that ends the wait
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

  /** Notes that a task of this computer calls a device of another one, whose agent keeps the authoritative record. */
  sent(call: RecordedCall & { computer: string }): void {
    this.#elsewhere.set(call.callId, call);
    this.ledger.note({ type: 'call_begin', call });
  }

  /** Notes the answer to a call that was {@link sent}. */
  answered(callId: string, ending: CallEnding): void {
    this.#elsewhere.delete(callId);
    this.ledger.note({ type: 'call_end', callId, ending });
  }

  /** Notes that a call that was {@link sent} no longer moves anything, whatever its end was. */
  overElsewhere(callId: string): void {
    this.#elsewhere.delete(callId);
  }

  /** The device calls of an attempt of this computer, here and on other computers. */
  ofAttempt(attemptId: string): AttemptCalls {
    return this.ledger.state.callsOf(attemptId);
  }

  #doubtHere(attemptId: string): RecordedCall | undefined {
    return this.ledger.state.openCalls().find(effectOf(attemptId));
  }

  async #append(record: Parameters<Ledger['append']>[0]): Promise<void> {
    try {
      await this.ledger.append(record);
    } catch (error) {
      throw ledgerFailed(error);
    }
  }

  /** Reduces an ending to what a repeat needs. Calls of local tasks are never repeated, because they use no network. */
  #kept(callId: string, ending: CallEnding): CallEnding {
    if (ending.kind === 'failed' || ending.value === undefined) return ending;
    const attemptId = this.ledger.state.call(callId)?.call.attemptId;
    if (attemptId !== undefined && this.ledger.state.attempts.has(attemptId)) return { kind: 'returned' };
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

/** The refusal of an act that could not be recorded and was therefore not done. */
export function ledgerFailed(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
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
    `this very call has begun ${call.function} of device ${call.device} before, and whether it took effect is not known`,
    { effect: 'maybe' },
  );
}
