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

export type TwinSettings = z.output<typeof twinSettings>;
export type TwinEntry = z.output<typeof twinEntry>;

/**
 * The state of an instrument that is not there. Values of the state that follow others move on as time goes by. It has no clock of
 * its own: each method gets the time in seconds, which never goes back.
 */
export class TwinState {
  readonly #state: JsonObject;
  #moved: number;

  constructor(
    private readonly settings: TwinSettings,
    now: number,
  ) {
    this.#state = { ...(settings.state as JsonObject) };
    this.#moved = now;
  }

  /** The whole state at a time. */
  at(now: number): JsonObject {
    const passed = Math.max(0, now - this.#moved);
    this.#moved = Math.max(now, this.#moved);
    for (const [name, { to, rate }] of Object.entries(this.settings.follow)) {
      const { from, target } = this.#path(name, to);
      const step = rate * passed;
      this.#state[name] = Math.abs(target - from) <= step ? target : from + Math.sign(target - from) * step;
    }
    return { ...this.#state };
  }

  set(name: string, value: JsonValue, now: number): void {
    // Followers stand where they are now.
    this.at(now);
    this.#state[name] = value;
  }

  /**
   * Does what a function does at its end.
   *
   * @param given its arguments; without an entry they become values of the state with the same names
   * @returns what the entry says that the peer answers; undefined: the entry says nothing
   */
  act(entry: TwinEntry | undefined, given: JsonObject, now: number): JsonValue | undefined {
    for (const [name, value] of Object.entries(entry?.sets ?? given)) {
      const filled = fill(value as JsonValue, { ...this.at(now), ...given });
      if (filled !== undefined) this.set(name, filled, now);
    }
    if (entry?.answers === undefined) return undefined;
    return fill(entry.answers as JsonValue, { ...this.at(now), ...given });
  }

  /** When a value is that of the state, if nothing else happens, in seconds; undefined: never. */
  whenReached(name: string, value: JsonValue, now: number): number | undefined {
    const state = this.at(now);
    if (JSON.stringify(state[name]) === JSON.stringify(value)) return now;
    const follow = Object.hasOwn(this.settings.follow, name) ? this.settings.follow[name] : undefined;
    if (follow === undefined || typeof value !== 'number') return undefined;
    const { from, target } = this.#path(name, follow.to);
    const isOnTheWay = Math.min(from, target) <= value && value <= Math.max(from, target);
    return isOnTheWay ? now + Math.abs(value - from) / follow.rate : undefined;
  }

  #path(name: string, to: string): { from: number; target: number } {
    const from = Number(this.#state[name] ?? 0);
    return { from, target: Number(this.#state[to] ?? from) };
  }
}
