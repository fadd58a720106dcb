import type { DurationSamples } from '../rows/index.js';

/** What is known of how long a task takes, in seconds. */
export interface Expectation {
  /** What plans count on; null: nothing is known. */
  expected: number | null;
  /** As the protocol declares; null of an on-demand task. */
  declared: number | null;
  /** The median of what was seen; null: too little was. */
  learned: number | null;
  samples: number;
}

/** Attempts that are remembered of each task. */
export const rememberedDurations = 32;
/** Fewer say nothing. */
const fewest = 3;

/** What a task has taken so far, to expect more of the same. */
export class Durations {
  readonly #samples = new Map<string, { ms: number[]; median: number | null }>();

  load(samples: readonly DurationSamples[]): void {
    this.#samples.clear();
    for (const { protocol, task, ms } of samples) {
      const kept = ms.slice(0, rememberedDurations).reverse();
      this.#samples.set(keyOf(protocol, task), { ms: kept, median: medianOf(kept) });
    }
  }

  /** An attempt has completed. @param protocol and `task` as of {@link of} @param ms what it took */
  observe(protocol: string | null, task: string, ms: number): void {
    const key = keyOf(protocol, task);
    const kept = this.#samples.get(key)?.ms ?? [];
    kept.push(Math.max(0, ms));
    if (kept.length > rememberedDurations) kept.shift();
    this.#samples.set(key, { ms: kept, median: medianOf(kept) });
  }

  /** @param protocol type of the protocol; null: an on-demand task @param task name within it; of an on-demand task its type */
  of(protocol: string | null, task: string, declared: number | null): Expectation {
    const known = this.#samples.get(keyOf(protocol, task));
    const learned = known?.median ?? null;
    return { expected: learned ?? declared, declared, learned, samples: known?.ms.length ?? 0 };
  }
}

function keyOf(protocol: string | null, task: string): string {
  return protocol === null ? task : `${protocol}/${task}`;
}

/** Seconds. */
function medianOf(ms: readonly number[]): number | null {
  if (ms.length < fewest) return null;
  const sorted = [...ms].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median =
    sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
  return median / 1000;
}
