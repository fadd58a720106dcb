import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '@lab/sdk';
import { z } from 'zod';
import { fill } from './templates.js';

/** How the twin of an instrument behaves. */
export const twinSettings = z.strictObject({
  /** Values at the start, by name. */
  state: z.record(z.string(), z.json()).default({}),
  /** Numbers that follow another number of the state with a rate, in units per second. */
  follow: z.record(z.string(), z.strictObject({ to: z.string(), rate: z.number().positive() })).default({}),
});

/** What a function does to the twin. */
export const twinEntry = z.strictObject({
  /** Values of the state that change at the end of the call. Places such as `{target}` are arguments. */
  sets: z.record(z.string(), z.json()).optional(),
  /** What the peer answers. Places are arguments and values of the state. */
  answers: z.json().optional(),
  /** Seconds that the instrument needs. */
  takes: z.number().nonnegative().default(0),
});

export type TwinEntry = z.output<typeof twinEntry>;

/**
 * The state of an instrument that is not there. Values of the state that follow others move on as time goes by.
 */
export class TwinModel {
  readonly #state: JsonObject;
  #moved: number;

  /** @param now seconds by a monotonic clock */
  constructor(
    private readonly settings: z.output<typeof twinSettings>,
    private readonly now: () => number = () => performance.now() / 1000,
  ) {
    this.#state = { ...(settings.state as JsonObject) };
    this.#moved = now();
  }

  /** The whole state at this time. */
  get state(): JsonObject {
    const now = this.now();
    const passed = now - this.#moved;
    this.#moved = now;
    for (const [name, { to, rate }] of Object.entries(this.settings.follow)) {
      const from = Number(this.#state[name] ?? 0);
      const target = Number(this.#state[to] ?? from);
      const step = rate * passed;
      this.#state[name] = Math.abs(target - from) <= step ? target : from + Math.sign(target - from) * step;
    }
    return { ...this.#state };
  }

  set(name: string, value: JsonValue): void {
    // Followers stand where they are now.
    void this.state;
    this.#state[name] = value;
  }

  /**
   * Carries a function out.
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
    for (const [name, value] of Object.entries(entry?.sets ?? given)) {
      const filled = fill(value as JsonValue, { ...this.state, ...given });
      if (filled !== undefined) this.set(name, filled);
    }
    if (entry?.answers === undefined) return undefined;
    return fill(entry.answers as JsonValue, { ...this.state, ...given });
  }
}
