import type { DurationSamples } from '../rows/index.js';

/** Expected duration of a task, in seconds. */
export interface Expectation {
  /** The duration that plans use; null: unknown. */
  expected: number | null;
  /** As the protocol declares; null: not declared, or an on-demand task. */
  declared: number | null;
  /** Median of the observed durations; null: too few were observed. */
  learned: number | null;
  samples: number;
}

/** Greatest number of observed attempts per task. */
export const rememberedDurations = 32;
/** Smallest number of observed attempts for a median. */
const fewest = 3;

/** Observed durations of tasks, to predict further ones. */
export class Durations {
  readonly #samples = new Map<string, { ms: number[]; median: number | null }>();

  load(samples: readonly DurationSamples[]): void {
    this.#samples.clear();
    for (const { protocol, task, ms } of samples) {
      const kept = ms.slice(0, rememberedDurations).reverse();
      this.#samples.set(keyOf(protocol, task), { ms: kept, median: medianOf(kept) });
    }
  }

  /**
   * @param protocol and `task` as in {@link of}
   * @param ms duration of a completed attempt in milliseconds
   */
  observe(protocol: string | null, task: string, ms: number): void {
    const key = keyOf(protocol, task);
    const kept = this.#samples.get(key)?.ms ?? [];
    kept.push(Math.max(0, ms));
    if (kept.length > rememberedDurations) kept.shift();
    this.#samples.set(key, { ms: kept, median: medianOf(kept) });
  }

  /**
   * The longest of the remembered attempts; null: too few were observed.
   *
   * @param protocol and `task` as in {@link of}
   * @returns milliseconds, and the number of remembered attempts
   */
  longestOf(protocol: string | null, task: string): { ms: number; attempts: number } | null {
    const { ms = [] } = this.#samples.get(keyOf(protocol, task)) ?? {};
    return ms.length < fewest ? null : { ms: Math.max(...ms), attempts: ms.length };
  }

  /**
   * @param task name within the `protocol`; without one, its type
   * @param declared seconds in the protocol; null: none
   */
  of(protocol: string | null, task: string, declared: number | null): Expectation {
    const known = this.#samples.get(keyOf(protocol, task));
    const learned = known?.median ?? null;
    return { expected: learned ?? declared, declared, learned, samples: known?.ms.length ?? 0 };
  }
}

function keyOf(protocol: string | null, task: string): string {
  return protocol === null ? task : `${protocol}/${task}`;
}

/** The median in seconds; null: too few values. */
function medianOf(ms: readonly number[]): number | null {
  if (ms.length < fewest) return null;
  const sorted = [...ms].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median =
    sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
  return median / 1000;
}
