import type { JsonObject, JsonValue } from '@lab/sdk';
import { messageOf } from '../errors/index.js';
import { excerpt, takeAnswer, valueAt } from '../messages/index.js';
import type { StateEntry } from './settings.js';

interface Known {
  payload: JsonValue;
  /** By a monotonic clock, in milliseconds. */
  at: number;
}

type Listener = (name: string, value: JsonValue) => void;

/** What an instrument last said on its state topics. */
export class States {
  readonly #known = new Map<string, Known>();
  readonly #listeners = new Set<Listener>();

  /** @param now milliseconds of a monotonic clock */
  constructor(
    private readonly entries: Readonly<Record<string, StateEntry>>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get topics(): string[] {
    return Object.values(this.entries).map(({ topic }) => topic);
  }

  /** Forgets everything: what was said on another connection says nothing about now. */
  forget(): void {
    this.#known.clear();
  }

  /** @param retained the broker had kept the message, so it says nothing about what happens now */
  heard(topic: string, payload: JsonValue, retained: boolean): void {
    for (const [name, entry] of Object.entries(this.entries)) {
      if (entry.topic !== topic) continue;
      this.#known.set(name, { payload, at: this.now() });
      if (retained) continue;
      const value = valueAt(payload, entry.path);
      for (const listener of this.#listeners) listener(name, value ?? null);
    }
  }

  /** Listens to later messages, not to those that the broker had kept. @returns ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The last value of a state.
   *
   * @throws Error that says why it is not known
   */
  read(name: string): JsonValue {
    const { entry, known } = this.#find(name);
    if (known === undefined) {
      throw new Error(
        `${name} is not known: no message came on ${entry.topic} since the connection was made`,
      );
    }
    const age = this.#age(known);
    if (entry.stale_after !== undefined && age > entry.stale_after) {
      throw new Error(
        `${name} is not known: the last message on ${entry.topic} came ${age} s ago, and it counts for ${entry.stale_after} s`,
      );
    }
    return takeAnswer(entry, known.payload);
  }

  /** The value at the path of a state, without its type; undefined: not known. */
  raw(name: string): JsonValue | undefined {
    const { entry, known } = this.#find(name);
    return known === undefined ? undefined : valueAt(known.payload, entry.path);
  }

  /** All states for people: value, unit and age. A value that is not known is null, and `why` says why. */
  report(): JsonObject {
    return Object.fromEntries(
      Object.entries(this.entries).map(([name, { unit }]) => {
        const known = this.#known.get(name);
        const common: JsonObject = {
          ...(unit === undefined ? {} : { unit }),
          ...(known === undefined ? {} : { age_s: this.#age(known) }),
        };
        try {
          return [name, { value: this.read(name), ...common }];
        } catch (error) {
          return [name, { value: null, ...common, why: excerpt(messageOf(error)) }];
        }
      }),
    );
  }

  #age({ at }: Known): number {
    return Math.round((this.now() - at) / 100) / 10;
  }

  #find(name: string): { entry: StateEntry; known: Known | undefined } {
    const entry = this.entries[name];
    if (entry === undefined) {
      throw new TypeError(
        `there is no state ${name}: known are ${Object.keys(this.entries).join(', ') || 'none'}`,
      );
    }
    return { entry, known: this.#known.get(name) };
  }
}
