import {
  isServiceError,
  longestEffectBatch,
  type EffectState,
  type ErrorCode,
  type RecordedEffect,
} from '@lab/contracts';
import type { Timers } from '@lab/ports';
import { briefValue, type CallEnding, type Ledger, type UnstoredCall } from '../ledger/index.js';
import { within, type AgentLog } from '../ports/index.js';
import type { EffectStore } from './agent-ports.js';

export interface EffectDeliveryPorts {
  ledger: Ledger;
  effects: EffectStore;
  timers: Timers;
  log: AgentLog;
}

/** How long a record waits for further ones, so that a short call is sent once, in milliseconds. */
const gatherMs = 300;
/** Pauses after a batch that could not be stored: the first, and the longest, in milliseconds. */
const retryMs = { first: 1_000, longest: 10_000 };
/** Time for the last batches when the agent ends, in milliseconds. What is left stays in the ledger. */
const closeMs = 1_000;
/** Largest batch, in characters of JSON: below half of the smallest usual limit of a broker. */
const batchChars = 256 * 1024;
/** Errors that the same records would get again. */
const refusals: ReadonlySet<ErrorCode> = new Set(['bad_request', 'invalid', 'payload_too_large', 'internal']);
/** Most ended calls that wait. Beyond this the oldest are given up, so that the ledger does not grow without end. */
const mostWaiting = 200_000;

/**
 * Delivers the calls of this computer that may change something, behind the calls: nothing waits for it. The ledger keeps a
 * call until its end is stored centrally, so that every call is delivered at least once, also after a restart.
 */
export class EffectDelivery {
  /** Calls in progress whose beginning is stored. */
  readonly #begun = new Set<string>();
  /** Calls of an earlier process without a known end that are in no doubt: nothing will ever say how they ended. */
  #endless: ReadonlySet<string> = new Set();
  #open = false;
  /** A call began or ended since the present or the latest delivery began. */
  #isNews = false;
  #mostAtOnce = longestEffectBatch;
  #pauseMs = 0;
  #cancelTimer: (() => void) | undefined;
  #sending: Promise<void> | undefined;

  constructor(private readonly ports: EffectDeliveryPorts) {}

  /** Begins to deliver what the open ledger holds. */
  start(): void {
    const earlier = [...this.#unstored.values()].filter(
      ({ call, ending }) => ending === undefined && call.kind === 'idempotent',
    );
    this.#endless = new Set(earlier.map(({ call }) => call.callId));
    this.#open = true;
    this.changed();
  }

  /** A call began or ended. */
  changed(): void {
    this.#isNews = true;
    if (!this.#open || this.#sending !== undefined || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.ports.timers.after(Math.max(gatherMs, this.#pauseMs), () => this.#flush());
  }

  /** Delivers what it can within a moment. */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#flush();
    await within(this.ports.timers, closeMs, this.#sending ?? Promise.resolve());
    this.#open = false;
    this.#cancelTimer?.();
  }

  get #unstored(): ReadonlyMap<string, UnstoredCall> {
    return this.ports.ledger.state.unstored;
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#sending !== undefined) return;
    this.#isNews = false;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#open && (this.#pauseMs > 0 || this.#isNews)) this.changed();
    });
  }

  /** Sends batches until none waits or one cannot be stored at present. Never rejects. */
  async #sendAll(): Promise<void> {
    const { effects, ledger, log } = this.ports;
    for (let batch = this.#nextBatch(); batch.length > 0; batch = this.#nextBatch()) {
      try {
        await effects.store(batch);
      } catch (error) {
        if (this.#isRefused(batch, error)) continue;
        log.debug('the records of calls could not be stored', { calls: batch.length, reason: String(error) });
        this.#pauseMs = Math.min(retryMs.longest, this.#pauseMs === 0 ? retryMs.first : 2 * this.#pauseMs);
        this.#giveUpOldest();
        return;
      }
      this.#pauseMs = 0;
      this.#mostAtOnce = longestEffectBatch;
      const ended = batch.filter(({ state }) => state !== 'running').map(({ call_id: id }) => id);
      for (const { call_id: id, state } of batch)
        if (state === 'running') this.#begun.add(id);
        else this.#begun.delete(id);
      if (ended.length > 0) ledger.note({ type: 'calls_stored', callIds: ended });
    }
  }

  /**
   * Handles a refusal that no repetition changes: the records are sent one by one, and the one that is refused by itself is
   * given up, so that it does not hold up all others.
   */
  #isRefused(batch: readonly RecordedEffect[], error: unknown): boolean {
    if (!isServiceError(error) || !refusals.has(error.code)) return false;
    this.#mostAtOnce = 1;
    if (batch.length > 1) return true;
    const callIds = batch.map(({ call_id: id }) => id);
    this.ports.log.error('the record of a call was refused and is given up', {
      callIds,
      reason: error.message,
    });
    for (const id of callIds) this.#begun.delete(id);
    this.ports.ledger.note({ type: 'calls_stored', callIds });
    return true;
  }

  #nextBatch(): RecordedEffect[] {
    const batch: RecordedEffect[] = [];
    let chars = 0;
    for (const unstored of this.#unstored.values()) {
      const effect = this.#effectOf(unstored);
      if (effect.state === 'running' && this.#begun.has(effect.call_id)) continue;
      chars += JSON.stringify(effect).length;
      if (batch.length > 0 && (chars > batchChars || batch.length === this.#mostAtOnce)) break;
      batch.push(effect);
    }
    return batch;
  }

  #giveUpOldest(): void {
    const over = this.#unstored.size - mostWaiting;
    if (over <= 0) return;
    const ended = [...this.#unstored.values()].filter(({ ending }) => ending !== undefined);
    const callIds = ended.slice(0, over).map(({ call }) => call.callId);
    this.ports.log.error('records of calls were given up: too many could not be stored', {
      calls: callIds.length,
    });
    this.ports.ledger.note({ type: 'calls_stored', callIds });
  }

  #effectOf({ call, ending, endedMs }: UnstoredCall): RecordedEffect {
    const dot = call.device.indexOf('.');
    const state = ending === undefined && this.#endless.has(call.callId) ? 'unknown' : stateOf(ending);
    return {
      call_id: call.callId,
      lab: call.device.slice(0, dot),
      device: call.device.slice(dot + 1),
      function: call.function,
      kind: call.kind,
      arguments: call.arguments ?? {},
      state,
      began_ms: call.atMs ?? 0,
      ...(endedMs === undefined ? {} : { ended_ms: endedMs }),
      ...(ending?.kind === 'returned' && ending.value !== undefined
        ? { result: briefValue(ending.value) }
        : {}),
      ...(ending?.kind === 'failed'
        ? { error: { code: ending.code, message: ending.message, effect: ending.effect } }
        : {}),
      ...(call.by === undefined ? {} : { person: call.by }),
      ...(call.attemptId === undefined ? {} : { attempt_id: call.attemptId }),
      ...(call.code === undefined ? {} : { code_hash: call.code }),
      ...(call.runtime === undefined ? {} : { runtime: call.runtime }),
    };
  }
}

function stateOf(ending: CallEnding | undefined): EffectState {
  if (ending === undefined) return 'running';
  if (ending.kind === 'returned') return 'completed';
  if (ending.lost === true) return 'unknown';
  return ending.effect === 'none' ? 'not_begun' : 'failed';
}
