/** In milliseconds. */
const usual = { first: 200, longest: 10_000 };

/** Milliseconds to wait after the n-th failure in a row, from 1: doubling, and never more than `longest`. */
export function backoffMs(failures: number, { first, longest } = usual): number {
  return Math.min(longest, first * 2 ** Math.min(Math.max(failures, 1) - 1, 20));
}

/** When something may be tried again, by key. Volatile: after a restart everything may be tried at once. */
export class Backoff {
  readonly #entries = new Map<string, { failures: number; at: number }>();
  readonly #limits: { first: number; longest: number };

  /** @param limits the first wait and the longest, in milliseconds */
  constructor(limits = usual) {
    this.#limits = limits;
  }

  /** @returns how many failures in a row there are by now */
  failed(key: string, now: number): number {
    const failures = (this.#entries.get(key)?.failures ?? 0) + 1;
    this.#entries.set(key, { failures, at: now + backoffMs(failures, this.#limits) });
    return failures;
  }

  clear(key: string): void {
    this.#entries.delete(key);
  }

  isDue(key: string, now: number): boolean {
    return (this.at(key) ?? now) <= now;
  }

  /** When it may be tried again, in milliseconds since 1970; undefined: at once. */
  at(key: string): number | undefined {
    return this.#entries.get(key)?.at;
  }

  /** The first time after `now` at which something becomes due. */
  next(now: number): number | undefined {
    let next: number | undefined;
    for (const { at } of this.#entries.values()) if (at > now && (next === undefined || at < next)) next = at;
    return next;
  }

  /** Forgets keys that `keep` does not want any more. */
  prune(keep: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (!keep(key)) this.#entries.delete(key);
  }
}
