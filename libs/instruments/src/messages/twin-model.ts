import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { TwinState, type TwinEntry, type TwinSettings } from '../twins/index.js';

/** The state of an instrument that is not there, as time goes by. */
export class TwinModel {
  readonly #state: TwinState;

  /** @param now seconds by a monotonic clock */
  constructor(
    settings: TwinSettings,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.#state = new TwinState(settings, now());
  }

  /** The whole state at this time. */
  get state(): JsonObject {
    return this.#state.at(this.now());
  }

  set(name: string, value: JsonValue): void {
    this.#state.set(name, value, this.now());
  }

  /**
   * Carries a function out, in the time that it takes.
   *
   * @param given its arguments; without an entry they become values of the state with the same names
   * @returns what the entry says that the peer answers; undefined: the entry says nothing
   */
  async act(
    entry: TwinEntry | undefined,
    given: JsonObject,
    signal: AbortSignal,
  ): Promise<JsonValue | undefined> {
    const takes = entry?.takes ?? 0;
    signal.throwIfAborted();
    if (takes > 0) {
      await pause(takes * 1000, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
    return this.#state.act(entry, given, this.now());
  }
}
