/** Waits of an exponential backoff. */
export interface BackoffLimits {
  /** Milliseconds after the first failure. */
  first: number;
  /** Milliseconds that no wait exceeds. */
  longest: number;
  /** What each wait is multiplied by after another failure. Default 2. */
  factor?: number;
}

const usual: BackoffLimits = { first: 200, longest: 10_000 };

/** Milliseconds to wait before the next attempt. @param failures failures in a row, from 1 */
export function backoffMs(failures: number, { first, longest, factor = 2 }: BackoffLimits = usual): number {
  return Math.min(longest, first * factor ** Math.min(Math.max(failures, 1) - 1, 20));
}

/** Keeps, by key, when an action may be tried again. It is volatile: after a restart every action is due at once. */
export class Backoff {
  readonly #entries = new Map<string, { failures: number; at: number }>();

  constructor(private readonly limits = usual) {}

  /** Records a failure at `now`. @returns the number of failures in a row */
  failed(key: string, now: number): number {
    const failures = (this.#entries.get(key)?.failures ?? 0) + 1;
    this.#entries.set(key, { failures, at: now + backoffMs(failures, this.limits) });
    return failures;
  }

  clear(key: string): void {
    this.#entries.delete(key);
  }

  isDue(key: string, now: number): boolean {
    return (this.at(key) ?? now) <= now;
  }

  /** When the action may be tried again, in milliseconds since 1970; undefined: at once. */
  at(key: string): number | undefined {
    return this.#entries.get(key)?.at;
  }

  /** The first time after `now` at which an action becomes due; undefined: there is none. */
  next(now: number): number | undefined {
    let next: number | undefined;
    for (const { at } of this.#entries.values()) if (at > now && (next === undefined || at < next)) next = at;
    return next;
  }

  /** Removes the keys for which `keep` returns false. */
  prune(keep: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (!keep(key)) this.#entries.delete(key);
  }
}
